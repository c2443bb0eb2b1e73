"""Phased injection (phased-injection.md): phases, caps, recitation, past failures, variation."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextwright import C, Session, compile
from contextwright.atoms.compress.clock_last import clocks_in
from contextwright.errors import SpecError
from contextwright.recipes.injectors import (
    InjectionOrchestrator,
    Injector,
    knowledge,
    plan,
    playbook,
    skills,
    system_role,
    todo,
    tool_definitions,
    user_memory,
)
from contextwright.session import Tool
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
    # a cap counts each as if its section were its own; here they share the markers
    if best is not None and sizes[best][0] + 16 <= room:
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


NOW = (
    "Current time: 2026-11-21 10:05",
    "It is 11/21/2026 10:05.",
    "Sat, 21 Nov 2026 10:05:00 +0000",
    "Nov 21, 2026, 10:05 PM",
    "21.11.2026 10:05",
    "timestamp: 1795428300",
    "now=1795428300123",
    "Zeit: 10:05",
)


@pytest.mark.parametrize("line", NOW)
def test_a_clock_is_found_however_it_is_written(line):
    assert clocks_in(f"You are careful.\n{line}\nBe short.") == [line]


@pytest.mark.parametrize(
    "line",
    ["Invoice 1795428300 is paid.", "Call 11/21 again", "The time is short.", "a ratio 3:15"],
)
def test_what_is_no_clock_is_none(line):
    assert clocks_in(line) == []


@pytest.mark.parametrize("text", ["Be careful.\nCurrent time: {now}", f"Be careful.\n{NOW[0]}"])
def test_a_clock_in_an_injectors_source_stands_behind_all_that_is_cached(text):
    session = asked(now="2026-11-21 10:05")
    source = C.template(text) | C.clock_last()
    for spec in (
        InjectionOrchestrator((Injector("role", source, "system"),)).spec,
        (source | C.phase("system")) + C.default(),
    ):
        system, *between, last = sent(session, spec)
        assert "10:05" not in system["content"] and "Be careful." in str([system, *between, last])
        assert "10:05" in str(last["content"])


def taken(pack, source):
    return sum(block.tokens for block in pack.manifest.kept if block.source.startswith(source))


def test_caps_hold_for_what_never_goes():
    role = system_role("Mind this rule well. " * 2000)
    session = asked()
    session.note("todo", [{"text": "mend the pump " * 300}, {"text": "call back"}])
    pack = compile(session, InjectionOrchestrator((role, todo())).spec, model="gpt-5")
    assert taken(pack, "template") <= 2000 and taken(pack, "recite") <= 200
    actions = {change.source: change.action for change in pack.manifest.changes}
    assert actions["template"] == "truncated" and actions["recite"] == "truncated"


@pytest.mark.parametrize(
    ("injector", "cap", "layer"),
    [(skills("skill"), 1000, "skill"), (user_memory(), 500, "knowledge"),
     (knowledge(), 800, "evidence"), (playbook(), 300, "playbook"), (plan(), 300, "plan_status")],
    ids=lambda one: getattr(one, "name", str(one)),
)  # fmt: skip
def test_caps_of_the_documents_injectors_hold(injector, cap, layer):
    long = "Mind this rule, and mind it well. " * 900
    many = [{"text": f"fact {n}: {long[:600]}", "score": n / 9} for n in range(9)]
    state = {"skill": long, "knowledge": many, "playbook": long, "plan_status": long,
             "evidence": [{"uri": f"artifact://{n}.md", "summary": long[:900]} for n in range(9)]}  # fmt: skip
    session = asked()
    session.update({layer: state[layer]})
    pack = compile(session, C.window(n=1) + injector.spec, model="gpt-5")
    room = pack.tokens - compile(session, C.window(n=1), model="gpt-5").tokens
    assert 0 < room <= cap + 60, "and the marks around it"


def test_what_passes_its_cap_is_said():
    tools = tuple(
        Tool(name=f"tool_{n}", description="It does one thing, and well. " * 9) for n in range(60)
    )
    session = asked()
    session.tools = tools
    spec = InjectionOrchestrator((tool_definitions(),)).spec
    pack = compile(session, spec, model="gpt-5")
    assert len(pack.request["tools"]) == 60
    assert any("C.cap(3000) is passed by" in note for note in pack.manifest.notes)
    pack = compile(
        session, InjectionOrchestrator((tool_definitions("tool_1"),)).spec, model="gpt-5"
    )
    assert not any("is passed by" in note for note in pack.manifest.notes)
    pinned = compile(asked("word " * 200), C.default() | C.cap(20), model="gpt-5")
    assert any("C.cap(max_tokens=20) is passed by" in note for note in pinned.manifest.notes)


def test_what_a_word_says_twice_is_said_once():
    """A compile may look further back than at first, and ask a word again."""
    session = Session("s")
    for n in range(12):
        session.user(f"question {n}")
        session.call("read", {"n": n}, id=f"c{n}")
        session.result(f"c{n}", f"line {n}\n" * 200)
        session.assistant(f"answer {n}")
    notes = compile(session, C.default() | C.cap(1), model="gpt-5").manifest.notes
    assert notes and len(set(notes)) == len(notes)


def test_a_total_of_all_injectors_is_held_or_refused():
    injectors = (system_role("Be careful."), user_memory(), knowledge())
    assert InjectionOrchestrator(injectors, total=3300).spec
    with pytest.raises(SpecError, match="3,300 tokens and total is 3,000"):
        InjectionOrchestrator(injectors, total=3000)


def test_an_unknown_phase_is_named_with_those_that_are_known():
    with pytest.raises(SpecError, match="expected a phase, got 'usr'"):
        Injector("memory", C.memory(), "usr")


def test_a_state_key_that_is_not_there_is_said():
    spec = InjectionOrchestrator((user_memory(), knowledge())).spec
    notes = compile(asked(memories=["tea"]), spec, model="gpt-5").manifest.notes
    assert "C.memory(top_k=3) finds no memories: the state has no 'knowledge'" in notes
    assert "C.evidence(top_k=3) expects a list under the state's 'evidence': no value" in notes
    spec = InjectionOrchestrator((user_memory(key="memories"),)).spec
    pack = compile(asked(memories=["likes tea"]), spec, model="gpt-5")
    assert "likes tea" in pack.body.decode() and pack.manifest.notes == ()


KINDS = (
    "--- a/x\n+++ b/x\n@@ -1 +1 @@\n- old = 1\n+ new = 1",
    "- old = 1\n+ new = 1",
    "steps:\n- run tests\n- deploy",
    "- name: build\n- name: test",
    "```\n- a\n- b\n```",
    "- call(x)\n- x = 2",
)


@pytest.mark.parametrize("text", KINDS)
def test_diffs_yaml_and_code_keep_their_signs(text):
    session = asked(found=text)
    spec = C.default() + C.from_state("found", format="plain")
    plain = compile(session, spec, model="gpt-5").body
    for seed in range(12):
        varied = C.default() + (C.from_state("found", format="plain") | C.vary(seed))
        assert compile(session, varied, model="gpt-5").body == plain


def test_numbered_lists_separators_and_other_words_of_progress_vary():
    session = asked(
        todo_text="1. read the file\n2. mend the test", state="Status: 2/4 done\nbe quick"
    )
    bodies = [
        compile(
            session,
            C.default() + (C.from_state("todo_text", "state", format="plain") | C.vary(seed)),
            model="gpt-5",
        ).body.decode()
        for seed in range(60)
    ]
    for form in ("1) read", "(1) read", "1. read", "===", "50%"):
        assert any(form in body for body in bodies), form


def test_a_list_that_the_agent_keeps_by_calls_is_recited_as_it_is_by_now():
    session = asked("Port it.")
    for now, secret in enumerate(("pa", "pb", "pc")):
        items = [{"step": f"port {name} for {secret}", "status": "pending"} for name in "abc"]
        items[now]["status"] = "in_progress"
        session.call("update_plan", json.dumps({"plan": items}), id=f"p{now}")
        session.result(f"p{now}", "Plan updated")
        for n in range(6):
            session.call("read", json.dumps({"n": n}), id=f"r{now}{n}")
            session.result(f"r{now}{n}", "x")
    spec = (C.window(steps=4) + C.recite()) | C.redact("pc")
    line = "\nupdate_plan: 0 of 3 done. In progress: port c for [REDACTED]. To do: port a for"
    assert line in sent(session, spec)[-1]["content"]
    assert "update_plan" not in str(sent(session, spec)[:-1])
    session.update({"plan": "Ship it"})
    assert "\nCurrent Goal: Ship it\n" in sent(session, spec)[-1]["content"]
