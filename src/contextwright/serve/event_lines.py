"""Server-sent events, split at their ends and put together again."""

from collections.abc import Iterator
from typing import Any

import msgspec

from contextwright.formats.fields import Json


class EventLines:
    """Splits the bytes of a stream into whole events, however they arrive."""

    def __init__(self) -> None:
        self._pending = b""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The events that are whole by now, each with the empty line that ends it."""
        self._pending += chunk
        while True:
            ends = [
                (at, len(end))
                for end in (b"\n\n", b"\r\n\r\n")
                if (at := self._pending.find(end)) >= 0
            ]
            if not ends:
                return
            at, size = min(ends)
            event, self._pending = self._pending[: at + size], self._pending[at + size :]
            yield event

    def rest(self) -> bytes:
        """What came behind the last whole event."""
        rest, self._pending = self._pending, b""
        return rest


def event_data(event: bytes) -> Json | None:
    """The JSON object of an event; None where it has none."""
    lines = [line[5:].strip() for line in event.splitlines() if line.startswith(b"data:")]
    try:
        data: Any = msgspec.json.decode(b"\n".join(lines))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def event_of(data: Json, *, named: bool) -> bytes:
    """An event of a JSON object.

    Args:
        named: whether the provider names events by their `type`.
    """
    name = f"event: {data['type']}\n".encode() if named else b""
    return name + b"data: " + msgspec.json.encode(data) + b"\n\n"
