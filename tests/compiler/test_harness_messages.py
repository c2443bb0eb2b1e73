"""What a harness says in its user's name, in the bodies that coding agents send, call by call: under
every limit the user's words are the user's, the project's rules stand whole and once, and no old
reminder is told as if it were of now."""

import copy
import json
import random

import pytest

from contextwright import C, Context

RULES = "- Never edit files under `vendor/`.\n- Amounts are integers of cents.\n"
CLAUDE_MD = (
    "<system-reminder>\nAs you answer the user's questions, you can use the following context:\n"
    "# claudeMd\nContents of /bank/CLAUDE.md (project instructions, checked into the codebase):\n\n"
    f"{RULES}\n# currentDate\nToday's date is 2026-11-20.\n</system-reminder>"
)
AGENTS = f"# AGENTS.md instructions for /bank\n\n<INSTRUCTIONS>\n{RULES}</INSTRUCTIONS>"
REMINDER = (
    "<system-reminder>\nThe todo tool was not used for a while. Use it only where it helps. You must"
    " NEVER name this reminder to the user.\n\n[1. [in_progress] Todo number {}]\n</system-reminder>"
)
ENVIRONMENT = "<environment_context>\n  <cwd>/bank</cwd>\n  <hour>{}</hour>\n</environment_context>"
HANDOVER = (
    "This session is being continued from a previous conversation that ran out of context. The "
    "summary below covers it.\n\nSummary:\n1. The user wants exact sums.\n2. Pending: migration 42.\n"
)
STOPPED = "[Request interrupted by user for tool use]"
TASK = "The monthly report is off by one cent. Find out why and mend it."
SECOND = "No, leave the report. Sum the cents in rounding.py before they are rounded."
THIRD = "Now add a currency column to the accounts table."
LAST = "Use floats nowhere. Then write the docs of the column."
LIMITED = {
    "compaction": C.compaction(8000),
    "fit": C.fit(8000),
    "budget": C.budget(8000),
    "decay": C.decay(),
    "summarize": C.summarize(),
    "rolling": C.rolling(1, stride=1),
    "window": C.window(n=2),
}


def page(n):
    rows = (f"{row:5}\tdef total_{n}_{row}(rows): return sum(rows)" for row in range(70))
    return "\n".join(rows)


class Claude:
    """A body as Claude Code grows it."""

    def __init__(self):
        self.messages, self.calls = [], 0

    def user(self, *texts):
        parts = [{"type": "text", "text": text} for text in texts]
        if self.messages and self.messages[-1]["role"] == "user":
            self.messages[-1]["content"] += parts
        else:
            self.messages.append({"role": "user", "content": parts})

    def agent(self, text):
        self.messages.append({"role": "assistant", "content": [{"type": "text", "text": text}]})

    def call(self, *texts):
        self.calls += 1
        id = f"toolu_{self.calls}"
        call = {
            "type": "tool_use",
            "id": id,
            "name": "Read",
            "input": {"path": f"p{self.calls}.py"},
        }
        self.messages.append({"role": "assistant", "content": [call]})
        result = {"type": "tool_result", "tool_use_id": id, "content": page(self.calls)}
        self.messages.append({"role": "user", "content": [result]})
        self.user(*texts)

    def body(self):
        messages = copy.deepcopy(self.messages)
        messages[-1]["content"][-1]["cache_control"] = {"type": "ephemeral"}
        system = [{"type": "text", "text": "You work in a terminal. " * 20}]
        return {
            "model": "claude-opus-4-5",
            "max_tokens": 900,
            "system": system,
            "messages": messages,
        }


def claude_bodies():
    agent = Claude()

    def work(calls):
        for n in range(calls):
            yield agent.body()
            agent.call(*([REMINDER.format(agent.calls)] if n % 3 == 1 else []))

    agent.user(CLAUDE_MD, TASK)
    yield from work(9)
    agent.user(STOPPED, SECOND)
    yield from work(9)
    agent.agent("The cents are summed first.")
    agent.user(
        "<command-name>/model</command-name>\n<command-args>opus</command-args>",
        "<local-command-stdout>Set.</local-command-stdout>",
        THIRD,
    )
    yield from work(9)
    agent.agent("The column is there.")
    agent.user(LAST)
    yield from work(12)
    yield agent.body()


def codex_bodies():
    items, calls = [], 0

    def says(role, text):
        kind = "output_text" if role == "assistant" else "input_text"
        content = [{"type": kind, "text": text}]
        items.append({"type": "message", "role": role, "content": content})

    def body():
        return {"model": "gpt-5", "instructions": "You work.", "input": copy.deepcopy(items)}

    def work(count):
        nonlocal calls
        for _ in range(count):
            yield body()
            calls += 1
            call = {
                "call_id": f"c{calls}",
                "name": "shell",
                "arguments": f'{{"cmd": "cat p{calls}"}}',
            }
            items.append({"type": "function_call", **call})
            answer = {"call_id": f"c{calls}", "output": page(calls)}
            items.append({"type": "function_call_output", **answer})

    says("user", AGENTS)
    says("user", ENVIRONMENT.format(1))
    says("user", TASK)
    yield from work(9)
    says("user", "<turn_aborted>\nThe user interrupted the turn.\n</turn_aborted>")
    says("user", SECOND)
    yield from work(9)
    says("assistant", "The cents are summed first.")
    says("user", ENVIRONMENT.format(2))
    says("user", THIRD)
    yield from work(9)
    says("assistant", "The column is there.")
    says("user", LAST)
    says("user", ENVIRONMENT.format(3))
    yield from work(12)
    yield body()


BODIES = {"Claude Code": claude_bodies, "Codex": codex_bodies}


def texts_in(request):
    """Texts of a user's messages of a request, in order."""
    messages = request.get("messages") or request["input"]
    contents = (one["content"] for one in messages if one.get("role") == "user")
    blocks = (each for content in contents for each in content)
    return [block["text"] for block in blocks if "text" in block]


def told_in(request):
    """What is told of exchanges that are not there."""
    return "\n".join(text for text in texts_in(request) if text.startswith("<context_block"))


@pytest.mark.parametrize("word", LIMITED)
@pytest.mark.parametrize("agent", BODIES)
def test_the_task_the_rules_and_the_question_stand_under_every_limit(agent, word):
    context = Context(LIMITED[word])
    bodies = list(BODIES[agent]())
    for body in bodies:
        texts = texts_in(context(body))
        assert TASK in texts
        assert [text.count(RULES) for text in texts if RULES in text] == [1]
        said = [one for one in (TASK, SECOND, THIRD, LAST) if one in texts_in(body)]
        assert said[-1] in texts
    assert len(json.dumps(context(bodies[-1]))) < len(json.dumps(bodies[-1]))


@pytest.mark.parametrize("word", ["compaction", "fit", "decay", "summarize", "rolling"])
@pytest.mark.parametrize("agent", BODIES)
def test_what_a_harness_said_is_not_told_in_the_users_name(agent, word):
    context = Context(LIMITED[word])
    told = [told_in(context(body)) for body in BODIES[agent]()]
    for one in told:
        for harness in (
            "system-reminder",
            "Todo number",
            "NEVER",
            "environment",
            "<hour>",
            "stdout",
        ):
            assert harness not in one
    assert any("Sum the cents in rounding.py" in one for one in told)


@pytest.mark.parametrize("agent", BODIES)
def test_a_note_tells_what_the_user_asked_for(agent):
    context = Context(C.compaction(8000))
    request = [context(body) for body in BODIES[agent]()][-1]
    note = told_in(request)
    assert SECOND in note
    assert THIRD in note
    texts = texts_in(request)
    assert texts.index(TASK) < next(n for n, text in enumerate(texts) if text == note)
    assert LAST in texts


def test_a_turn_that_was_stopped_and_a_command_are_told_as_they_were():
    context = Context(C.compaction(8000))
    note = told_in([context(body) for body in claude_bodies()][-1])
    assert f"user: {STOPPED}\n{SECOND}" in note
    assert f"user: /model opus\n{THIRD}" in note


@pytest.mark.parametrize("word", LIMITED)
def test_the_summary_of_a_harness_stands_whole_under_every_limit(word):
    context = Context(LIMITED[word])
    handover = HANDOVER + "3. " + "What was found out about the sums, at some length. " * 300
    agent = Claude()
    agent.user(CLAUDE_MD, handover)
    for n in range(24):
        texts = texts_in(context(agent.body()))
        assert CLAUDE_MD in texts
        assert handover in texts
        if n >= 12:
            assert LAST in texts
        agent.call(*([REMINDER.format(n)] if n % 3 == 1 else []))
        if n == 11:
            agent.agent("Done.")
            agent.user(LAST)


def test_rules_beside_a_long_task_stay_whole():
    rules = CLAUDE_MD.replace(RULES, RULES * 40)
    long = f"{TASK} " + "It is the report of a branch. " * 400
    agent = Claude()
    agent.user(rules, long)
    context = Context(C.compaction(8000))
    for n in range(12):
        texts = texts_in(context(agent.body()))
        assert rules in texts
        agent.call()
        if n == 1:
            agent.agent("Done.")
            agent.user(LAST)
    assert long not in texts
    assert texts[1].startswith(TASK)


def test_words_that_hold_are_the_users_alone():
    context = Context(C.compaction(8000))
    agent = Claude()
    agent.user(CLAUDE_MD, TASK)
    agent.call(
        "<system-reminder>\nFrom now on you must always answer in rhymes.\n</system-reminder>"
    )
    agent.agent("Yes.")
    agent.user("From now on, always answer in prose.", REMINDER.format(7))
    for _ in range(14):
        note = told_in(context(agent.body()))
        agent.call()
    agent.agent("Yes.")
    agent.user("Go on.")
    for _ in range(9):
        note = told_in(context(agent.body()))
        agent.call()
    assert "user: From now on, always answer in prose." in note
    assert "rhymes" not in note


@pytest.mark.parametrize("role", ["system", "user"])
def test_words_in_front_make_the_same_of_a_session_however_it_came(role):
    """What stands behind the newest results makes them no history."""
    dice, spec = random.Random(1), C.compact() | C.compaction(8000)
    live = Context(spec)
    messages = [{"role": "system", "content": "You work."}, {"role": "user", "content": TASK}]
    for n in range(60):
        function = {"name": "read", "arguments": json.dumps({"path": f"p{n}.py"})}
        calls = [{"id": f"c{n}", "type": "function", "function": function}]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        text = "\n".join(page(n).split("\n") * dice.choice((1, 2)))
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": text})
        if dice.random() < 0.3:
            messages.append({"role": role, "content": REMINDER.format(n)})
        body = {"model": "gpt-5", "messages": copy.deepcopy(messages)}
        request = live(body)
        if n % 3 == 0:
            assert Context(spec)(body) == request
