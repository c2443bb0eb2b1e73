"""One text in at most so many tokens, by what kind of content it is.

Every word that shortens a result comes here. The kind is told from evidence in the text; each
kind says how its parts rank (`*_units`), and `line_selection` takes as many as fit and marks
every hole where it is.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, get_args

import msgspec

from contextwright.text.binary_label import CONTROL, binary_label
from contextwright.text.cut import WIDEST, Count, cut
from contextwright.text.diff_hunks import diff_units, is_diff
from contextwright.text.html_lines import html_units, is_html
from contextwright.text.identifiers import entities
from contextwright.text.json_rows import without_blanks
from contextwright.text.json_units import json_forms, long_string, read_json
from contextwright.text.line_selection import Unit, both_ends, joined, select_units
from contextwright.text.log_lines import log_share, log_units
from contextwright.text.prose_units import prose_units
from contextwright.text.search_hits import hit_units, is_hits
from contextwright.text.source_outline import code_units, is_code
from contextwright.text.stack_trace import is_trace, trace_units
from contextwright.text.table_rows import is_table, table_units

Kind = Literal["json", "diff", "html", "trace", "hits", "table", "log", "code", "prose", "binary"]
SAMPLE = 400
"""Lines that the kind is told from: the first half of them, and others spread over the rest."""
SEEN = 500
"""Characters of each."""
LOG_SHARE = 0.3
"""Share of lines with a time or a level in front from which on a text is a log: what a log's
entries carry with them, such as a trace, has none."""
PROSE_LINE = 70
"""Characters of a line, on average, from which on lines are paragraphs; shorter ones are output."""
INDEX = 3
"""A third of the tokens goes to identifiers of what is left out, where it has any: later calls
name them, and a model that sees them knows what to fetch."""
INDEX_LEAST = 24
"""Tokens below which no such list is made: it could name hardly anything."""
STEPS_FROM = 8
"""Times too long from which on only the barest form of a JSON is tried: the others can not fit."""


class Shortened(msgspec.Struct, frozen=True):
    """A text, shortened or as it was.

    Args:
        kind: what it was read as; empty where it fitted as it was.
        omitted: units (lines, rows, sentences, fields, characters of what has none) left out.
    """

    text: str
    kind: Kind | Literal[""] = ""
    omitted: int = 0


def full_output_note(ref: str, tokens: int) -> str:
    """The line that says where the whole of a shortened text is."""
    return f"[full output: {ref}, {tokens} tokens]"


def shorten(
    text: str,
    max_tokens: int,
    count: Count,
    *,
    keep: Sequence[str] = (),
    ref: str = "",
    kind: Kind | None = None,
) -> Shortened:
    """A text in at most `max_tokens`, every hole marked; itself where it fits.

    Deterministic; linear in the text. What was shortened fits, so shortening it again to the same
    size changes nothing.

    Args:
        max_tokens: tokens of the result, marks and the note with the ref included.
        count: tokens of a text.
        keep: words, or whole sentences or lines, that stay before anything else.
        ref: where the whole is; noted once, at the end, where there is room for it.
        kind: what the text is; told from its content where it is not given.

    Raises:
        ValueError: a kind that is none.
    """
    if kind is not None and kind not in get_args(Kind):
        raise ValueError(f"expected a kind of {', '.join(get_args(Kind))}, got {kind!r}")
    if len(text) <= max_tokens * WIDEST * 4 and (tokens := count(text)) <= max_tokens:
        return Shortened(text)
    if max_tokens <= 0:
        return Shortened("", kind or detect(text), len(text))
    tokens = count(text)
    if tokens <= max_tokens:
        return Shortened(text)
    note = full_output_note(ref, tokens) if ref else ""
    room = max_tokens - count(note) - 1 if note else max_tokens
    if room < 1:
        note, room = "", max_tokens
    read_as = kind or detect(text)
    while True:
        body, omitted = _body(text, read_as, room, count, keep)
        whole = "\n".join(piece for piece in (body, note) if piece)
        over = count(whole) - max_tokens
        if over <= 0 or room <= 0:
            break
        room -= over
    if over > 0:
        whole = cut(note or text, max_tokens, "head", count, "…")
    return Shortened(whole, read_as, omitted)


def detect(text: str) -> Kind:
    """The kind of a text, from what is in it."""
    if binary_label(text):
        return "binary"
    if read_json(text) is not None:
        return "json"
    head = text[:20_000]
    if is_diff(head):
        return "diff"
    if is_html(text):
        return "html"
    lines = _sample(text)
    if not lines:
        return "prose"
    tests: tuple[tuple[Kind, Callable[[list[str]], bool]], ...] = (
        ("hits", is_hits),
        ("trace", is_trace),
        ("log", lambda lines: log_share(lines) >= LOG_SHARE),
        ("table", is_table),
        ("code", is_code),
    )
    for kind, test in tests:
        if test(lines):
            return kind
    average = sum(map(len, lines)) / len(lines)
    return "prose" if average >= PROSE_LINE or len(lines) < 4 else "log"


def _sample(text: str) -> list[str]:
    """Lines of all of the text, the first ones without gaps."""
    lines = text.splitlines()
    rest = lines[SAMPLE // 2 :]
    step = max(1, len(rest) // (SAMPLE // 2))
    return [line[:SEEN] for line in (*lines[: SAMPLE // 2], *rest[::step]) if line.strip()]


_UNITS: dict[str, Callable[[str], list[Unit]]] = {
    "diff": diff_units,
    "html": html_units,
    "trace": trace_units,
    "hits": hit_units,
    "table": table_units,
    "log": log_units,
    "code": code_units,
    "prose": prose_units,
}
_INDEXED = {"html", "log", "code", "prose", "trace"}
"""Kinds whose identifiers stand anywhere in them; rows and fields rank by theirs already."""


def _body(text: str, kind: Kind, room: int, count: Count, keep: Sequence[str]) -> tuple[str, int]:
    """The text in at most `room` tokens, and what is left out of it."""
    if room < 1:
        return "", len(text)
    if kind == "binary":
        label = binary_label(text) or f"[binary, {len(text)} characters … left out]"
        return (
            (label, len(text))
            if count(label) <= room
            else (cut(label, room, "head", count, "…"), len(text))
        )
    if kind == "json":
        value = read_json(text)
        if value is not None:
            return _json(text, value, room, count, keep)
    units = [] if kind == "json" else _UNITS[kind](_readable(text))
    if not units:
        units = log_units(_readable(text))
    return (
        _indexed(text, units, room, count, keep)
        if kind in _INDEXED
        else _fitted(text, (units,), room, count, keep)
    )


def _readable(text: str) -> str:
    """Without escapes of terminals' colours and other control characters."""
    return CONTROL.sub("", text)


def _json(
    text: str, value: object, room: int, count: Count, keep: Sequence[str]
) -> tuple[str, int]:
    bare = without_blanks(text.strip()) if text.lstrip()[0] in "{[" and "\n{" not in text else text
    if len(bare) <= room * WIDEST and count(bare) <= room:
        return bare, 0
    inner = long_string(value, max(200, 2 * room))
    if inner is not None and len(inner[1]) * 10 >= len(text) * 7 and isinstance(value, dict):
        key, string = inner
        rest = {name: item for name, item in value.items() if name != key}
        head, omitted = _fitted(text, json_forms(rest), room // 4, count, keep) if rest else ("", 0)
        label = f"{key}:"
        left = room - count(head) - count(label) - 2
        body, more = _body(string, detect(string), left, count, keep)
        return "\n".join(piece for piece in (head, label, body) if piece), omitted + more
    forms = json_forms(value)
    if len(text) > room * WIDEST * STEPS_FROM:
        *_, last = forms
        forms = iter((last,))
    return _fitted(text, forms, room, count, keep)


def _indexed(
    text: str, units: list[Unit], room: int, count: Count, keep: Sequence[str]
) -> tuple[str, int]:
    """The best units; where what is left out names things, a third of the room for their names."""
    body, omitted = _fitted(text, (units,), room, count, keep)
    if not omitted or room < INDEX_LEAST * INDEX:
        return body, omitted
    names = [name for name in entities(text) if name not in body]
    if not names:
        return body, omitted
    body, omitted = _fitted(text, (units,), room - room // INDEX, count, keep)
    names = [name for name in entities(text) if name not in body]
    low, high = 0, len(names)
    while low < high:
        middle = (low + high + 1) // 2
        fits = count(f"{body}\n{_index(names, middle)}") <= room
        low, high = (middle, high) if fits else (low, middle - 1)
    return (f"{body}\n{_index(names, low)}" if low else body), omitted


def _index(names: list[str], size: int) -> str:
    return f"also: {', '.join(names[:size])}" + (", …" if size < len(names) else "")


def _fitted(
    text: str, forms: Iterable[list[Unit]], room: int, count: Count, keep: Sequence[str]
) -> tuple[str, int]:
    """The first form that fits whole; of the last one what fits; else both ends of the text."""
    units: list[Unit] = []
    for units in forms:
        size = sum(len(unit.text) for unit in units)
        if size <= room * WIDEST and count(whole := joined(units)) <= room:
            return whole, 0
    chosen = select_units(units, room, count, keep) if len(units) > 1 else None
    if chosen is not None and chosen.text:
        return chosen.text, chosen.omitted
    return both_ends(text, room, count), len(text)
