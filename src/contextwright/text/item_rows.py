"""Lists of items in YAML and XML: an item is a unit, and they are counted."""

import re

from contextwright.text.line_selection import Unit
from contextwright.text.log_lines import has_error
from contextwright.text.table_rows import row_rank

LEAST = 3
"""Items from which on a text is a list of them."""
_YAML_ITEM = re.compile(r"( *)- (?:[\w.-]+:(?: |$)|\")")
_YAML_FIELD = re.compile(r" *(?:- )*[\w./\"'-]+:(?: |$)| *- \S| *#| *\S+$|---$| {2,}\S")
_TAG = re.compile(r"<(/?)([A-Za-z_][\w.:-]*)(?:\s[^<>]*?)?(/?)>")
READ = 1_000_000
"""Characters of an XML that are read."""
_GAPS = re.compile(r">\s+<")


def is_items(text: str, lines: list[str]) -> bool:
    """Whether a text is XML with an element that repeats, or YAML with a list of objects.

    Args:
        lines: some of the text's.
    """
    if text.lstrip()[:1] == "<":
        return bool(_elements(text))
    items = [match for line in lines if (match := _YAML_ITEM.match(line))]
    fields = sum(_YAML_FIELD.match(line) is not None for line in lines)
    return len(items) >= LEAST and len(items) < len(lines) and fields * 20 >= len(lines) * 19


def item_units(text: str) -> list[Unit]:
    """A unit an item, with all that is in it; what stands around the items ranks first, then items
    that tell of an error, the first ones and the last. Empty where there are no items."""
    spans = _elements(text) if text.lstrip()[:1] == "<" else _yaml_items(text)
    errors = has_error(text)
    units: list[Unit] = []
    at, size = 0, len(spans)
    for place, (start, end) in enumerate(spans):
        units += _around(text[at:start])
        item = _GAPS.sub("><", text[start:end]).rstrip()
        rank = row_rank(item, place, size, may_be_error=errors)
        units.append(Unit(item, rank, noun="items", total=size))
        at = end
    return units + _around(text[at:]) if units else []


def _around(text: str) -> list[Unit]:
    return [Unit(line) for line in text.splitlines() if line.strip()]


def _elements(text: str) -> list[tuple[int, int]]:
    """From where to where each of the outermost elements stands that are there several times."""
    open_tags: list[tuple[str, int]] = []
    elements: dict[tuple[int, str], list[tuple[int, int]]] = {}
    for match in _TAG.finditer(text[:READ]):
        closes, tag, is_empty = match.groups()
        if not closes and not is_empty:
            open_tags.append((tag, match.start()))
            continue
        start = match.start()
        if closes:
            if not open_tags or open_tags[-1][0] != tag:
                return []  # markup that is not XML
            start = open_tags.pop()[1]
        elements.setdefault((len(open_tags), tag), []).append((start, match.end()))
    listed = [(depth, spans) for (depth, _), spans in elements.items() if len(spans) >= LEAST]
    return min(listed, key=lambda one: one[0])[1] if listed else []


def _yaml_items(text: str) -> list[tuple[int, int]]:
    """The items of the list that stands least deep, the first of them if there are several."""
    dashes = [(len(m[1]), m.start()) for m in re.finditer(rf"(?m)^{_YAML_ITEM.pattern}", text)]
    if len(dashes) < LEAST:
        return []
    depth = min(deep for deep, _ in dashes)
    starts = [start for deep, start in dashes if deep == depth]
    return [(start, _end(text, start, depth)) for start in starts]


def _end(text: str, start: int, depth: int) -> int:
    """Where an item ends: at the next line that is no deeper than its dash."""
    line = re.compile(rf"(?m)^ {{0,{depth}}}\S")
    match = line.search(text, text.find("\n", start) + 1 or len(text))
    return match.start() if match else len(text)
