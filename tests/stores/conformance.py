"""What every store must do; a backend's test module gives a `store` (and `reopen`) fixture and
inherits these."""

import threading

import pytest

from contextwright.errors import RefError, StoreError
from contextwright.session import Event, Session, Text, Tool
from contextwright.session.session import StateChange
from contextwright.testing import session_of


def event(id, text="hi"):
    return Event(id=id, role="user", parts=(Text(text=text),))


class SessionStoreSuite:
    """Sessions: saved, grown, loaded, refused."""

    def test_what_is_saved_is_loaded(self, store):
        session = session_of("s: brief | u: hi | c: search(x) | r: one | a: ok")
        session.tools = (Tool(name="search", parameters={"type": "object"}),)
        session.update({"intent": "x", "user:name": "Ada", "temp:t": [1, {"a": None}]})
        session.metadata["k"] = {"nul": "a\0b"}
        store.save(session)
        again = store.load(session.id)
        assert again.snapshot().digest == session.snapshot().digest
        assert dict(again.state) == dict(session.state)
        assert [c.position for c in again.changes] == [c.position for c in session.changes]
        assert (again.tools, again.metadata) == (session.tools, session.metadata)

    def test_saving_again_writes_what_is_new(self, store):
        session = session_of("u: hi")
        store.save(session)
        session.assistant("hello")
        session.update({"k": 1})
        store.save(session)
        store.save(session)
        assert len(store.load(session.id)) == 2
        assert len(store.load(session.id).changes) == 1

    def test_an_append_at_the_wrong_place_writes_nothing(self, store):
        store.append("s", [event("a"), event("b")], expected=0)
        with pytest.raises(StoreError, match="2 events"):
            store.append("s", [event("c")], expected=0)
        assert [e.id for e in store.load("s").log] == ["a", "b"]

    def test_a_log_that_parted_is_refused(self, store):
        store.save(session_of("u: hi | a: one", id="s"))
        with pytest.raises(StoreError, match="another writer"):
            store.save(session_of("u: hi | a: two", id="s"))
        assert store.load("s").log[1].text == "one"

    def test_a_missing_session_is_named_with_those_there_are(self, store):
        store.save(session_of("u: hi", id="here"))
        with pytest.raises(StoreError) as caught:
            store.load("there")
        assert "there" in caught.value.what
        assert "here" in caught.value.fix

    def test_ids_come_in_the_order_of_their_first_save(self, store):
        for id in ("b", "a", "c"):
            store.save(session_of("u: hi", id=id))
        assert store.ids() == ["b", "a", "c"]

    def test_a_deleted_session_is_gone(self, store):
        store.save(session_of("u: hi", id="s"))
        assert store.delete("s")
        assert not store.delete("s")
        assert store.ids() == []

    def test_a_rewritten_session_has_its_history_rewritten(self, store, reopen):
        session = session_of("u: hi Ada | c: search(x) | r: Ada's | a: ok", id="s")
        session.update({"name": "Ada"})
        session.update({"name": "Bob"})
        store.save(session)
        store.save(session_of("u: other", id="t"))

        def change(stored):
            events = [e if e.role != "user" else event(e.id, "hi") for e in stored.log]
            new = Session("s", events[:-1], tools=stored.tools, metadata={"k": 1})
            new.restore(StateChange(1, {"name": "-"}))
            return new

        assert store.rewrite("s", change)
        again = reopen().load("s")
        assert [e.text for e in again.log] == ["hi", "", ""] and again.metadata == {"k": 1}
        assert [(c.position, c.values) for c in again.changes] == [(1, {"name": "-"})]
        again.assistant("more")
        again.update({"name": "C"})
        store.save(again)
        assert len(store.load("s")) == 4 and store.load("s").state["name"] == "C"
        assert store.load("t").log[0].text == "other"

    def test_a_rewrite_that_fails_or_gives_nothing_changes_nothing(self, store):
        store.save(session_of("u: hi", id="s"))
        store.save(session_of("u: ho", id="t"))
        before = store.load("s").snapshot().digest
        assert not store.rewrite("s", lambda session: None)
        assert not store.rewrite("nobody", lambda session: session)
        with pytest.raises(ZeroDivisionError):
            store.rewrite("s", lambda session: 1 / 0)
        with pytest.raises(StoreError, match="already"):
            store.rewrite("s", lambda session: Session("t", session.log))
        assert store.load("s").snapshot().digest == before and store.ids() == ["s", "t"]

    def test_a_rewritten_session_may_have_another_id(self, store):
        store.save(session_of("u: hi", id="s"))
        assert store.rewrite("s", lambda session: Session("other", session.log))
        assert store.ids() == ["other"] and store.load("other").log[0].text == "hi"

    def test_state_changes_that_parted_are_refused_not_lost(self, store):
        store.save(session_of("u: hi", id="s"))
        one, two = store.load("s"), store.load("s")
        one.update({"k": 1})
        store.save(one)
        two.update({"k": 2})
        with pytest.raises(StoreError, match="another writer"):
            store.save(two)
        assert store.load("s").state["k"] == 1

    @pytest.mark.parametrize(
        "id", ["", "a'; DROP TABLE events; --", "%", "x" * 2000, "größe/../🚲"]
    )
    def test_any_id_is_only_a_name(self, store, id):
        store.save(session_of("u: hi", id=id))
        assert store.load(id).log[0].text == "hi"

    def test_two_writers_of_one_session_never_interleave_unseen(self, store):
        store.append("s", [event("start")], expected=0)
        outcomes = []

        def write(name):
            try:
                store.append("s", [event(f"{name}{n}") for n in range(3)], expected=1)
                outcomes.append(name)
            except StoreError:
                outcomes.append(None)

        threads = [threading.Thread(target=write, args=(name,)) for name in "abcdefgh"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        winners = [name for name in outcomes if name]
        assert len(winners) == 1
        assert [e.id for e in store.load("s").log][1:] == [f"{winners[0]}{n}" for n in range(3)]

    def test_what_was_saved_survives_a_reopening(self, store, reopen):
        store.save(session_of("u: hi | a: hello", id="s"))
        assert [e.text for e in reopen().load("s").log] == ["hi", "hello"]

    def test_a_pack_is_replayed_from_the_store(self, store):
        from contextwright import C, compile, replay

        session = session_of("u: hi | a: hello | u: and?", state={"k": "v"})
        pack = compile(session, C.default() + C.from_state("k"), model="gpt-5")
        session.update({"k": "w"})
        session.assistant("later")
        store.save(session)
        assert replay(pack.manifest, store.load(session.id)).body == pack.body


class ArtifactStoreSuite:
    """Artifacts: the same bytes under the same ref, checked."""

    @pytest.mark.parametrize("data", [b"", b"x", b"\0\xff" * 1000, "größe 🚲".encode()])
    def test_bytes_come_back(self, artifacts, data):
        ref = artifacts.put(data)
        assert ref.startswith("artifact://sha256/")
        assert artifacts.put(data) == ref
        assert artifacts.get(ref) == data

    def test_a_name_is_a_way_to_the_bytes(self, artifacts):
        ref = artifacts.put(b"one", name="tasks/42/step-3/report.md")
        assert ref == "artifact://tasks/42/step-3/report.md"
        artifacts.put(b"two", name="tasks/42/step-3/report.md")
        assert artifacts.get(ref) == b"two"

    @pytest.mark.parametrize(
        "ref",
        ["artifact://nothing", "artifact://sha256/" + "0" * 64, "artifact://sha256/../../etc/passwd",
         "artifact://sha256/abc", "event://e1", "artifact://%2e%2e/x"],
    )  # fmt: skip
    def test_an_absent_ref_is_refused(self, artifacts, ref):
        with pytest.raises(RefError):
            artifacts.get(ref)

    def test_a_name_that_reads_as_a_digest_is_refused(self, artifacts):
        with pytest.raises(RefError):
            artifacts.put(b"x", name="sha256/" + "0" * 64)
