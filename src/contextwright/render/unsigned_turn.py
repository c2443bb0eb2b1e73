"""Claude's reasoning where a part of the running turn's is no longer what was signed."""

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any

from contextwright.formats.fields import list_if, object_if
from contextwright.render.draft import RequestDraft
from contextwright.render.source_wires import SourceWire

_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


def without_thinking(request: Any, draft: RequestDraft) -> Any:
    """The request with reasoning off, where the running turn is told of without what was thought in
    it: a signature holds for what was said alone, so that what a spec redacts there can go neither
    changed nor as it was, and with reasoning on Claude wants it in front of the calls that it came
    with ("a final assistant message must start with a thinking block"). The next turn has it again.

    Adaptive reasoning asks for no such block, and stays on.
    """
    if object_if(request.get("thinking")).get("type") != "enabled":
        return request
    if not any(map(_lost_its_thought, _running_turn(request["messages"]))):
        return request
    draft.put("thinking_off", "thinking")
    return {**request, "thinking": {"type": "disabled"}}


def _running_turn(messages: list[Any]) -> Iterator[Any]:
    """Answers behind which there are results alone; none where a user's words come last."""
    turn: Iterable[Any] = takewhile(lambda one: not _asks(one), reversed(messages))
    return (one for one in turn if one["role"] == "assistant")


def _asks(message: Any) -> bool:
    content = message["content"]
    kinds = {object_if(part).get("type") for part in list_if(content)}
    return message["role"] == "user" and "tool_result" not in kinds


def _lost_its_thought(message: Any) -> bool:
    return (
        isinstance(message, SourceWire)
        and message.touched
        and _begins_with_thought(message.source.data)
        and not _begins_with_thought(message)
    )


def _begins_with_thought(message: Any) -> bool:
    first = next(iter(list_if(object_if(message).get("content"))), None)
    return object_if(first).get("type") in _THOUGHTS
