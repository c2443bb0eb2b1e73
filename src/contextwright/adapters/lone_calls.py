"""Calls of OpenAI's that stand among the blocks of an answer alone, and blocks of a user's message
that answer them: of a computer, of a patch, of a search for tools that the caller runs, and what
waits for an approval."""

import json
from collections.abc import Mapping
from typing import Any

from contextwright.adapters.hosted_approvals import is_approval
from contextwright.adapters.opaque_parts import like, text_of
from contextwright.adapters.part_view import PartView

Block = Mapping[str, Any]
_REQUEST, _APPROVAL = "mcp_approval_request", "mcp_approval_response"
_PATCH, _PATCHED = "apply_patch_call", "apply_patch_call_output"
_SEARCH, _TOOLS = "tool_search_call", "tool_search_output"
_ARGUMENTS = {
    "computer_call": "action",
    _PATCH: "operation",
    _SEARCH: "arguments",
    _REQUEST: "arguments",
}
"""Types of calls, and what each is called with."""
_ANSWERED = {_APPROVAL: "approval_request_id", _PATCHED: "call_id", _TOOLS: "call_id"}
"""Types of what answers one, and where the call is named."""
_LINKS = frozenset({"type", "id", "call_id", "approval_request_id"})


def lone_view(block: Block) -> PartView | None:
    """What a block is: a call, or what answers one; None of any other. What a search found is what
    the model may call from there on: it is pinned."""
    kind = block.get("type")
    if kind in (_SEARCH, _TOOLS) and block.get("execution") != "client":
        return None  # the provider runs it
    if kind in _ARGUMENTS:
        id = block.get("id" if kind == _REQUEST else "call_id")
        return PartView.call(id, block.get("name") or kind, block.get(_ARGUMENTS[kind]))
    if kind not in _ANSWERED:
        return None
    id = block.get(_ANSWERED[kind]) or ""
    return PartView("result", _text(block), id, stays=kind == _TOOLS)


def lone_with(block: Block, text: str) -> dict[str, Any] | None:
    """A copy of a call with other arguments, or of what answers one with another text; None of any
    other block."""
    kind = block.get("type")
    if field := _ARGUMENTS.get(kind or ""):
        return {**block, field: text if isinstance(block.get(field), str) else json.loads(text)}
    if kind == _PATCHED:
        return {**block, "output": text}
    if kind not in _ANSWERED:
        return None
    fields = like({}, text)
    otherwise = {"tools": []} if kind == _TOOLS else {"reason": text}
    return {**block, **(fields if isinstance(fields, dict) else otherwise)}


def refusal_of(id: str, tool: str, text: str) -> list[Any]:
    """The content that answers a call that nobody answered; empty where its kind has no answer of
    its own.

    Args:
        id, tool: of the call, as its view has them.
    """
    if is_approval(id):
        return [{"type": _APPROVAL, "approval_request_id": id, "approve": False, "reason": text}]
    if tool == _PATCH:
        return [{"type": _PATCHED, "call_id": id, "status": "failed", "output": text}]
    if tool == _SEARCH:
        named = {"type": _TOOLS, "call_id": id, "execution": "client"}
        return [{**named, "status": "incomplete", "tools": []}]
    return []


def _text(block: Block) -> str:
    if block.get("type") == _PATCHED:
        return block.get("output") or str(block.get("status"))
    return text_of({key: block[key] for key in block if key not in _LINKS})
