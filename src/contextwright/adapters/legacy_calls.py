"""What stands beside the content of an answer of OpenAI's, as LangChain has it: calls of functions
before there were tools, without an id, where the name is one; and what the provider's own tools
did, a thought and a refusal, as `output_version="v0"` stores them. It is sent, so it is shown as
blocks of the content are."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

KIND = "legacy_call"
"""Type of such a call among the parts of an answer."""
_FIELD = "function_call"
_BLOCKS, _REASONING, _REFUSAL = "tool_outputs", "reasoning", "refusal"
_MARK = "beside_content"
"""Of a block that stands there, among those of the content."""


def id_of(name: str) -> str:
    """The id of a call of a function, and of its result."""
    return f"function:{name}"


def answered_id(result: Any) -> str:
    """The id of the call that a result answers."""
    return getattr(result, "tool_call_id", "") or id_of(result.name)


def parts_beside(message: Any, fields: Iterable[str]) -> list[Any]:
    """The blocks beside the content of a message, and its calls; where it calls no tool, the one of
    a function.

    Args:
        fields: that have the calls of tools.
    """
    blocks = _blocks(message.additional_kwargs)
    calls = [call for field in fields for call in getattr(message, field, ())]
    call = message.additional_kwargs.get(_FIELD)
    if calls or not call:
        return [*blocks, *calls]
    name, arguments = call["name"], call["arguments"]
    return [*blocks, {"type": KIND, "id": id_of(name), "name": name, "args": arguments}]


def _blocks(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    reasoning, refusal = fields.get(_REASONING), fields.get(_REFUSAL)
    blocks = [{**reasoning, "type": _REASONING}] if isinstance(reasoning, dict) else []
    blocks += fields.get(_BLOCKS) or []
    blocks += [{"type": _REFUSAL, _REFUSAL: refusal}] if isinstance(refusal, str) else []
    return [{**block, _MARK: True} for block in blocks]


def is_beside(part: Any) -> bool:
    """Whether a part is such a block."""
    return isinstance(part, dict) and _MARK in part


def fields_of(message: Any, parts: Sequence[Any]) -> dict[str, Any]:
    """What stands beside an answer, whose parts of now may say something else: calls of tools go,
    as they stand among the parts, and that of a function and the blocks are as they are now."""
    fields = message.additional_kwargs
    new = {key: fields[key] for key in fields if key not in ("tool_calls", _FIELD, _BLOCKS)}
    blocks = [{key: part[key] for key in part if key != _MARK} for part in parts if is_beside(part)]
    left = {block.get("type"): block for block in blocks}
    if isinstance(fields.get(_REASONING), dict):
        thought = left.get(_REASONING, {})
        new[_REASONING] = {key: thought[key] for key in thought if key in fields[_REASONING]}
    if isinstance(fields.get(_REFUSAL), str):
        new[_REFUSAL] = left.get(_REFUSAL, {}).get(_REFUSAL)
    new[_BLOCKS] = [block for block in blocks if block.get("type") not in (_REASONING, _REFUSAL)]
    for part in parts:
        if isinstance(part, dict) and part.get("type") == KIND:
            new[_FIELD] = {"name": part["name"], "arguments": part["args"]}
    return {key: value for key, value in new.items() if value or fields.get(key) == value}
