"""Scalars of a JSON as they are told in each form: whole, or shorter, or not at all."""

import json
import re
from collections.abc import Sequence
from sys import maxsize
from typing import Any

import msgspec

from contextwright.text.binary_label import binary_label
from contextwright.text.readable_text import readable

IDENTIFIER = 120
"""Characters up to which what looks like an identifier, a path or an address is never cut."""
ALL = -1
"""Stands for the characters of every form that cuts none of some strings."""
CODE = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z_#@/-])\S{3,}|[A-Z]{3,}|\S+@\S+|\S*/\S+")
_PLAIN = re.compile(r"[^\s,|;:\"{}\[\]](?:[^\n,|;\"]*[^\s,|;\"])?")
_PLAIN_KEY = re.compile(r"[^\s,|;:\"]+")
_ODD_SIGN = re.compile(r"[,|;\"\x1b]")
_ODD_LINE = re.compile(
    r"\n(?:[\s:{}\[\]]|(?:-|-?[\d.]+(?:[eE][+-]?\d+)?|null|true|false|-?Infinity|NaN)?(?=\n|\Z))"
)
_BLANK_END = re.compile(r"\s(?=\n|\Z)")
"""In lines of which each is a text behind a line's end: what `cell` would have to look at. Each is
looked for by its first sign."""
_LIKE_OTHERS = re.compile(r"-|-?[\d.]+(?:[eE][+-]?\d+)?|null|true|false|-?Infinity|NaN")


class Literal(str):
    """A number as the source writes it: `1.10` stays `1.10`."""

    __slots__ = ()


class Nested(str):
    """A list within a row, as JSON."""

    __slots__ = ()


class Form(msgspec.Struct, frozen=True):
    """How much a value says.

    Args:
        characters: of a string at most; 0 for all.
        columns: of a table, by class: 4 all; 3 without truth values, nulls and prose; 2 without
            words; 1 what identifies; 0 what identifies one by one.
    """

    characters: int = 0
    columns: int = 4


FORMS = (Form(), Form(160), Form(80), Form(48), Form(48, 3), Form(32, 2), Form(24, 1), Form(24, 0))
"""From all to the least."""


def cell(value: Any, form: Form) -> str:
    """A scalar as it is; a string in quotes where it could not be told from what is around it, and
    in the form that loses nothing where it could be read as a number, too."""
    if isinstance(value, (dict, list)):
        return "{}" if isinstance(value, dict) else "[]"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    most = form.characters
    text = readable(value) if "\x1b" in value else value
    text = _clipped(text, most) if most and len(text) > most else str(text)
    if isinstance(value, (Literal, Nested)):
        return text
    if _PLAIN.fullmatch(text) and (form.characters or not _LIKE_OTHERS.fullmatch(text)):
        return text
    return json.dumps(text, ensure_ascii=False)


def cut_at(form: Form, longest: int) -> int:
    """The characters of a form that cuts something so long; `ALL` for every one that does not, but
    for the one that loses nothing."""
    return ALL if form.characters >= max(1, longest) else form.characters


class Scalars:
    """Scalars that are told in the same form: of a column, of an object, of a list. A form that
    cuts none of them has the texts of the one before it.

    Attributes:
        longest: characters of one at most.
        whole_from: characters of a form from which on it cuts none.
    """

    __slots__ = ("_are_plain", "_texts", "_values", "longest", "whole_from")

    def __init__(self, values: Sequence[Any]) -> None:
        strings = [value for value in values if isinstance(value, str)]
        self.longest = max(map(len, strings), default=0)
        # what stands for a terminal's signs may be longer than they are
        self.whole_from = maxsize if "\x1b" in "".join(strings) else self.longest
        self._values = values
        self._texts: dict[int, list[str]] = {}
        one = type(values[0]) if len(strings) == len(values) > 0 else None
        self._are_plain = set(map(type, values)) == {one} and (
            one is Literal or (one is str and _are_plain(strings))
        )

    def texts(self, form: Form) -> list[str]:
        """Each in this form."""
        key = cut_at(form, self.whole_from)
        known = self._texts.get(key)
        if known is None:
            is_whole = key in (0, ALL)
            known = self._texts[key] = (
                list(map(str, self._values))
                if is_whole and self._are_plain
                else [cell(value, form) for value in self._values]
            )
        return known


def _are_plain(texts: Sequence[str]) -> bool:
    lines = "\n" + "\n".join(texts)
    if lines.count("\n") > len(texts):
        return False
    return not (_ODD_SIGN.search(lines) or _ODD_LINE.search(lines) or _BLANK_END.search(lines))


def _clipped(text: str, characters: int) -> str:
    if len(text) <= IDENTIFIER and CODE.fullmatch(text):
        return text
    return binary_label(text) or text[: characters // 2].rstrip() + "…"


def key_of(name: str) -> str:
    """A name as it is; in quotes where it could not be told from what is around it."""
    return name if _PLAIN_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def keys_of(names: Sequence[str]) -> Sequence[str]:
    """Each as `key_of` has it."""
    are_plain = all(names) and _PLAIN_KEY.fullmatch("".join(names))
    return names if are_plain else list(map(key_of, names))
