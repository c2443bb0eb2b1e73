"""Many conversations in one process do not mix."""

import copy
import threading

import pytest
from benchmarks.interleaved import answered, expected, interleaved, opening, said

from contextwright import C, Conversations, Engine, SQLiteSessions
from contextwright.errors import SpecError, StoreError
from contextwright.session import Session


def test_two_conversations_that_begin_alike_are_two_once_they_differ():
    known = Conversations()
    one = opening("Go")
    first = known.update(one)
    assert known.update(copy.deepcopy(one)) is first
    longer, other = answered(one, 1), answered(one, 2)
    assert known.update(longer) is first
    second = known.update(other)
    assert second is not first
    assert known.update(longer) is first
    assert known.update(other) is second
    assert (said(first), said(second)) == (expected(longer), expected(other))


def test_an_id_names_a_conversation_whatever_it_begins_with():
    known = Conversations()
    a = known.update(opening("Go"), id="a")
    b = known.update(opening("Go"), id="b")
    assert a is not b
    assert (a.id, b.id) == ("a", "b")
    assert known.update(opening("Go"), id="a") is a


@pytest.mark.parametrize("id", [None, "b", "b/c", "a/b"])
def test_nothing_is_shared_between_tenants(id):
    known = Conversations()
    tenants = ["", "a", "a/b", "c"]
    sessions = [known.update(opening("Go"), id=id, tenant=tenant) for tenant in tenants]
    assert len({session.id for session in sessions}) == len(tenants)
    again = [known.update(opening("Go"), id=id, tenant=tenant) for tenant in tenants]
    assert all(one is other for one, other in zip(sessions, again, strict=True))


def test_no_name_of_one_tenant_is_that_of_another():
    known = Conversations()
    names = [("a", "b/c"), ("a/b", "c"), ("", "a/b/c"), ("a%2Fb", "c"), ("", "a#2"), ("", "a")]
    sessions = [known.update(opening("Go"), id=id, tenant=tenant) for tenant, id in names]
    assert len({session.id for session in sessions}) == len(names)


def test_what_was_used_longest_ago_leaves_the_memory():
    known = Conversations(max_bytes=1_000)
    text = "x" * 250
    first = known.update(opening(text), id="a")
    for id in "bcd":
        known.update(opening(text), id=id)
    assert len(known) == 3
    assert known.update(opening(text), id="a") is not first


def test_a_conversation_larger_than_the_limit_keeps_its_last_history():
    known = Conversations(max_bytes=300)
    for n in range(4):
        session = known.update(opening(f"{n} {'x' * 500}"), id="a")
    assert known.update(opening(f"3 {'x' * 500}"), id="a") is session


def test_a_conversation_expires():
    now = [0.0]
    known = Conversations(expires_after_s=60, clock=lambda: now[0])
    first = known.update(opening("Go"))
    now[0] = 59
    assert known.update(opening("Go")) is first
    now[0] = 120
    assert known.update(opening("Go")) is not first


@pytest.mark.parametrize("limits", [{"max_bytes": 0}, {"expires_after_s": -1}])
def test_a_limit_that_is_none_is_refused(limits):
    with pytest.raises(SpecError, match="more than 0"):
        Conversations(**limits)


@pytest.mark.parametrize("id", [None, "talk"])
@pytest.mark.parametrize("as_body", [False, True])
def test_a_restart_goes_on_where_it_was(tmp_path, id, as_body):
    def source(messages):
        return {"model": "gpt-5", "messages": messages} if as_body else messages

    messages = answered(opening("Go"), 1)
    other = answered(opening("Go"), 2)
    before = Conversations(store=SQLiteSessions(tmp_path / "s.db"))
    before.update(source(messages), id=id)
    before.update(source(other), id=id)
    after = Conversations(store=SQLiteSessions(tmp_path / "s.db"))
    longer = answered(messages, 3)
    session = after.update(source(longer), id=id)
    assert said(session) == expected(longer)
    assert after.update(source(answered(other, 4)), id=id) is not session
    assert sorted(after.store.ids()) == sorted(before.store.ids())  # nothing began anew
    assert after.degraded == before.degraded == ""


def test_a_compaction_goes_on_after_a_restart(tmp_path):
    spec = C.default() | C.compaction(400)
    messages = opening("Go")
    engine = Engine(spec, "gpt-5")
    before = Conversations(store=SQLiteSessions(tmp_path / "s.db"))
    for n in range(60):
        messages = answered(messages, n)
        with before.updated(messages) as history:
            pack = engine.compile(history.session)
            history.folds.append(pack.manifest.folds)
    after = Conversations(store=SQLiteSessions(tmp_path / "s.db"))
    session = after.update(messages)
    again = Engine(spec, "gpt-5").compile(session)
    assert again.body == pack.body
    assert session.metadata["contextwright.folds"]


class FailingStore:
    def ids(self):
        raise StoreError("no disk", where="store", fix="a disk")

    def save(self, session):
        raise StoreError("no disk", where="store", fix="a disk")


def test_a_store_that_fails_ends_no_turn():
    known = Conversations(store=FailingStore())
    session = known.update(opening("Go"))
    assert isinstance(session, Session)
    assert "no disk" in known.degraded


@pytest.mark.parametrize("seed", range(20))
def test_no_message_of_one_conversation_appears_in_another(seed):
    interleaved(seed, 30)


def test_no_restart_mixes_conversations(tmp_path):
    for seed in range(3):
        interleaved(seed, 20, lambda seed=seed: SQLiteSessions(tmp_path / f"{seed}.db"))


def test_threads_do_not_mix_conversations():
    known, wrong = Conversations(), []

    def run(name):
        messages = opening("Go")
        for n in range(15):
            messages = answered(messages, f"{name}.{n}")
            with known.updated(messages) as history:
                if said(history.session) != expected(messages):
                    wrong.append((name, n))

    threads = [threading.Thread(target=run, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_what_leaves_the_memory_is_found_again_in_a_store_that_was_empty():
    """With its state, and not as another session of the same messages."""
    now, store = [0.0], SQLiteSessions(":memory:")
    kept = Conversations(store=store, expires_after_s=10, clock=lambda: now[0])
    messages = [{"role": "user", "content": "hi"}]
    kept.update(messages, id="c").update({"plan": "wait"})
    kept.update(messages, id="c")
    now[0] = 20.0
    assert (
        kept.update([*messages, {"role": "user", "content": "yes"}], id="c").state["plan"] == "wait"
    )


def test_a_store_that_could_not_be_asked_is_asked_again(monkeypatch):
    store, messages = SQLiteSessions(":memory:"), [{"role": "user", "content": "hi"}]
    before = Conversations(store=store)
    before.update(messages, id="c").update({"plan": "wait"})
    before.update(messages, id="c")
    kept = Conversations(store=store)

    def away():
        raise OSError("away")

    with monkeypatch.context() as patched:
        patched.setattr(store, "ids", away)
        kept.update([{"role": "user", "content": "other"}], id="d")
    assert kept.update(messages, id="c").state["plan"] == "wait"


@pytest.mark.parametrize("limits", [{"max_bytes": 1}, {"expires_after_s": 1}])
def test_a_conversation_that_is_used_stays_in_memory(limits):
    """Whoever came next began another one of the same id, and a store kept one of the two."""
    now = [0.0]
    kept = Conversations(clock=lambda: now[0], **limits)
    with kept.updated([{"role": "user", "content": "hi"}], id="c") as history:
        now[0] = 20.0
        kept.update([{"role": "user", "content": "other"}], id="d")
        assert kept.update([{"role": "user", "content": "hi"}], id="c") is history.session
    now[0] = 40.0
    kept.update([{"role": "user", "content": "other"}], id="d")
    assert kept.update([{"role": "user", "content": "hi"}], id="c") is not history.session
