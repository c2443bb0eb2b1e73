"""A caller's cache breakpoints that move from call to call: those of the newest list, and no others."""

import copy

import pytest

from contextwright import C, Context
from contextwright.formats.moving_breakpoints import (
    breakpoints_in,
    with_breakpoints_of,
    without_breakpoints,
)
from contextwright.testing import assert_valid

MARK = {"cache_control": {"type": "ephemeral"}}
BODY = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 500,
    "system": [{"type": "text", "text": "Be brief.", **MARK}],
    "tools": [
        {"name": "read", "description": "Reads.", "input_schema": {"type": "object"}, **MARK}
    ],
}
SPECS = (
    C.default() | C.compact() | C.budget(3000), C.window(3), C.default() | C.budget(1500),
    C.compaction(2000), C.window(n=3) | C.compact(), C.default() | C.fit(2500), C.default(),
)  # fmt: skip


def calls():
    """Messages call by call: the newest is marked, and those before no longer are."""
    messages = []
    for turn in range(6):
        for step in range(3):
            new = {"role": "user", "content": [{"type": "text", "text": f"Question {turn}. " * 9}]}
            if step:
                result = {"type": "tool_result", "tool_use_id": f"t{turn}{step}"}
                lines = "\n".join(f"line {n} of {turn}, {step}: all is well" for n in range(60))
                new = {"role": "user", "content": [{**result, "content": lines}]}
            marked = copy.deepcopy(new)
            marked["content"][-1].update(MARK)
            yield [*copy.deepcopy(messages), marked]
            messages.append(new)
            call = {"type": "tool_use", "id": f"t{turn}{step + 1}", "name": "read"}
            said = [{**call, "input": {"cache_control": "no"}}] if step < 2 else "Done."
            messages.append({"role": "assistant", "content": said})


def marked(body):
    parts = [*body["system"], *body["tools"]]
    for message in body["messages"]:
        parts += message["content"] if isinstance(message["content"], list) else []
    return [part for part in parts if "cache_control" in part]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_no_breakpoint_of_an_earlier_call_comes_back(spec):
    context = Context(spec)
    for messages in calls():
        body = context({**BODY, "messages": messages})
        assert len(marked(body)) <= 4
        assert len(marked(context.pack.request)) <= 4
        assert "cache_control" in context.pack.request["system"][-1]
        assert_valid(context.pack)
        newest = body["messages"][-1]["content"]
        assert "cache_control" in newest[-1]
        calls_made = [p for m in body["messages"] for p in m["content"] if isinstance(p, dict)]
        assert all(p["input"] == {"cache_control": "no"} for p in calls_made if "input" in p)


def test_marks_are_told_from_what_calls_say():
    call = {"type": "tool_use", "id": "1", "name": "get", "input": {"cache_control": "no"}, **MARK}
    inner = [{"type": "text", "text": "It is.", **MARK}]
    result = {"type": "tool_result", "tool_use_id": "1", "content": inner}
    message = {"role": "user", "content": [call, result]}
    bare = without_breakpoints(message)
    assert bare["content"][0]["input"] == {"cache_control": "no"}
    assert "cache_control" not in bare["content"][0]
    assert "cache_control" not in bare["content"][1]["content"][0]
    assert without_breakpoints(bare) is bare
    assert with_breakpoints_of(bare, breakpoints_in(message))["content"][0] == call
