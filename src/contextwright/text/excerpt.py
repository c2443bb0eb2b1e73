"""What stays of a tool result when it is compacted: what names it, what a later call may need.

Chosen by what the content is (document 000 §3.2): a written file is its path, a search its
query and titles, a page its address and beginning, JSON its scalars, a log its errors and end,
a diff its files and hunks, code its beginning, text its beginning, end and identifiers. Never
shaped like a call: a model would learn to write calls as prose.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from contextwright.text.cut import Count, cut
from contextwright.text.identifiers import entities
from contextwright.text.json_fields import dump_json, load_json

_WRITES = re.compile(r"write|save|create_file|edit|apply_patch|str_replace", re.IGNORECASE)
_SEARCHES = re.compile(r"search|query|find|list|grep|lookup|retrieve", re.IGNORECASE)
_PATH_KEYS = ("path", "file_path", "filename", "file", "filepath", "target_file")
_QUERY_KEYS = ("query", "q", "pattern", "search", "keywords", "question", "term")
_URL_KEYS = ("url", "uri", "link", "href")
_ERROR_LINE = re.compile(r"error|exception|fail|warn|traceback|fatal|denied", re.IGNORECASE)
_DIFF = re.compile(r"(?m)^(?:diff --git|@@ |\+\+\+ |--- )")
_TITLE = re.compile(r"(?im)^#\s+(.{1,120})$|<title>([^<]{1,120})")
_IDENTIFIES = re.compile(r"(?:^|_)(?:id|number|code|key|name|email|path|url)s?$", re.IGNORECASE)
_CODE = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z_#@/-])\S{3,}|[A-Z]{3,}|\S+@\S+|\S*/\S+")
_NUMBER = re.compile(r"-?[\d.,:]+")
IDENTIFIER = 120
"""Characters up to which what looks like an identifier, a path or an address is never cut."""
STRINGS = (160, 80, 48, 32, 24, 16)
"""Characters that a string in a JSON skeleton may have, from generous to bare."""


def excerpt(
    text: str, *, tool: str, arguments: str, max_tokens: int, count: Count, ref: str
) -> str:
    """A result in about `max_tokens`, ending in `[full output: REF, N tokens]`.

    Gives the text itself where the excerpt would not be shorter.
    """
    whole = count(text)
    tail = f"[full output: {ref}, {whole} tokens]"
    room = max(1, max_tokens - count(tail) - 1)
    body = _body(text, tool, load_json(arguments) or {}, room, count)
    short = f"{body}\n{tail}" if body else tail
    return short if count(short) < whole else text


def gist(text: str, *, tool: str, arguments: str, max_tokens: int, count: Count) -> str:
    """What names a result and what a later call may need, in about `max_tokens`; no ref."""
    return _body(text, tool, load_json(arguments) or {}, max_tokens, count)


def _body(text: str, tool: str, given: Any, room: int, count: Count) -> str:
    arguments: dict[str, Any] = given if isinstance(given, dict) else {}
    path = _first(arguments, _PATH_KEYS)
    if path and _WRITES.search(tool):
        return cut(f"Output saved to {path}", room, "head", count, marker="")
    heading = _heading(text, tool, arguments, path)
    left = max(1, room - count(heading) - 1) if heading else room
    rest = _rest(text, left, count)
    return "\n".join(piece for piece in (heading, rest) if piece)


def _heading(text: str, tool: str, arguments: dict[str, Any], path: str) -> str:
    """What was looked at, in a line."""
    url, query = _first(arguments, _URL_KEYS), _first(arguments, _QUERY_KEYS)
    if url:
        title = _TITLE.search(text[:20_000])
        return f"{url} — {(title[1] or title[2]).strip()}" if title else url
    if query and _SEARCHES.search(tool):
        return f"Search {query[:160]!r} → {_results(text)}"
    if path:
        return f"{path}: {text.count(chr(10)) + 1} lines"
    return ""


def _results(text: str) -> str:
    value = load_json(text)
    if isinstance(value, dict):
        lists = [item for item in value.values() if isinstance(item, list)]  # pyright: ignore
        value = max(lists, key=len) if lists else None  # pyright: ignore
    if isinstance(value, list):
        return f"{len(value)} results"  # pyright: ignore[reportUnknownArgumentType]
    return f"{sum(1 for line in text.splitlines() if line.strip())} lines"


def _rest(text: str, room: int, count: Count) -> str:
    value = load_json(text)
    if value is not None:
        return _json(value, room, count)
    if _DIFF.search(text[:20_000]):
        return _lines(text, room, count, lambda line: _DIFF.match(line) is not None)
    lines = text.splitlines()
    errors = [line for line in lines[:2000] if _ERROR_LINE.search(line[:300])]
    if errors and len(lines) > 20:
        picked = "\n".join(errors)
        half = cut(picked, max(1, room // 2), "head", count, marker="...")
        return half + "\n" + cut(text, max(1, room - count(half)), "tail", count, marker="...")
    return _text(text, room, count)


def _text(text: str, room: int, count: Count) -> str:
    """Both ends, then the identifiers of what is missing."""
    ends = cut(text, max(1, room * 2 // 3), "bookend", count, marker="...")
    missing = [entity for entity in entities(text) if entity not in ends]
    left = room - count(ends) - 4
    if not missing or left < 4:
        return ends
    return f"{ends}\nalso: {cut(', '.join(missing), left, 'head', count, marker='')}"


def _lines(text: str, room: int, count: Count, wanted: Callable[[str], bool]) -> str:
    picked = "\n".join(line[:200] for line in text.splitlines() if wanted(line))
    return cut(picked, room, "head", count, marker="...")


def _json(value: Any, room: int, count: Count) -> str:
    """The whole structure with its strings shortened, if that fits; else its scalars. A list is
    never cut: which of its items a later call names can not be known."""
    if count(dump_json(_skeleton(value, STRINGS[-1]))) <= room:
        for characters in STRINGS:
            text = dump_json(_skeleton(value, characters))
            if count(text) <= room:
                return text
    return cut(_table(value), room, "head", count, marker="...")


def _table(value: Any) -> str:
    """The scalars under their names, identifying names first: `id: A1, A2; city: Rome`."""
    columns: dict[str, dict[str, None]] = {}
    for name, scalar in _scalars(value):
        columns.setdefault(name, {})[scalar] = None
    named = sorted(columns, key=lambda name: _rank(name, columns[name]))
    return "; ".join(f"{name}: {', '.join(columns[name])}" for name in named)


def _rank(name: str, values: dict[str, None]) -> int:
    """0 for what identifies by its look, 1 by its name, 2 for words, 3 for bare numbers."""
    looks = sum(_CODE.fullmatch(value) is not None for value in values)
    if looks * 2 > len(values):
        return 0
    if _IDENTIFIES.search(name):
        return 1
    return 3 if all(_NUMBER.fullmatch(value) for value in values) else 2


def _skeleton(value: Any, characters: int, depth: int = 0) -> Any:
    if isinstance(value, str):
        if len(value) <= characters or (len(value) <= IDENTIFIER and _CODE.fullmatch(value)):
            return value
        return value[: characters // 2].rstrip() + "…"
    if depth > 12:
        return "…"
    if isinstance(value, list):
        found: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return [_skeleton(item, characters, depth + 1) for item in found]
    if isinstance(value, dict):
        pairs: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return {key: _skeleton(item, characters, depth + 1) for key, item in pairs.items()}
    return value


def _scalars(value: Any, name: str = "values", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Short strings and numbers, each with the name that it stands under."""
    if isinstance(value, dict) and depth < 50:
        pairs: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        for key, item in pairs.items():
            yield from _scalars(item, key, depth + 1)
    elif isinstance(value, list) and depth < 50:
        found: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        for item in found:
            yield from _scalars(item, name, depth + 1)
    elif isinstance(value, str):
        if value and len(value) <= 48:
            yield name, value
    elif value is not None and not isinstance(value, bool):
        yield name, str(value)


def _first(arguments: dict[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return value
    return ""
