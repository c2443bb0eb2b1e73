"""`C.when`: a term only where a condition on the state holds."""

import pytest

from contextwright import C, Engine, Session, compile, parse, record, replay
from contextwright.compiler.plan import plan
from contextwright.errors import SpecError
from contextwright.models import Models
from contextwright.models.scripted import ScriptedLLM
from contextwright.recipes.injectors import InjectionOrchestrator, Injector
from contextwright.spec import from_json, to_json
from contextwright.spec.predicate import holds, keys_of
from contextwright.testing import session_of, target_for

TARGET = target_for("openai-chat")
STATE = {"intent": "billing", "urgency": 4, "tags": ["new"], "user:tier": "gold", "empty": ""}


@pytest.mark.parametrize(
    ("condition", "true"),
    [
        ("intent", True),
        ("missing", False),
        ("empty", False),
        ("not missing", True),
        ("user:tier", True),
        ("state['user:tier'] == 'gold'", True),
        ("intent == 'billing' and urgency >= 3", True),
        ("intent == 'billing' and urgency > 4", False),
        ("intent in ['billing', 'refund']", True),
        ("'new' in tags", True),
        ("'new' not in tags or missing == None", True),
        ("1 < urgency < 5", True),
        ("urgency > -1", True),
        ("missing > 3", False),
        ("intent > 3", False),
    ],
)
def test_a_condition_on_the_state(condition, true):
    assert holds(condition, STATE) is true
    assert set(keys_of(condition)) <= {*STATE, "missing"}


@pytest.mark.parametrize(
    "condition",
    [
        "",
        "import os",
        "open('x')",
        "urgency +",
        "intent is None",
        "state.x.y()",
        "1 +",
        "[x for x in y]",
    ],
)
def test_what_is_no_condition_is_refused_and_never_run(condition):
    with pytest.raises(SpecError) as caught:
        C.when(condition, C.window())
    assert caught.value.where is not None and caught.value.fix


SPEC = (
    C.when("urgency >= 3", C.from_state("intent"))
    + C.when("intent == 'x'", C.default(), otherwise=C.window(n=1))
) | C.budget(max_tokens=900)


def test_it_prints_parses_and_is_stored_as_any_spec():
    assert parse(repr(SPEC)) == SPEC
    assert from_json(to_json(SPEC)) == SPEC
    assert parse("C.when('a', C.window(3) | C.compact())").then == C.window(3) | C.compact()


def test_the_branch_follows_the_state_and_the_manifest_says_what_is_left_out():
    session = session_of("u: one | a: 1 | u: two", state=STATE)
    shown = compile(session, SPEC, target=TARGET)
    assert "billing" in shown.body.decode()
    session.update({"urgency": 1})
    hidden = compile(session, SPEC, target=TARGET)
    assert "billing" not in hidden.body.decode()
    assert any("urgency >= 3" in note for note in hidden.manifest.notes)


def test_what_is_not_used_asks_no_model():
    llm = ScriptedLLM([])
    session = session_of("u: one | a: " + "long answer " * 90 + " | u: two")
    spec = C.window(n=1) + C.when("deep", C.summarize(scope="before_window"))
    compile(session, spec, target=TARGET, models=Models(llm))
    assert not llm.prompts


def test_writers_redactions_and_windows_follow_the_condition():
    spec = C.when("log", C.write_notes("case")) + C.when("log", C.window(n=2) | C.compact())
    assert not plan(spec, {}).writers and not plan(spec, {}).windows
    assert plan(spec, {"log": True}).writers and plan(spec, {"log": True}).windows
    session = session_of("u: one | a: done")
    record(session, spec)
    assert "_notes_case" not in session.state


def test_a_step_may_be_taken_or_not():
    window, compacted = C.window(n=9), C.window(n=9) | C.compact()
    assert window | C.when("slow", C.compact()) == C.when("slow", compacted, otherwise=window)
    both = window | C.when("slow", C.compact(), otherwise=C.dedup())
    assert both == C.when("slow", compacted, otherwise=window | C.dedup())
    assert (window | C.when("slow", C.compact()) | C.budget(500)).steps == (C.budget(500),)


def test_a_branch_redacts_what_the_same_words_do_without_a_condition():
    """Whatever stands behind it; and what was shortened, where nobody has the state at hand."""
    redacted = C.when("intent", C.default() | C.redact(["email"]), otherwise=C.default())
    for spec in (redacted, redacted | C.budget(500), redacted | C.compact() | C.budget(500)):
        session = Session("of bob@example.com", state=STATE)
        session.add("system", "Ask ops@example.com.")
        event = session.user("Write to bob@example.com.")
        engine = Engine(spec, target=TARGET)
        pack = engine.compile(session)
        assert b"example" not in pack.body
        assert "example" not in engine.expand(session, f"event://{event.id}")
        assert replay(pack, session).body == pack.body
        session.update({"intent": ""})
        assert b"ops@example.com" in engine.compile(session).body


def test_a_limit_is_no_branch():
    for branch in (C.window() | C.budget(100), C.budget(100)):
        with pytest.raises(SpecError, match="comes last"):
            C.when("x", branch)


@pytest.mark.parametrize("wrong", [lambda: C.when(lambda s: True, C.window()),
                                   lambda: C.when("x", "C.window()"),
                                   lambda: C.when("x", None),
                                   lambda: C.when(C.window(), "x")])  # fmt: skip
def test_a_function_or_a_text_is_named_with_the_way_that_works(wrong):
    with pytest.raises(SpecError) as caught:
        wrong()
    assert caught.value.fix


def test_an_injector_may_have_a_condition():
    hint = Injector("hint", C.template("Be quick."), when="urgency >= 3")
    spec = InjectionOrchestrator((hint,), history=C.window(n=1)).spec
    session = Session("s", state={"urgency": 5})
    session.user("hi")
    assert "Be quick." in compile(session, spec, target=TARGET).body.decode()
    session.update({"urgency": 0})
    assert "Be quick." not in compile(session, spec, target=TARGET).body.decode()


@pytest.mark.parametrize("wrong", [{"phase": "runtme"}, {"source": "text"}, {"when": "a +"}])
def test_a_wrong_injector_is_named_when_it_is_made(wrong):
    with pytest.raises(SpecError) as caught:
        Injector(**({"name": "p", "source": C.notes("a")} | wrong)).spec  # noqa: B018
    assert caught.value.fix
