"""The values of named fields in JSON text, found token by token.

Reads tokens, not values: repeated keys, long numbers, spaces and cut-off ends stay as they are.
"""

import json
import re
from collections.abc import Callable
from typing import NamedTuple, cast

from contextwright.json_depth import is_too_deep
from contextwright.redaction.operators import Operator, Replacement, put

Path = tuple[str, ...]
_TOKEN = re.compile(r'\s*(?:([{}\[\],:])|("(?:[^"\\]|\\.)*("|$))|([-+.0-9A-Za-z]+))', re.DOTALL)
_DEPTH = 8
"""Keys of a path that are remembered: more than a dotted name has."""


def plain_key(key: str) -> str:
    """A name without case and separators."""
    return re.sub(r"[_\-\s]", "", key).casefold()


class Named(NamedTuple):
    """Which values go, and what stands there instead.

    Args:
        wanted: the ends of their paths.
        operator: what stands for a value.
        inside: the same for the text of a string at a path.
    """

    wanted: tuple[Path, ...]
    operator: Operator
    inside: Callable[[str, Path], list[Replacement]]

    def at(self, path: Path) -> bool:
        """Whether the value at a path goes."""
        return any(path[-len(end) :] == end for end in self.wanted)


class FieldWalk:
    """One value of JSON in a text, and the fields in it.

    Args:
        text: where it stands.
        named: the fields.
        size: of the text, without the space at its end.
        path: the keys above it.
    """

    def __init__(self, text: str, named: Named, size: int, path: Path = ()) -> None:
        self.spans: list[Replacement] = []
        self.place = 0
        self._text, self._named, self._size, self._path = text, named, size, path
        self._stack: list[tuple[str, Path]] = []  # the bracket, and the path of what it holds
        self._key: str | None = None
        self._is_value = False
        self._hidden_at, self._hidden_depth = -1, 0

    def read(self, start: int) -> bool:
        """Read from a bracket on to its end, or to the text's; False where it is no JSON from
        `place` on."""
        text = self._text
        self.place = start
        while self.place < self._size:
            token = _TOKEN.match(text, self.place)
            if not token or not self._takes(token):
                self._close(self.place)
                return False
            self.place = token.end()
            if not self._stack:
                return True
        self._close(len(text))
        return True

    def _close(self, end: int) -> None:
        """What was cut off within a field goes to the end of what there is."""
        if self._hidden_at >= 0 and end > self._hidden_at:
            value = self._text[self._hidden_at : end]
            self.spans.append((self._hidden_at, end, self._quoted(value)))

    def _takes(self, token: re.Match[str]) -> bool:
        mark, string = token[1], token[2]
        in_object = bool(self._stack) and self._stack[-1][0] == "{"
        if mark == ":":
            taken = in_object and self._key is not None and not self._is_value
            self._is_value = True
            return taken
        if mark == ",":
            self._key, self._is_value = None, False
            return True
        if mark in ("}", "]"):
            return self._closes(mark, token.end())
        if in_object and not self._is_value:
            if not string or self._key is not None:
                return False
            self._key = plain_key(_text_of(string))
            return True
        self._value(token, in_object)
        return True

    def _closes(self, mark: str, end: int) -> bool:
        if not self._stack or self._stack.pop()[0] != ("{" if mark == "}" else "["):
            return False
        if self._hidden_at >= 0 and len(self._stack) == self._hidden_depth:
            value = self._text[self._hidden_at : end]
            self.spans.append((self._hidden_at, end, self._quoted(value)))
            self._hidden_at = -1
        self._is_value = False
        return True

    def _value(self, token: re.Match[str], in_object: bool) -> None:
        mark, string, end = token[1], token[2], token.end()
        above = self._stack[-1][1] if self._stack else self._path
        here = (*above, self._key or "")[-_DEPTH:] if in_object else above
        named = in_object and self._hidden_at < 0 and self._named.at(here)
        if mark:
            if named:
                self._hidden_at, self._hidden_depth = token.start(1), len(self._stack)
            self._stack.append((mark, here))
            self._key, self._is_value = None, False
            return
        if named:
            start = token.start(2) if string else token.start(4)
            value = _text_of(string) if string else token[4]
            if not self._named.operator.is_stand_in(value):
                self.spans.append((start, end, self._quoted(value)))
        elif string and self._hidden_at < 0:
            self._nested(string, token.start(2), end, here)
        if not in_object:
            self._key = None

    def _nested(self, string: str, start: int, end: int, here: Path) -> None:
        """A string may hold JSON, or lines, itself."""
        inner = _text_of(string)
        inside = self._named.inside(inner, here)
        if inside:
            new = json.dumps(put(inner, inside), ensure_ascii=string.isascii())
            closed = len(string) > 1 and string.endswith('"')
            self.spans.append((start, end, new if closed else new[:-1]))

    def _quoted(self, value: str) -> str:
        return json.dumps(self._named.operator.stand_in(value), ensure_ascii=False)


def _text_of(string: str) -> str:
    try:
        return cast("str", json.loads(string, strict=False))
    except ValueError:
        return string[1:].removesuffix('"')


class JsonRegion(NamedTuple):
    """JSON within a text.

    Args:
        start, end: from where to where.
        leaves: the same of its strings, keys included, numbers and constants.
    """

    start: int
    end: int
    leaves: list[tuple[int, int]]


_LEAF = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[-+.0-9A-Za-z]+', re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_DECODER = json.JSONDecoder(strict=False)
MAX_BROKEN = 1_000
"""Brackets that open no JSON, before the rest of a text is taken for having none."""


def json_regions(text: str) -> list[JsonRegion]:
    """All JSON objects and lists in a text, the outermost."""
    regions: list[JsonRegion] = []
    broken = 0
    opening = _OPENING.search(text)
    while opening and broken < MAX_BROKEN:
        start = place = opening.start()
        try:
            value, place = _DECODER.raw_decode(text, start)
            if is_too_deep(text[start:place], value):
                break
        except json.JSONDecodeError as error:
            broken, place = broken + 1, max(error.pos, start + 1)
        except (ValueError, RecursionError):  # an integer of thousands of digits; too deep
            break
        else:
            leaves = [leaf.span() for leaf in _LEAF.finditer(text, start, place)]
            regions.append(JsonRegion(start, place, leaves))
        opening = _OPENING.search(text, place)
    return regions
