"""What was asked for, and ended long after: it is told with its end, or not at all."""

import json

import pytest

from contextwright import C, Engine, Session
from contextwright.blocks.block import Block, Message
from contextwright.compiler.steps.late_ends import LateEnds
from contextwright.session.event import Text, ToolCall, ToolResult

TASKS = (
    ("Please migrate table {0}.", "Started on {0}.", "assistant", "{0} is finished."),
    ("Task: {0} needs a new index.", "Will do.", "assistant", "{0} has its index: done."),
    ("TODO: clean up {0}.", "Added {0} to my list.", "user", "Cancel {0}, we don't need it."),
    ("I need {0} refactored.", "Noted.", "assistant", "I refactored {0}."),
    ("Could you look into {0}?", "Looking into {0} now.", "user", "{0} is off, forget it."),
)
"""What a user asks for, what is answered, and who says later on that it is over."""
SPECS = [
    C.compaction(4000),
    C.default() | C.fit(4000),
    C.summarize() | C.budget(4000),
    C.rolling(5) | C.budget(4000),
    C.default() | C.decay() | C.budget(4000),
]


def read_files(session, engine, first, count):
    for n in range(first, first + count):
        session.user(f"Read file {n}.")
        session.call("read", {"path": f"dir/f{n}.py"}, id=f"c{n}")
        session.result(f"c{n}", f"line {n} holds value v{n * 7919} " * 20)
        session.assistant(f"File {n} holds v{n * 7919}.")
        if n % 10 == 0:
            engine.compile(session)


def sent(spec, ends):
    """What is sent at the end of a session with all tasks, ended in its second half or never."""
    engine, session = Engine(spec, "gpt-5"), Session("s")
    session.user("Work through what comes.")
    for n, (request, answer, _, _) in enumerate(TASKS):
        session.user(request.format(f"job{n}x"))
        session.assistant(answer.format(f"job{n}x"))
        read_files(session, engine, 10 * n, 3)
    read_files(session, engine, 100, 30)
    for n, (_, _, role, end) in enumerate(TASKS if ends else ()):
        session.add(role, end.format(f"job{n}x"))
        if role == "user":
            session.assistant("OK.")
        read_files(session, engine, 200 + 10 * n, 3)
    read_files(session, engine, 300, 30)
    return "\n".join(str(one.get("content")) for one in engine.compile(session).request["messages"])


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_what_ended_late_is_not_shown_as_open(spec):
    text = sent(spec, ends=True)
    for n, (request, answer, _, end) in enumerate(TASKS):
        name = f"job{n}x"
        began = [one.format(name) for one in (request, answer) if "{" in one]
        is_open = any(one in text for one in began) and end.format(name) not in text
        assert not is_open, name


def test_what_did_not_end_is_told_as_ever():
    text = sent(C.compaction(4000), ends=False)
    assert sum(request.format(f"job{n}x") in text for n, (request, *_) in enumerate(TASKS)) >= 3


def test_what_a_tool_says_of_a_task_does_not_depend_on_what_was_asked_for_before():
    """A name of many results is that of a project, say: of those in which its task may be told."""
    blocks = []
    for n in range(120):
        call = ToolCall(id=f"c{n}", name="get_job", arguments=json.dumps({"key": "PAR-7"}))
        answer = ToolResult(call_id=call.id, content=(Text(text="open"),))
        messages = Message("assistant", (call,)), Message("tool", (answer,))
        blocks.append(Block(id=f"e{n}", source="log", messages=messages, order=n))
    ends = LateEnds()
    asked = [ends.last_status_of(blocks, "Work on PAR-7.", at, 120) for at in (100, 20, 100)]
    assert asked == [119, None, 119]
