"""Phased injection (phased-injection.md): phases, caps, recitation, past failures, variation."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextwright import C, Session, compile
from contextwright.testing import FORMATS, assert_valid, sessions, target_for


def asked(*turns, **state):
    session = Session("s")
    session.add("system", "You are a helper.")
    for n, text in enumerate(turns or ("What now?",)):
        if n:
            session.assistant(f"answer {n}")
        session.user(text)
    session.update(state)
    return session


def sent(session, spec):
    return compile(session, spec, model="gpt-5").request["messages"]


def test_each_phase_has_its_place():
    session = asked(role="persona", prefs="likes tea", plan_status="step 2")
    spec = (
        (C.from_state("plan_status") | C.phase("runtime"))
        + (C.from_state("prefs") | C.phase("user"))
        + (C.from_state("role", trusted=True) | C.phase("system"))
        + C.window(n=3)
    )
    first, history, *_, last = sent(session, spec)
    assert first["content"].index("helper") < first["content"].index("persona")
    assert history["role"] == "user" and "likes tea" in history["content"]
    assert "step 2" in str(last["content"]) and "What now?" in str(last["content"])
    kept = {
        block.source: block.cache for block in compile(session, spec, model="gpt-5").manifest.kept
    }
    assert (kept["state:role"], kept["state:prefs"], kept["state:plan_status"]) == (
        "stable",
        "session",
        "dynamic",
    )


@given(st.integers(1, 300), st.lists(st.integers(1, 60), max_size=8))
def test_a_cap_holds_and_takes_what_scores_best(room, lengths):
    knowledge = [
        {"text": f"fact {n} " + "word " * words, "score": (n + 1) / 10}
        for n, words in enumerate(lengths)
    ]
    session = asked(knowledge=knowledge)
    pack = compile(session, C.window(n=1) + (C.memory(9) | C.cap(room)), model="gpt-5")
    kept = [block for block in pack.manifest.kept if block.layer == "memory"]
    assert sum(block.tokens for block in kept) <= room
    whole = compile(session, C.window(n=1) + C.memory(9), model="gpt-5").manifest.kept
    sizes = {block.id: (block.tokens, block.score) for block in whole if block.layer == "memory"}
    best = max(sizes, key=lambda one: sizes[one][1], default=None)
    if best is not None and sizes[best][0] <= room:
        assert best in {block.id for block in kept}


def test_what_is_capped_stands_in_the_manifest():
    session = asked(notes_text="word " * 400)
    pack = compile(session, C.from_state("notes_text") | C.cap(100), model="gpt-5")
    actions = {change.id: change.action for change in pack.manifest.changes}
    assert actions == {"state:notes_text": "truncated"}


TODO = [{"text": "read the file", "done": True}, {"text": "fix the test"}, {"text": "commit"}]


def test_the_goal_is_said_again_behind_the_users_words():
    session = asked(plan={"goal": "Make the build green", "step_id": "1", "acceptance": ["a"]})
    session.note("todo", TODO)
    content = sent(session, C.window(n=3) + C.recite())[-1]["content"]
    assert content[0]["text"] == "What now?"
    sign = session.snapshot().sign
    assert content[1]["text"] == (
        f'<context_block source="recite" sign="{sign}">\nCurrent Goal: Make the build green\n'
        "Progress: 1/3 steps completed\nNext: fix the test\n</context_block>"
    )


def test_behind_a_trace_it_is_the_end_of_the_request():
    session = asked(plan="Make the build green")
    session.call("run", "{}", id="c")
    session.result("c", "3 failed")
    messages = sent(session, C.window(n=3) + C.recite())
    assert messages[-1]["role"] == "user" and "Make the build green" in messages[-1]["content"]
    assert [m["role"] for m in messages][-2] == "tool"


def test_without_a_goal_nothing_is_recited():
    assert sent(asked(), C.window(n=3) + C.recite()) == sent(asked(), C.window(n=3))


def test_past_failures_say_what_worked_instead():
    session = asked("Deploy it.")
    session.call("deploy", '{"port": 80}', id="a")
    session.result("a", "Error: port 80 is taken", error=True)
    session.call("deploy", '{"port": 8080}', id="b")
    session.result("b", "ok")
    session.assistant("Done.")
    session.user("Once more.")
    text = str(sent(session, C.window(n=1) + C.failures())[-1]["content"])
    assert (
        "[Turn 1] deploy (port 80): Error: port 80 is taken — later it worked with (port 8080)"
        in text.replace("&#91;", "[")
    )


def test_only_moving_texts_vary_and_in_one_turn_they_have_one_form():
    session = asked(prefs="- tea\n- toast", plan="Make it green")
    session.note("todo", TODO)
    spec = (C.from_state("prefs") | C.phase("user")) + C.window(n=9) + (C.recite() | C.vary(seed=4))
    seen, prefix = set(), set()
    for n in range(12):
        messages = sent(session, spec)
        assert messages == sent(session, spec)
        seen.add(messages[-1]["content"][-1]["text"])
        prefix.add(messages[0]["content"])
        session.assistant("yes")
        session.user(f"more {n}")
    assert len(seen) >= 4 and len(prefix) == 1
    assert all("Make it green" in text and "fix the test" in text for text in seen)


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=20, deadline=None)
@given(sessions(), st.integers(0, 9))
def test_varied_and_recited_requests_are_valid(format, session, seed):
    session.note("todo", TODO)
    spec = C.window(n=4) + (C.recite() | C.vary(seed)) + C.failures() | C.budget(3000)
    from contextwright.errors import BudgetError

    try:
        assert_valid(compile(session, spec, target=target_for(format)), target_for(format))
    except BudgetError:
        return


@pytest.mark.parametrize("words", range(15, 45))
def test_a_secret_is_redacted_before_a_past_failure_is_cut(words):
    session = Session("s")
    session.user("go")
    key = "sk-" + "abcdefgh1234567890" * 3
    session.call("curl", f'{{"say": "{"w" * (words + 20)}", "key": "{key}"}}', id="a")
    session.result("a", "Error: " + "word " * words + key, error=True)
    session.assistant("sorry")
    session.user("again")
    spec = C.window(1) + C.failures() | C.redact(["sk-[a-z0-9]{40,}"])
    assert "sk-" not in str(sent(session, spec))
