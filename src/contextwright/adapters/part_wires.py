"""The chat message of some parts of a framework's message, and who speaks in it."""

from collections.abc import Iterable, Sequence
from typing import Any

from contextwright.adapters.message_sources import Wire
from contextwright.adapters.part_view import PartView
from contextwright.formats.record_copies import copy_with

_NAMES = ("author_name", "name")
_SPEAKERS = ("user", "assistant")
SILENT = "(no text)"
"""Stands for an answer that has neither text nor calls, such as one that only thinks."""


def wire_of(role: str, shown: Sequence[PartView]) -> Wire:
    """The chat message of what is shown; its text stays one, of several parts it is a list."""
    if role == "assistant":
        return _answer(shown)
    if any(view.stays for view in shown):
        return {"role": role, "content": list(map(_part, shown)), "pinned": True}
    if len(shown) == 1 and shown[0].kind == "text":
        return {"role": role, "content": shown[0].text}
    return {"role": role, "content": list(map(_part, shown)) or SILENT}


def result_wire(view: PartView, content: Any) -> Wire:
    """The chat message of a result."""
    pinned = {"pinned": True} if view.stays else {}
    return {"role": "tool", "tool_call_id": view.id, "content": content, **pinned}


def in_content(role: str, shown: Sequence[PartView]) -> list[PartView]:
    """What of it stands in the content, where that is a list: of an answer no empty text."""
    if role != "assistant":
        return list(shown)
    return [view for view in shown if view.wire or (view.kind == "text" and view.text)]


def _part(view: PartView) -> Wire:
    """A part of a chat message's content."""
    return {"type": "text", "text": view.text} if view.kind == "text" else view.wire


def _answer(views: Sequence[PartView]) -> Wire:
    """The chat message of an answer."""
    content: Any = "\n\n".join(view.text for view in views if view.kind == "text" and view.text)
    if any(view.wire for view in views):
        content = list(map(_part, in_content("assistant", views)))
    calls = [
        {
            "id": view.id,
            "type": "function",
            "function": {"name": view.name, "arguments": view.text},
        }
        for view in views
        if view.kind == "call"
    ]
    if calls:
        return {"role": "assistant", "content": content or None, "tool_calls": calls}
    return {"role": "assistant", "content": content or SILENT}


def named(message: Any, wire: Wire) -> Wire:
    """The chat message of a framework's one, with who speaks."""
    field = _field(message)
    name = getattr(message, field) if field and wire["role"] in _SPEAKERS else None
    return {**wire, "name": name} if isinstance(name, str) and name else wire


def renamed(message: Any, wires: Iterable[Wire]) -> Any:
    """A copy with the name that is left in its chat messages; itself where that is its own."""
    field = _field(message)
    names = [wire["name"] for wire in wires if wire.get("name") and wire["role"] in _SPEAKERS]
    if not (field and names) or names[0] == getattr(message, field):
        return message
    return copy_with(message, {field: names[0]})


def _field(message: Any) -> str:
    """Where it stands: a field, no property of something else."""
    known = {**getattr(message, "__dict__", {}), **getattr(type(message), "model_fields", {})}
    return next((name for name in _NAMES if name in known), "")
