"""Redaction by the name of a field: in JSON text, in `key: value` lines.

A name matches at any depth, whatever its case and separators: `credit_card` is `creditCard`. A
dotted name, `user.ssn`, is the end of a path; list positions are no part of it.
"""

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from contextwright.errors import SpecError
from contextwright.redaction.scan import PLACEHOLDER

Path = tuple[str, ...]


@lru_cache(maxsize=256)
def _paths(fields: tuple[str, ...]) -> tuple[Path, ...]:
    paths = tuple(tuple(_plain(part) for part in field.split(".")) for field in fields)
    for field, path in zip(fields, paths, strict=True):
        if not all(path):
            raise SpecError(
                f"{field!r} is no field", where="redact(fields=...)", fix="'ssn', or 'user.ssn'"
            )
    return paths


def _plain(key: str) -> str:
    return re.sub(r"[_\-\s]", "", key).casefold()


def _is_named(path: Sequence[str], wanted: tuple[Path, ...]) -> bool:
    return any(len(path) >= len(end) and tuple(path[-len(end) :]) == end for end in wanted)


def redact_json_text(
    text: str, fields: Sequence[str], placeholder: str = PLACEHOLDER
) -> tuple[str, int]:
    """`text` with the values of these fields replaced, and how many were.

    In JSON (whole, cut off, or one per line) only the values change; all other bytes stay. In
    other text, `key: value` and `key=value` lose what follows, to the end of the line or to the
    next pair on it.

    Raises:
        SpecError: a field without a name.
    """
    wanted = _paths(tuple(fields))
    if text.lstrip()[:1] in ("{", "["):
        spans = _json_spans(text, wanted, placeholder)
        if spans is not None:
            return _put(text, spans), len(spans)
    return _redact_lines(text, tuple(fields), placeholder)


def _put(text: str, spans: list[tuple[int, int, str]]) -> str:
    pieces: list[str] = []
    place = 0
    for start, end, instead in spans:
        pieces += text[place:start], instead
        place = end
    return "".join((*pieces, text[place:]))


_TOKEN = re.compile(r'\s*(?:([{}\[\],:])|("(?:[^"\\]|\\.)*("|$))|([-+.0-9A-Za-z]+))', re.DOTALL)


def _json_spans(  # noqa: C901
    text: str, wanted: tuple[Path, ...], placeholder: str, path: Path = ()
) -> list[tuple[int, int, str]] | None:
    """Where the named values are in JSON text, with their replacements; None if it is no JSON.

    Reads tokens, not values: repeated keys, long numbers and spaces stay as they are.
    """
    instead = json.dumps(placeholder, ensure_ascii=False)
    spans: list[tuple[int, int, str]] = []
    stack: list[tuple[str, Path]] = []  # the bracket, and the path of what it holds
    here, key, is_value = path, "", False
    hidden_at, hidden_depth = -1, 0
    place, size = 0, len(text.rstrip())
    while place < size:
        token = _TOKEN.match(text, place)
        if not token:
            return None
        place = token.end()
        mark, string = token[1], token[2]
        start = token.start(1) if mark else token.start(2) if string else token.start(4)
        in_object = bool(stack) and stack[-1][0] == "{"
        if mark == ":":
            is_value = True
            continue
        if mark == ",":
            is_value = False
            continue
        if mark in ("}", "]"):
            if not stack or stack.pop()[0] != ("{" if mark == "}" else "["):
                return None
            if hidden_at >= 0 and len(stack) == hidden_depth:
                spans.append((hidden_at, place, instead))
                hidden_at = -1
            is_value = False
            continue
        if in_object and not is_value:
            if not string:
                return None
            key = _plain(_text_of(string))
            continue
        here = (*stack[-1][1], key)[-8:] if in_object else (stack[-1][1] if stack else path)
        named = in_object and hidden_at < 0 and _is_named(here, wanted)
        if mark:
            if named:
                hidden_at, hidden_depth = start, len(stack)
            stack.append((mark, here))
            is_value = False
        elif named:
            if text[start:place] != instead:
                spans.append((start, place, instead))
        elif string and hidden_at < 0 and (inner := _text_of(string)).lstrip()[:1] in ("{", "["):
            inside = _json_spans(inner, wanted, placeholder, here)
            if inside:
                redacted = json.dumps(_put(inner, inside), ensure_ascii=False)
                spans.append((start, place, redacted))
    if hidden_at >= 0:
        spans.append((hidden_at, len(text), instead))
    return spans


def _text_of(string: str) -> str:
    try:
        return cast("str", json.loads(string, strict=False))
    except ValueError:
        return string[1:].removesuffix('"')


_NEXT_PAIR = re.compile(r"""[,;&|\s]\s{0,8}["']?[A-Za-z_][\w.-]{0,80}["']?\s{0,4}(?:=|:\s)""")


@lru_cache(maxsize=256)
def _line_key(fields: tuple[str, ...]) -> re.Pattern[str]:
    names = sorted({_loose(field) for field in fields}, key=len, reverse=True)
    return re.compile(
        rf"""(?<![^\W_])(?:{"|".join(names)})["']?[ \t]{{0,8}}[:=]+[ \t]{{0,8}}""", re.IGNORECASE
    )


def _loose(field: str) -> str:
    """The field as an expression: its words with any separator, or none, between them."""
    parts: list[str] = []
    for part in field.split("."):
        words = re.findall(r"[A-Z]?[^A-Z_\-\s]+|[A-Z]+", part) or [part]
        parts.append(r"[_\- ]?".join(map(re.escape, words)))
    return r"[./_]".join(parts)


def _redact_lines(text: str, fields: tuple[str, ...], placeholder: str) -> tuple[str, int]:
    spans: list[tuple[int, int, str]] = []
    place = 0
    while fields and (key := _line_key(fields).search(text, place)):
        start = key.end()
        line = text.find("\n", start)
        end = _end_of_value(text, start, line if line >= 0 else len(text))
        if end > start and text[start:end] != placeholder:
            spans.append((start, end, placeholder))
        place = max(end, start)
    return _put(text, spans), len(spans)


def _end_of_value(text: str, start: int, line: int) -> int:
    quote = text[start : start + 1]
    if quote and quote in "\"'":
        closing = text.find(quote, start + 1, line)
        return closing + 1 if closing >= 0 else line
    following = _NEXT_PAIR.search(text, start, line)
    return len(text[: following.start() if following else line].rstrip()) if line > start else line
