"""A tool result in few tokens: what was looked at in a line, then the content by its kind.

Never shaped like a call: a model would learn to write calls as prose.
"""

import re
from functools import partial
from typing import Any

from contextwright.text.content_router import shorten
from contextwright.text.cut import Count, cut
from contextwright.text.json_fields import load_json
from contextwright.text.json_units import read_json
from contextwright.text.ref_notes import END_NOTE, full_output_note
from contextwright.text.search_results import read_results

_WRITES = re.compile(r"write|save|create_file|edit|apply_patch|str_replace", re.IGNORECASE)
_SEARCHES = re.compile(r"search|query|find|list|grep|lookup|retrieve", re.IGNORECASE)
_PATH_KEYS = ("path", "file_path", "filename", "file", "filepath", "target_file")
_QUERY_KEYS = ("query", "q", "pattern", "search", "keywords", "question", "term")
_URL_KEYS = ("url", "uri", "link", "href")
_ACTION_KEYS = ("command", "action", "mode", "operation")
_READS = re.compile(r"view|read|open|show|cat|list|get|r", re.IGNORECASE)
_WRONG = re.compile(
    r"\b(?:errors?|warnings?|failed|failures?|conflicts?|rejected|invalid|denied|[A-Z]\d{3,4})\b",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?im)^#\s+(.{1,120})$|<title>([^<]{1,120})")
_COUNTED = re.compile(r"(\d+) (?:results|rows: )|[\w.]{1,40} \((\d+)\) ")
"""How the forms of results and rows begin: `8 results:`, `results (8) title/url`."""
HEAD = 20_000
"""Characters in which a page's title is looked for."""
REPORT = 60
"""Tokens of what a tool reports beside having written."""
LEAST = 8
"""Tokens beside the note with the ref that a result has in any case: a note alone says nothing."""


def target_of(arguments: Any) -> str:
    """What a call looked for: a query, an address or a path among its arguments; empty for none."""
    return _first(arguments, (*_QUERY_KEYS, *_URL_KEYS, *_PATH_KEYS))


def shorten_result(
    text: str,
    *,
    tool: str,
    arguments: str,
    max_tokens: int,
    count: Count,
    ref: str = "",
    is_told: bool = False,
) -> str:
    """A result in at most `max_tokens`; itself where it fits or would not get shorter.

    Args:
        tool: the name of what gave it.
        arguments: JSON of the call.
        max_tokens: tokens of all of it. Where a ref is given, room for it is always made.
        count: tokens of a text.
        ref: where the whole is; noted at the end.
        is_told: whether what was looked for stands in front already.
    """
    whole = count(text)
    match = END_NOTE.search(text)
    own_note = match if match and match[1] == ref else None
    if whole <= max_tokens or (own_note and not text[: own_note.start()].strip()):
        return text
    note = own_note[0].strip() if own_note else full_output_note(ref, whole)
    tail = f"\n{note}" if ref else ""
    source = text[: own_note.start()] if own_note else text
    room = max(LEAST, max_tokens - count(tail)) if ref else max_tokens
    call = {} if own_note else load_json(arguments)  # a result has one heading
    body = partial(_body, source, tool, call, count=count, is_told=is_told)
    short = f"{body(room)}{tail}".strip("\n")
    if (over := count(short) - max(max_tokens, count(tail) + LEAST)) > 0:
        # pieces may count more together than apart
        short = f"{body(max(1, room - over))}{tail}".strip("\n")
    return short if count(short) < whole else text


def _body(text: str, tool: str, call: Any, room: int, *, count: Count, is_told: bool) -> str:
    arguments: dict[str, Any] = call if isinstance(call, dict) else {}
    path = _first(arguments, _PATH_KEYS)
    if path and _is_write(tool, arguments):
        return _written(text, path, room, count)
    subject, outcome = _heading(text, tool, arguments, path)
    subject = "" if is_told else subject
    heading = subject + outcome
    left = room - count(heading) - 1 if heading else room
    if left < room // 4:
        subject = outcome = heading = ""
        left = room
    body = shorten(text, left, count).text
    counted = _COUNTED.match(body) if outcome else None
    if counted is not None and outcome == f"{counted[1] or counted[2]} results":
        rest = body[counted.end() :]  # how many there are is said once
        return f"{heading}{'' if rest[:1] in ' :' else ': '}{rest}"
    return "\n".join(piece for piece in (heading, body) if piece)


def _is_write(tool: str, arguments: dict[str, Any]) -> bool:
    """Whether a call wrote a file. One tool may do both, and says what it does in an argument."""
    if not _WRITES.search(tool):
        return False
    return not any(_READS.fullmatch(str(arguments.get(key, ""))) for key in _ACTION_KEYS)


def _written(text: str, path: str, room: int, count: Count) -> str:
    """Where it went, and what the tool reports beside that: data, or lines that say what is wrong.
    What was written stands in the call."""
    heading = cut(f"Output saved to {path}", room, "head", count, marker="…")
    lines = text.splitlines() if read_json(text) is None else []
    report = "\n".join(line for line in lines if _WRONG.search(line)) if lines else text
    left = min(REPORT, room - count(heading) - 1)
    body = shorten(report, left, count).text if left > 0 else ""
    return "\n".join(piece for piece in (heading, body) if piece)


def _heading(text: str, tool: str, arguments: dict[str, Any], path: str) -> tuple[str, str]:
    """What was looked at, and what came of it: a title, a number."""
    url, query = _first(arguments, _URL_KEYS), _first(arguments, _QUERY_KEYS)
    if url:
        title = _TITLE.search(text[:HEAD])
        return (f"{url} — ", (title[1] or title[2]).strip()) if title else (url, "")
    if query and _SEARCHES.search(tool):
        return f"Search {query[:160]!r} → ", _results(text)
    if path:
        return f"{path}: ", f"{text.count(chr(10)) + 1} lines"
    return "", ""


def _results(text: str) -> str:
    value = load_json(text)
    if value is None and (listing := read_results(text)) is not None:
        return f"{len(listing.results)} results"
    if isinstance(value, dict):
        lists = [item for item in value.values() if isinstance(item, list)]  # pyright: ignore
        value = max(lists, key=len) if lists else None  # pyright: ignore
    if isinstance(value, list):
        return f"{len(value)} results"  # pyright: ignore[reportUnknownArgumentType]
    return f"{sum(1 for line in text.splitlines() if line.strip())} lines"


def _first(arguments: Any, keys: tuple[str, ...]) -> str:
    for key in keys if isinstance(arguments, dict) else ():
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return value
    return ""
