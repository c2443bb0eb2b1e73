"""The chat message of some parts of a framework's message."""

from collections.abc import Sequence
from typing import Any

from contextwright.adapters.message_sources import Wire
from contextwright.adapters.part_view import PartView

SILENT = "(no text)"
"""Stands for an answer that has neither text nor calls, such as one that only thinks."""


def wire_of(role: str, shown: Sequence[PartView]) -> Wire:
    """The chat message of what is shown; its text stays one, of several parts it is a list."""
    if role == "assistant":
        return _answer(shown)
    if len(shown) == 1 and shown[0].kind == "text":
        return {"role": role, "content": shown[0].text}
    return {"role": role, "content": list(map(_part, shown)) or SILENT}


def _part(view: PartView) -> Wire:
    """A part of a chat message's content."""
    return {"type": "text", "text": view.text} if view.kind == "text" else view.wire


def _answer(views: Sequence[PartView]) -> Wire:
    """The chat message of an answer."""
    content: Any = "\n\n".join(view.text for view in views if view.kind == "text" and view.text)
    if any(view.wire for view in views):
        shown = (view for view in views if view.wire or (view.kind == "text" and view.text))
        content = list(map(_part, shown))
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
