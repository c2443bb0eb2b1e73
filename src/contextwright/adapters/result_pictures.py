"""Pictures in tools' results, as a chat message shows them: they are sent, so they count, and words
that take older ones out find them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from contextwright.adapters.message_sources import Wire, plain_text

_LEFT_OUT = {"type": "text", "text": "[picture left out]"}
"""What stands for a picture where the whole result was told in other words."""


class LeftResult(NamedTuple):
    """What is left of a result.

    Args:
        text: of now.
        changed: what stands for pictures that are not as they were, by their number.
    """

    text: str
    changed: Mapping[int, Wire] = {}


def content_of(text: str, pictures: Sequence[Wire]) -> Any:
    """The content of a chat message for a result with so many pictures."""
    if not pictures:
        return text
    return [*([{"type": "text", "text": text}] if text else []), *pictures]


def left_of(wire: Wire, text: str, pictures: Sequence[Wire]) -> LeftResult:
    """What a chat message of now leaves of a result.

    Args:
        text, pictures: of the result as it was.
    """
    content = wire.get("content")
    if not pictures:
        return LeftResult(plain_text(content))
    parts: list[Wire] = content if isinstance(content, list) else []
    first = 1 if text else 0
    if len(parts) == first + len(pictures):
        pairs = enumerate(zip(parts[first:], pictures, strict=True))
        changed = {n: now for n, (now, was) in pairs if now != was}
        return LeftResult(plain_text(parts[:first]), changed)
    lost = [n for n, picture in enumerate(pictures) if picture not in parts]
    return LeftResult(plain_text(content), dict.fromkeys(lost, _LEFT_OUT))
