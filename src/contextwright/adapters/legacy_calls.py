"""Calls of functions as OpenAI had them before tools: beside an answer, without an id; the name is
one here."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

KIND = "legacy_call"
"""Type of such a call among the parts of an answer."""
_FIELD = "function_call"


def id_of(name: str) -> str:
    """The id of a call of a function, and of its result."""
    return f"function:{name}"


def answered_id(result: Any) -> str:
    """The id of the call that a result answers."""
    return getattr(result, "tool_call_id", "") or id_of(result.name)


def calls_of(message: Any, fields: Iterable[str]) -> list[Any]:
    """The calls of a message; where it calls no tool, the one of a function.

    Args:
        fields: that have those of tools.
    """
    calls = [call for field in fields for call in getattr(message, field, ())]
    call = message.additional_kwargs.get(_FIELD)
    if calls or not call:
        return calls
    name, arguments = call["name"], call["arguments"]
    return [{"type": KIND, "id": id_of(name), "name": name, "args": arguments}]


def fields_of(message: Any, calls: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What stands beside an answer, where calls of now may have other arguments: those of tools go,
    as they stand among the calls, and that of a function says what it says now."""
    fields = message.additional_kwargs
    new = {key: fields[key] for key in fields if key not in ("tool_calls", _FIELD)}
    for call in calls:
        if call["type"] == KIND:
            new[_FIELD] = {"name": call["name"], "arguments": call["args"]}
    return new
