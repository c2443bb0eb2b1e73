"""The chat messages of a framework's messages. What a tool said, and the framework has as a user's
message behind the tool's result, is shown in the content of the result: as a message of its own it
would be a user who speaks, and every such call a turn."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from contextwright.adapters.message_sources import Wire, plain_text


class Origin(NamedTuple):
    """Where a chat message, or a piece of one, is from.

    Args:
        place: of the framework's message; -1 where it is none of the framework's.
        number: among its chat messages.
        wire: what of a chat message is of it.
    """

    place: int
    number: int
    wire: Wire


class MessageOrigins:
    """The chat messages of a framework's messages, and which of these each is from.

    Args:
        front: those that stand in front of all of them.

    Attributes:
        wires: all of them.
    """

    def __init__(self, front: Sequence[Wire]) -> None:
        self.wires = list(front)
        self._origins = [[Origin(-1, 0, wire)] for wire in front]

    def show(self, place: int, shown: Sequence[Wire], *, is_of_tool: bool) -> None:
        """Add the chat messages of the framework's message at a place.

        Args:
            is_of_tool: whether what it says as a user's is added to the result in front.
        """
        for number, wire in enumerate(shown):
            is_added = is_of_tool and wire["role"] == "user"
            at = self._result(place) if is_added else None
            if at is None:
                self.wires.append(wire)
                self._origins.append([Origin(place, number, wire)])
            else:
                content = [*_parts(self.wires[at]), *_parts(wire)]
                self.wires[at] = {**self.wires[at], "content": content}
                self._origins[at].append(Origin(place, number, wire))

    def groups(
        self, compiled: Sequence[Wire], sources: Sequence[int | None]
    ) -> list[tuple[int, dict[int, Wire]]]:
        """What is left of the framework's messages: each one's place, and its chat messages by
        their number. An added one is of -1.

        Args:
            sources: of each of the compiled chat messages, which one it was.
        """
        groups: list[tuple[int, dict[int, Wire]]] = []
        for wire, source in zip(compiled, sources, strict=True):
            for place, number, left in self._pieces(wire, source):
                if place >= 0 and groups and groups[-1][0] == place:
                    groups[-1][1][number] = left
                else:
                    groups.append((place, {number: left}))
        return groups

    def _result(self, place: int) -> int | None:
        """Which chat message is the result that something of a framework's message is added to: the
        last of all, or the last one of that message."""
        for at in reversed(range(len(self.wires))):
            if self.wires[at]["role"] == "tool":
                return at
            if self._origins[at][0].place != place:
                return None
        return None

    def _pieces(self, wire: Wire, source: int | None) -> list[Origin]:
        if source is None:
            return [Origin(-1, 0, wire)]
        own = self._origins[source]
        left = _taken_apart(wire, self.wires[source], [origin.wire for origin in own])
        pairs = zip(own, left, strict=True)
        return [origin._replace(wire=now) for origin, now in pairs if now is not None]


def _taken_apart(now: Wire, before: Wire, own: Sequence[Wire]) -> list[Wire | None]:
    """What a chat message of now leaves of what it was made of; None of what is gone.

    Args:
        before: as it was made.
        own: of what: the result and what was added to it.
    """
    if now is before or len(own) == 1:
        return list(own) if now is before else [now]
    parts, sizes = _parts(now), [len(_parts(wire)) for wire in own]
    if len(parts) != sum(sizes):
        return _reworded(now, parts, own)
    left: list[Wire | None] = []
    for wire, size in zip(own, sizes, strict=True):
        left.append(_with_parts(wire, parts[:size]))
        parts = parts[size:]
    return left


def _reworded(now: Wire, parts: Sequence[Wire], own: Sequence[Wire]) -> list[Wire | None]:
    """The same where all that was words is told in other words: these stand in the result, and of
    what was added what is no text stays, as long as it is there."""
    text = plain_text(now.get("content"))
    words: list[Wire] = [{"type": "text", "text": text}] if text else []
    left: list[Wire | None] = []
    for wire in own:
        others = [part for part in _parts(wire) if part["type"] != "text" and part in parts]
        content = [*words, *others]
        left.append({**wire, "content": content} if content or not left else None)
        words = []
    return left


def _with_parts(wire: Wire, parts: list[Wire]) -> Wire:
    """A chat message with other parts of its content; itself where they are the same."""
    if parts == _parts(wire):
        return wire
    is_text = isinstance(wire["content"], str) and parts[0]["type"] == "text"
    return {**wire, "content": parts[0]["text"] if is_text else parts}


def _parts(wire: Wire) -> list[Any]:
    content = wire.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content or ())
