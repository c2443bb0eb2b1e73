"""Refs reach what their own session holds or was given, and nothing else."""

import json

import pytest

from contextwright import C, Engine, Session, compile, record
from contextwright.errors import ContextwrightError, RefError
from contextwright.models import Models, ScriptedLLM
from contextwright.stores import FileArtifacts, Refs
from contextwright.testing import target_for

SECRET = "Alice's salary is 91,000 EUR. " * 60
NOT_OURS = "neither stored this artifact nor was given it"


@pytest.fixture
def store(tmp_path):
    return FileArtifacts(tmp_path / "artifacts")


def offloading(id, text, store):
    session = Session(id)
    session.user("read it")
    session.call("read", "{}", id="c")
    session.result("c", text)
    record(session, C.window(9) + C.offload(min_tokens=50), artifacts=store)
    return session, session.state["evidence"][0]["uri"]


def shown(session, spec, **options):
    pack = compile(session, spec, target=target_for("openai-chat"), **options)
    return pack.body.decode(), pack.manifest.notes


def test_an_artifact_is_read_by_the_session_that_stored_it_and_by_no_other(store):
    alice, ref = offloading("alice", SECRET, store)
    bob, _ = offloading("bob", "Bob's own report. " * 90, store)
    by_digest = f"artifact://sha256/{store.digest(ref)}"
    engine = Engine(C.window(9), "gpt-5", artifacts=store)
    assert engine.expand(alice, ref) == SECRET
    for stolen in (ref, by_digest, "artifact://tasks/42/step-1/manifest.json"):
        for session in (bob, Session("new")):
            with pytest.raises(RefError, match=NOT_OURS):
                engine.expand(session, stolen)
            with pytest.raises(RefError, match=NOT_OURS):
                Refs(session.snapshot(), artifacts=store).read(stolen)


def test_the_answer_does_not_tell_what_other_sessions_have(store):
    _, ref = offloading("alice", SECRET, store)
    bob = Session("bob")
    errors = []
    for asked in (ref, "artifact://nobody/has/this"):
        with pytest.raises(RefError) as caught:
            Refs(bob.snapshot(), artifacts=store).read(asked)
        errors.append(caught.value.what)
    assert errors[0] == errors[1]


@pytest.mark.parametrize(
    "state",
    [
        {"evidence": [{"uri": "artifact://my%20report.md"}]},
        {"evidence": ["artifact://my%20report.md"]},
        {"evidence": [{"uri": "artifact://my report.md", "summary": "s"}]},
        {"sources": [{"uri": "artifact://my%20report.md"}]},
        {"report": "artifact://my%20report.md"},
    ],
)
def test_what_the_application_gave_is_read(store, state):
    ref = store.put(b"five rivals", name="my report.md")
    session = Session(state=state)
    session.user("go on")
    assert Engine(C.window(9), "gpt-5", artifacts=store).expand(session, ref) == "five rivals"


@pytest.mark.parametrize("key", ["asked", "draft"])
def test_words_that_were_captured_give_nothing(store, key):
    """Somebody says a ref, and another agent's spec captures it: the state holds it then, as if
    the application had put it there."""
    _, ref = offloading("alice", SECRET, store)
    session = Session("eve")
    session.user(ref)
    session.assistant(ref)
    record(session, C.capture("asked") + C.capture("draft", what="output"))
    session.note("n", [ref])
    assert session.state[key] == ref
    with pytest.raises(RefError, match=NOT_OURS):
        Engine(C.window(9), "gpt-5", artifacts=store).expand(session, ref)
    body, notes = shown(session, C.window(9) + (C.from_state(key) | C.expand()), artifacts=store)
    assert "salary" not in body and any(NOT_OURS in note for note in notes)


@pytest.mark.parametrize("key", ["record", "evidence"])
def test_what_a_model_read_out_of_words_gives_nothing(store, key):
    """A record's field may be called `uri`, and what it holds is what somebody said."""
    _, ref = offloading("alice", SECRET, store)
    eve = Session("eve")
    eve.user(f"My file is at {ref}, please.")
    spec = C.window(9) + C.extract({"uri": "str"}, key=key)
    models = Models(ScriptedLLM(json.dumps({"uri": ref})))
    engine = Engine(spec, "gpt-5", models=models, artifacts=store)
    engine.compile(eve)
    assert eve.state[key] == {"uri": ref}
    with pytest.raises(RefError, match=NOT_OURS):
        engine.expand(eve, ref)


@pytest.mark.parametrize("wrap", [lambda ref: {"uri": ref}, lambda ref: [{"uri": ref}]])
def test_an_agents_structured_output_gives_nothing(store, wrap):
    """An agent framework stores what a model answered under a state key, read as JSON."""
    _, ref = offloading("alice", SECRET, store)
    eve = Session("eve")
    eve.user("go on")
    eve.assistant(json.dumps(wrap(ref)))
    eve.update({"out": wrap(ref)})
    with pytest.raises(RefError, match=NOT_OURS):
        Engine(C.window(9), "gpt-5", artifacts=store).expand(eve, ref)


def test_words_in_several_parts_give_nothing(store):
    _, ref = offloading("alice", SECRET, store)
    eve = Session("eve")
    eve.user("go on")
    eve.assistant(ref[:20], ref[20:])
    eve.update({"out": ref})
    with pytest.raises(RefError, match=NOT_OURS):
        Engine(C.window(9), "gpt-5", artifacts=store).expand(eve, ref)


def test_what_a_spec_names_itself_is_its_authors(store):
    ref = store.put(b"five rivals", name="handbook.md")
    session = Session("s")
    session.user("go on")
    engine = Engine(C.window(9) + C.expand(ref), "gpt-5", artifacts=store)
    assert "five rivals" in engine.compile(session).body.decode()
    assert engine.expand(session, ref) == "five rivals"
    assert "five rivals" in shown(session, C.window(9) + C.evidence(ref), artifacts=store)[0]


def test_a_ref_in_the_words_of_a_tool_is_not_followed(store):
    _, ref = offloading("alice", SECRET, store)
    session, _ = offloading("bob", f"[full output: {ref}, 900 tokens]\n" + "x y. " * 200, store)
    for spec in (C.window(9) | C.expand(), C.window(9) | C.compact() | C.expand()):
        assert "salary" not in shown(session, spec, artifacts=store)[0]


def test_a_bare_key_a_path_and_an_address_are_expanded_where_they_are_allowed(tmp_path):
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "a.md").write_text("from the file")
    fetched = []
    session = Session(
        state={
            "key": "big", "big": "from the state", "path": "reports/a.md",
            "absolute": str(tmp_path / "reports" / "a.md"), "url": "https://docs.example/a",
            "file": "file://reports/a.md", "word": "urgent", "own": "own",
        }
    )  # fmt: skip
    session.user("go on")
    keys = ("key", "path", "absolute", "url", "file", "word", "own")
    spec = C.window(1) + (C.from_state(*keys) | C.expand())
    allowed = {
        "roots": [tmp_path],
        "hosts": {"docs.example": lambda url: fetched.append(url) or "from the web"},
    }
    for body in (
        shown(session, spec, **allowed)[0],
        Engine(spec, "gpt-5", **allowed).compile(session).body.decode(),
    ):
        for line in ("Key: from the state", "Path: from the file", "Absolute: from the file",
                     "Url: from the web", "File: from the file", "Word: urgent", "Own: own"):  # fmt: skip
            assert line in body
    assert fetched == ["https://docs.example/a"] * 2
    engine = Engine(spec, "gpt-5", **allowed)
    assert engine.expand(session, "file://reports/a.md") == "from the file"
    assert engine.expand(session, "https://docs.example/a") == "from the web"


def test_what_is_not_allowed_stays_and_a_note_says_why(tmp_path):
    session = Session(
        state={"path": "../secret.md", "url": "https://evil.example/x", "f": "a/b.md"}
    )
    session.user("go on")
    spec = C.window(1) + (C.from_state("path", "url", "f") | C.expand())
    body, notes = shown(session, spec)
    assert "Path: ../secret.md" in body and "Url: https://evil.example/x" in body
    assert [note.partition(" is not expanded")[0] for note in notes] == [
        "file://../secret.md", "https://evil.example/x", "file://a/b.md",
    ]  # fmt: skip
    (tmp_path / "root").mkdir()
    (tmp_path / "secret.md").write_text("secret")
    options = {"roots": [tmp_path / "root"], "hosts": {"docs.example": lambda url: "ok"}}
    body, notes = shown(session, spec, **options)
    assert "secret." in body and len(notes) == 3 and "Path: secret" not in body


def broken(url):
    raise ConnectionError("no route")


@pytest.mark.parametrize("fetch", [broken, lambda url: None, lambda url: b"bytes"])
def test_a_fault_of_a_fetch_is_named_and_ends_no_turn(fetch):
    session = Session(state={"url": "https://docs.example/x"})
    session.user("go on")
    spec = C.window(1) + (C.from_state("url") | C.expand())
    body, notes = shown(session, spec, hosts={"docs.example": fetch})
    assert "Url: https://docs.example/x" in body and len(notes) == 1


@pytest.mark.parametrize(
    "options", [{"roots": "reports"}, {"roots": [3]}, {"hosts": ["a"]}, {"hosts": {"a": "b"}}]
)
def test_roots_and_hosts_of_another_type_are_named(options):
    session = Session()
    session.user("hi")
    with pytest.raises(ContextwrightError, match="expected"):
        compile(session, C.window(1), model="gpt-5", **options)
    with pytest.raises(ContextwrightError, match="expected"):
        Engine(C.window(1), "gpt-5", **options)


@pytest.mark.parametrize("ref", [None, 5, ["event://e0"], {"ref": "event://e0"}, b"event://e0", ""])
def test_what_a_model_gives_for_a_ref_is_a_ref_or_named(ref):
    session = Session("s")
    session.user("hi")
    with pytest.raises(RefError, match="this is not a ref"):
        Engine(C.default(), "gpt-5").expand(session, ref)
