"""Texts of a page, each once: what was shortened as edits over its original."""

from collections.abc import Callable
from typing import Any

import msgspec

from contextwright.inspect.alignment import Aligned
from contextwright.inspect.text_spans import text_spans

ROLES = ("system", "user", "assistant", "tool")
KINDS = ("text", "call", "result", "thinking", "media", "other")


class TextTable:
    """Gives texts and parts numbers.

    Args:
        clean: what takes out of a text what any spec of the page redacts.
    """

    def __init__(self, clean: Callable[[str], str]) -> None:
        self._clean = clean
        self._numbers: dict[str, int] = {}
        self._cleaned: dict[str, str] = {}
        self._parts: dict[tuple[Any, ...], int] = {}
        self.texts: list[Any] = []
        """A text, or `[original, [start, stop] | text, ...]` over another one."""
        self.parts: list[tuple[Any, ...]] = []
        """Role, kind, row (-1 for none), text, original (-1 where it is the text), tool, block."""

    def clean(self, text: str) -> str:
        """A text without what is redacted; worked out once."""
        known = self._cleaned.get(text)
        if known is None:
            known = self._cleaned[text] = self._clean(text)
        return known

    def number(self, text: str) -> int:
        """The number of a text."""
        return self._number(self.clean(text))

    def _number(self, text: str, original: int = -1) -> int:
        known = self._numbers.get(text)
        if known is None:
            known = self._numbers[text] = len(self.texts)
            self.texts.append(text if original < 0 else self._edits(text, original))
        return known

    def _edits(self, text: str, original: int) -> Any:
        whole = self.texts[original]
        if not isinstance(whole, str):
            return text
        spans = text_spans(whole, text)
        return [original, *(span.text or [span.start, span.stop] for span in spans)]

    def part(self, one: Aligned, row: int) -> int:
        """The number of a part of a request."""
        text, original = one.part.text, -1
        if one.source is not None and one.source.kind != "media":
            if _alike(one):
                text = one.source.text
            elif one.source.text:
                original = self.number(_comparable(one))
        number = self._number(self.clean(text), original)
        name = one.part.name or (one.source.name if one.source is not None else "")
        key = (
            ROLES.index(one.part.role) if one.part.role in ROLES else 1,
            KINDS.index(one.part.kind),
            row,
            number,
            -1 if original == number else original,
            self.clean(name),
            self.clean(one.block),
        )
        known = self._parts.get(key)
        if known is None:
            known = self._parts[key] = len(self.parts)
            self.parts.append(key)
        return known


def _comparable(one: Aligned) -> str:
    """The source's text; arguments with their keys in the request's order where that sorts them."""
    assert one.source is not None
    sent, source = one.part.text, one.source.text
    if one.part.kind == "call":
        try:
            if msgspec.json.encode(msgspec.json.decode(sent), order="sorted").decode() == sent:
                return msgspec.json.encode(msgspec.json.decode(source), order="sorted").decode()
        except msgspec.DecodeError:
            return source
    return source


def _alike(one: Aligned) -> bool:
    """Whether a part says what its source says: arguments are the same in any order of keys."""
    assert one.source is not None
    if one.part.text == one.source.text:
        return True
    if one.part.kind != "call":
        return False
    try:
        return msgspec.json.decode(one.part.text) == msgspec.json.decode(one.source.text)
    except msgspec.DecodeError:
        return False
