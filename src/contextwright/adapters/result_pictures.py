"""Pictures in tools' results, as a chat message shows them: they are sent, so they count, and words
that take older ones out find them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from contextwright.adapters.message_sources import Wire, plain_text
from contextwright.adapters.part_view import PartView

_LEFT_OUT = "[picture left out]"
"""What stands for a picture where the whole result was told in other words."""


class LeftResult(NamedTuple):
    """What is left of a result.

    Args:
        text: of now.
        notes: what stands for pictures that are not sent, by their number.
    """

    text: str
    notes: Mapping[int, str] = {}


def is_picture(view: PartView) -> bool:
    """Whether it is a picture's bytes. What has an address shows it beside the messages, where a
    redaction finds it."""
    image = view.wire.get("image_url") or {}
    return view.kind == "media" and str(image.get("url")).startswith("data:")


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
        now = parts[first:]
        notes = {n: part["text"] for n, part in enumerate(now) if part["type"] == "text"}
        return LeftResult(plain_text(parts[:first]), notes)
    lost = [n for n, picture in enumerate(pictures) if picture not in parts]
    return LeftResult(plain_text(content), dict.fromkeys(lost, _LEFT_OUT))
