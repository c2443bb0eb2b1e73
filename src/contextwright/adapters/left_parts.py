"""What a chat message leaves of the parts of a framework's message that it stands for."""

from collections.abc import Iterator, Sequence
from typing import Any

from contextwright.adapters.message_mapping import Wire
from contextwright.adapters.opaque_parts import KIND
from contextwright.adapters.ordered_pairs import in_order
from contextwright.adapters.part_view import PartView
from contextwright.adapters.part_wires import in_content, wire_of

SHOWN = ("text", "media", "call", "own")
"""Kinds of parts that a chat message shows, beside results."""


class LeftParts:
    """What became of the texts, calls and pictures of a message, which are asked for in their
    order.

    Args:
        wire: the chat message as it is now; None where it is gone.
        before: what it showed.
    """

    def __init__(self, wire: Wire | None, before: Sequence[PartView]) -> None:
        content: Any = None if wire is None else wire.get("content")
        self._is_gone = wire is None
        self._same = wire is not None and content == wire_of(wire["role"], before)["content"]
        self._arguments = iter(_arguments((wire or {}).get("tool_calls") or (), before))
        parts: list[Wire] = content if isinstance(content, list) else []
        own = in_content(wire["role"], before) if wire is not None else []
        # part by part, where none was added and none left out
        self._pairs = {id(view): part for view, part in zip(own, parts, strict=False)}
        if len(own) != len(parts):
            self._pairs = {}
        self._media = [part for part in parts if part["type"] != "text"]
        self._own = _paired(before, [part for part in parts if part["type"] == KIND])
        texts = [view for view in before if view.kind == "text"]
        new: list[str] = [part["text"] for part in parts if part["type"] == "text"]
        if not new and isinstance(content, str):
            new = [content]
        if len(new) != len(texts):
            new = ["\n".join(new)] if texts and new else []
        self._new = iter(new)

    def shown(self, view: PartView) -> Wire | None:
        """What stands for a picture, a file or a part of the framework's own now; None where it is
        gone."""
        new = next(self._own, None) if view.kind == "own" else None
        if self._same or id(view) in self._pairs:
            return view.wire if self._same else self._pairs[id(view)]
        if view.kind == "own":
            return new
        return view.wire if view.wire in self._media else None

    def text(self, view: PartView) -> str | None:
        """The text of now, or the arguments of a call; None where it is gone."""
        if view.kind == "call":
            return next(self._arguments)
        if view.kind not in SHOWN:
            return None if self._is_gone else view.text
        if self._same:
            return view.text
        if self._pairs:
            return self._pairs[id(view)].get("text") if id(view) in self._pairs else view.text
        return next(self._new, None)


def _arguments(calls: Sequence[Wire], before: Sequence[PartView]) -> list[str | None]:
    """Of each call that there was, its arguments of now; None where it is gone. Two may have one
    id."""
    ids = [view.id for view in before if view.kind == "call"]
    pairs = [(n, n) for n in range(len(ids))]
    if len(calls) != len(ids):
        pairs = in_order([("", call["id"]) for call in calls], [("", id) for id in ids])
    now = {other: calls[one]["function"]["arguments"] for one, other in pairs}
    return [now.get(place) for place in range(len(ids))]


def _paired(before: Sequence[PartView], now: Sequence[Wire]) -> Iterator[Wire | None]:
    """What became of each part of the framework's own; of those that are fewer, what is as it
    was."""
    own = [view.wire for view in before if view.kind == "own"]
    if len(own) == len(now):
        return iter(now)
    return iter([wire if wire in now else None for wire in own])
