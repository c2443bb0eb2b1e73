"""One text in at most so many tokens, by what kind of content it is.

Every word that shortens a result comes here. The kind is told from evidence in the text; each
kind says how its parts rank (`*_units`), and `line_selection` takes as many as fit and marks
every hole where it is.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain
from typing import Any, Literal, get_args

import msgspec

from contextwright.text.binary_label import CONTROL, binary_label
from contextwright.text.cut import WIDEST, Count, cut
from contextwright.text.diff_hunks import diff_units, is_diff
from contextwright.text.html_lines import html_units, is_html
from contextwright.text.identifiers import entities
from contextwright.text.item_rows import is_items, item_units
from contextwright.text.json_cells import FORMS
from contextwright.text.json_rows import without_blanks
from contextwright.text.json_units import json_forms, long_string, read_json
from contextwright.text.line_selection import (
    Unit,
    both_ends,
    joined,
    may_miss,
    select_units,
)
from contextwright.text.log_lines import is_long_output, log_share, log_units
from contextwright.text.numbered_lines import is_numbered
from contextwright.text.page_snapshot import is_page, page_units
from contextwright.text.prose_units import prose_units
from contextwright.text.readable_text import is_all_bytes, readable
from contextwright.text.ref_notes import full_output_note
from contextwright.text.search_results import TITLES, read_results, result_forms, results_in
from contextwright.text.source_outline import code_units, is_code
from contextwright.text.stack_trace import is_trace, trace_units
from contextwright.text.table_rows import is_quoted_table, is_table, table_units

Kind = Literal[
    "json",
    "diff",
    "html",
    "results",
    "items",
    "trace",
    "hits",
    "table",
    "log",
    "page",
    "code",
    "prose",
    "binary",
]
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
INNER, INNER_SHARE = 200, 70
"""Characters and percent of a JSON from which on one string in it is what it is about, such as the
output of a command: it is read by its own kind."""
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


class Limit(msgspec.Struct, frozen=True):
    """The tokens that a text may have, and what `shorten` was asked beside that."""

    tokens: int
    count: Count
    keep: tuple[str, ...] = ()
    index: bool = True

    def of(self, tokens: int) -> "Limit":
        """The same with other tokens."""
        return msgspec.structs.replace(self, tokens=tokens)


def shorten(
    text: str,
    max_tokens: int,
    count: Count,
    *,
    keep: Sequence[str] = (),
    ref: str = "",
    kind: Kind | None = None,
    index: bool = True,
    keep_in: Collection[Kind] | None = None,
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
        index: whether identifiers of what is left out are listed at the end.
        keep_in: kinds of texts of which `keep` stays; of all, where none are given.

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
    read_as, plain, value = _plain(text, kind)
    stays = keep if keep_in is None or read_as in keep_in else ()
    limit = Limit(room, count, tuple(stays), index)
    while True:
        body, omitted = _body(plain, read_as, limit, value)
        whole = "\n".join(piece for piece in (body, note) if piece)
        over = count(whole) - max_tokens
        if over <= 0 or limit.tokens <= 0:
            break
        limit = limit.of(limit.tokens - over)  # pieces may count more together than apart
    if over > 0:
        whole = cut(note or text, max_tokens, "head", count, "…")
    return Shortened(whole, read_as, omitted)


def _plain(text: str, kind: Kind | None = None) -> tuple[Kind, str, Any]:
    """What a text is read as, what of it can be read, and the value of a JSON, where that was
    read. A JSON's strings and bytes stay: they are named where they stand."""
    read_as, value = _read(text) if kind is None else (kind, None)
    if read_as in {"json", "binary"}:
        return read_as, text, value
    plain = readable(text)
    if plain != text and kind is None:
        read_as, value = _read(plain)
    return read_as, plain, value


def detect(text: str) -> Kind:
    """The kind of a text, from what is in it."""
    return _read(text)[0]


def _read(text: str) -> tuple[Kind, Any]:
    """The kind of a text, and the value of a JSON."""
    if binary_label(text) and (CONTROL.search(text) is None or is_all_bytes(text)):
        return "binary", None
    value = read_json(text)
    return ("json", value) if value is not None else (_kind_of_lines(text), None)


def _kind_of_lines(text: str) -> Kind:
    """The kind of a text that is no bytes and no JSON."""
    head = text[:20_000]
    if is_diff(head):
        return "diff"
    if is_html(text):
        return "html"
    if read_results(text) is not None:
        return "results"
    lines = _sample(text)
    if not lines:
        return "prose"
    tests: tuple[tuple[Kind, Callable[[list[str]], bool]], ...] = (
        ("page", lambda lines: is_page(text, lines)),
        ("items", lambda lines: is_items(text, lines)),
        ("hits", _is_hits),
        ("trace", is_trace),
        ("log", lambda lines: log_share(lines) >= LOG_SHARE),
        ("code", lambda lines: is_numbered(lines) and is_code(lines)),  # a tab is no column there
        ("table", lambda lines: is_table(lines) or is_quoted_table(head)),
        ("code", is_code),
    )
    for kind, test in tests:
        if test(lines):
            return kind
    average = sum(map(len, lines)) / len(lines)
    is_prose = len(lines) < 4 or (average >= PROSE_LINE and not is_long_output(text, lines))
    return "prose" if is_prose else "log"


def _sample(text: str) -> list[str]:
    """Lines of all of the text, the first ones without gaps."""
    lines = text.splitlines()
    rest = lines[SAMPLE // 2 :]
    step = max(1, len(rest) // (SAMPLE // 2))
    return [line[:SEEN] for line in (*lines[: SAMPLE // 2], *rest[::step]) if line.strip()]


_HIT = re.compile(r"((?:[A-Za-z]:)?[^\s:][^:\n]{0,300}):(\d+)(?::\d+)?[:-](.*)")
"""A search result: path, line, its text."""


def _is_hits(lines: list[str]) -> bool:
    """Whether most lines are `path:line:text`."""
    full = [line for line in lines if line.strip()]
    hits = [match for line in full if (match := _HIT.match(line)) and _is_path(match[1])]
    return len(hits) >= 3 and len(hits) * 10 >= len(full) * 7


def _is_path(name: str) -> bool:
    return " " not in name and ("/" in name or "." in name or "\\" in name)


def _hit_units(text: str) -> list[Unit]:
    """Files, each with its hits below it. Files rank first, then the first hit of each, then the
    second; what is no hit stands where it stood."""
    grouped: dict[str, list[str]] = {}
    for line in text.splitlines():
        match = _HIT.match(line)
        if match and _is_path(match[1]):
            grouped.setdefault(match[1], []).append(f"  {line[len(match[1]) + 1 :]}")
        elif line.strip() and line != "--":
            grouped.setdefault("", []).append(line)
    units: list[Unit] = []
    for path, hits in grouped.items():
        parent = len(units) if path else -1
        if path:
            units.append(Unit(path, (0, parent), noun="files", stands_for=1))
        for nth, hit in enumerate(hits):
            units.append(Unit(hit, (1, nth, len(units)), parent, noun="hits" if path else "lines"))
    return units


_UNITS: dict[str, Callable[[str], list[Unit]]] = {
    "diff": diff_units,
    "html": html_units,
    "trace": trace_units,
    "items": item_units,
    "hits": _hit_units,
    "table": table_units,
    "log": log_units,
    "code": code_units,
    "prose": prose_units,
}
_INDEXED = {"html", "log", "code", "prose"}
"""Kinds whose identifiers stand anywhere in them; rows and fields rank by theirs already."""
_NAMES_NOTHING = re.compile(
    r".{1,2}|[\W\d_TZ]*|\W?\d[\d.,]*[A-Za-z%]{1,2}|\W.*[\[\]{}:,].*|.*\[….*", re.DOTALL
)
"""Identifiers that no later call is likely to be about: single signs, bare numbers with or without
a unit, times, punctuation, what stands between the strings of a JSON that is none."""


def _body(text: str, kind: Kind, limit: Limit, value: Any = None) -> tuple[str, int]:
    """The text within its limit, and how much is left out of it.

    Args:
        value: of a JSON, where it was read.
    """
    if limit.tokens < 1:
        return "", len(text)
    if kind == "binary":
        label = binary_label(text) or f"[binary, {len(text)} characters … left out]"
        return cut(label, limit.tokens, "head", limit.count, "…"), len(text)
    if kind == "json" and value is None:
        value = read_json(text)
    if kind == "json" and value is not None:
        return _json(text, value, limit)
    text = CONTROL.sub("", text)
    if len(text) <= limit.tokens * WIDEST and limit.count(text) <= limit.tokens:
        return text, text.count(" … left out]")  # what can not be read was what did not fit
    if kind == "results" and (listing := read_results(text)) is not None:
        return _fitted(text, result_forms(listing), limit)
    if kind == "page":
        return _fitted(text, (page_units(text, is_open=limit.index),), limit)
    units = _UNITS.get(kind, log_units)(text) or log_units(text)
    if kind in _INDEXED and limit.index:
        return _indexed(text, units, limit)
    return _fitted(text, (units,), limit)


def _json(text: str, value: object, limit: Limit) -> tuple[str, int]:
    """JSON without blanks; else the one text in it by that text's kind; else rows and fields."""
    bare = without_blanks(text.strip()) if _parses(text) else text
    if len(bare) <= limit.tokens * WIDEST and limit.count(bare) <= limit.tokens:
        return bare, 0
    inner = long_string(value, max(INNER, 2 * limit.tokens))
    if inner is not None and _written(inner[1], text) * 100 >= len(text) * INNER_SHARE:
        return _with_inner(text, value, *inner, limit)
    barest = _barest_alone(text, value, limit)
    listing = results_in(value)
    if listing is not None:
        rows = json_forms(value, () if barest else FORMS[:4])
        return _fitted(text, chain(rows, result_forms(listing, TITLES)), limit)
    return _fitted(text, barest or json_forms(value), limit)


def _barest_alone(text: str, value: object, limit: Limit) -> list[list[Unit]]:
    """The barest form of a JSON that is so long that no other can fit: each of them says more, and
    this one takes more than any could that has its fields left out. None where another may fit."""
    room = limit.tokens
    if len(text) <= room * WIDEST:
        return []
    barest = list(json_forms(value, FORMS[-1:]))
    if len(text) > room * WIDEST * STEPS_FROM:
        return barest
    return [] if _may_miss_fields(limit.count(joined(barest[0])), room) else barest


def _may_miss_fields(tokens: int, room: int) -> bool:
    """Whether a form of so many tokens could fit without some of its fields."""
    return tokens * 2 <= room * 3


def _parses(text: str) -> bool:
    """Whether it is one value, not one a line: line ends between values are no blanks."""
    return "\n{" not in text.strip() or text.lstrip()[:1] == "["


def _written(inner: str, text: str) -> int:
    """Characters that a string takes in a JSON, its escapes included."""
    return len(json.dumps(inner, ensure_ascii=text.isascii()))


def _with_inner(text: str, value: Any, key: str, inner: str, limit: Limit) -> tuple[str, int]:
    rest = {name: item for name, item in value.items() if name != key}
    head, omitted = "", 0
    if rest:
        head, omitted = _fitted(text, json_forms(rest), limit.of(limit.tokens // 4))
    label = f"{key}:"
    left = limit.tokens - limit.count(head) - limit.count(label) - 2
    kind, plain, read = _plain(inner)
    body, more = _body(plain, kind, limit.of(left), read)
    return "\n".join(piece for piece in (head, label, body) if piece), omitted + more


def _indexed(text: str, units: list[Unit], limit: Limit) -> tuple[str, int]:
    """The best units; where what is left out names things, a third of the room for their names."""
    body, omitted = _fitted(text, (units,), limit)
    if not omitted or limit.tokens < INDEX_LEAST * INDEX:
        return body, omitted
    names = [n for n in entities(joined(units)) if not _NAMES_NOTHING.fullmatch(n)]
    if all(name in body for name in names):
        return body, omitted
    body, omitted = _fitted(text, (units,), limit.of(limit.tokens - limit.tokens // INDEX))
    names = [name for name in names if name not in body]
    low, high = 0, len(names)
    while low < high:
        middle = (low + high + 1) // 2
        fits = limit.count(f"{body}\n{_index(names, middle)}") <= limit.tokens
        low, high = (middle, high) if fits else (low, middle - 1)
    return (f"{body}\n{_index(names, low)}" if low else body), omitted


def _index(names: list[str], size: int) -> str:
    return f"also: {', '.join(names[:size])}" + (", …" if size < len(names) else "")


def _fitted(text: str, forms: Iterable[list[Unit]], limit: Limit) -> tuple[str, int]:
    """The first form that fits whole, or but for fields beside its rows; of the last one what
    fits; else both ends of the text."""
    room, count = limit.tokens, limit.count
    units: list[Unit] = []
    for nth, form in enumerate(forms):
        if form is units:
            continue  # it says what the form before said, and did not fit
        units = form
        if sum([len(unit.text) for unit in units]) > room * WIDEST:
            continue
        tokens = count(whole := joined(units))
        if tokens <= room:
            # had nothing been shortened, the form before had fitted
            return whole, max(nth, sum([unit.omits for unit in units]))
        if _may_miss_fields(tokens, room) and may_miss(units, room, "fields"):
            but = select_units(units, room, count, limit.keep, missing="fields")
            if but.text and but.nouns <= {"fields"}:
                return but.text, but.omitted
    if len(units) > 1:
        chosen = select_units(units, room, count, limit.keep)
        if chosen.text:
            return chosen.text, chosen.omitted
    return both_ends(text, room, count), len(text)
