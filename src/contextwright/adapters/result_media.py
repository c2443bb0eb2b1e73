"""Pictures and files in tools' results, as a chat message shows them: they are sent, so they count,
and words that take older pictures out find them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from contextwright.adapters.message_sources import Wire, plain_text
from contextwright.adapters.part_view import PartView


class LeftResult(NamedTuple):
    """What is left of a result.

    Args:
        text: of now.
        changed: what stands for pictures and files that are not as they were, by their number.
    """

    text: str
    changed: Mapping[int, Wire] = {}


def content_of(text: str, media: Sequence[PartView]) -> Any:
    """The content of a chat message for a result with these pictures and files."""
    if not media:
        return text
    return [*([{"type": "text", "text": text}] if text else []), *(view.wire for view in media)]


def left_of(wire: Wire, text: str, media: Sequence[PartView]) -> LeftResult:
    """What a chat message of now leaves of a result.

    Args:
        text, media: of the result as it was.
    """
    content = wire.get("content")
    if not media:
        return LeftResult(plain_text(content))
    parts: list[Wire] = content if isinstance(content, list) else []
    first = 1 if text else 0
    if len(parts) == first + len(media):
        pairs = enumerate(zip(parts[first:], media, strict=True))
        changed = {n: now for n, (now, view) in pairs if now != view.wire}
        return LeftResult(plain_text(parts[:first]), changed)
    # the whole result was told in other words
    lost = {n: _left_out(view) for n, view in enumerate(media) if view.wire not in parts}
    return LeftResult(plain_text(content), lost)


def _left_out(view: PartView) -> Wire:
    kind = "picture" if view.is_picture else "file"
    return {"type": "text", "text": f"[{kind} left out]"}
