"""What a search found: the titles of all results first, then addresses, then what each says.

Read from the forms in which tools give them: numbered, `Title:` lines, links of Markdown,
paragraphs with an address in each, rows of JSON.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from contextwright.text.line_selection import Unit

LEAST = 3
"""Results from which on a text is a list of them."""
MOST_LINES = 5_000
"""Lines of a text that is read as one."""
TITLE = 200
"""Characters of a title at most: a longer line is prose."""
BEFORE = 4
"""A quarter of a text at most stands before its first result."""
FORMS: tuple[tuple[int | None, bool], ...] = (
    *((characters, True) for characters in (None, 640, 480, 320, 240, 160, 120, 80, 60, 40)),
    *((0, True), (0, False)),
)
"""Characters of what each says, None for all, and whether its address is told; from all of it to
the titles alone."""
TITLES = FORMS[-2:]

_LINK = re.compile(r"\[([^\]\n]{1,200})\]\((https?://(?:[^()\s]|\([^()\s]{0,200}\)){1,2000})\)")
_URL = re.compile(r"https?://[^\s<>\"')\]]+")
_FIELD = re.compile(r"\W{0,4}(?:url|link|source|href|address)\W{1,4}(?=https?:)", re.IGNORECASE)
_SAYS = re.compile(
    r"\W{0,4}(?:snippet|summary|description|content|text)\W{0,2}:\W{0,3}", re.IGNORECASE
)
_NUMBERED = re.compile(r"\s{0,3}\W{0,3}(\d{1,3})[\].):]\W{0,3}\s(\S.*)")
_TITLED = re.compile(r"\W{0,6}(?:page )?title\W{0,3}:\W{0,3}(\S.*)", re.IGNORECASE)
_LINKED = re.compile(r"(?:[-*#]+\s+|\s{0,3})(\[[^\]\n]+\]\(https?://.*)")
_TEXT_KEY = re.compile(r"(?:snippet|description|summary|content|text|body|excerpt)s?$")
_URL_KEY = re.compile(r"(?:url|link|href)$")
_META_KEY = re.compile(
    r"(?:score|date|published|source|position|rank|age|favicon|displayed|engine|site|domain|type)"
)


class Result(msgspec.Struct, frozen=True):
    """One of the results of a search."""

    title: str
    url: str
    says: str


class Listing(msgspec.Struct, frozen=True):
    """What a search found, and what stands before its results."""

    results: tuple[Result, ...]
    before: str = ""


def read_results(text: str) -> Listing | None:
    """The results that a text is a list of, at least three; None for any other text."""
    if text.count("http") < LEAST and text.lower().count("title") < LEAST:
        return None
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        return None
    ways = [starts_of(lines) for starts_of in (_titled, _numbered, _linked, _paragraphs)]
    for starts in sorted(ways, key=len, reverse=True):
        if len(starts) >= LEAST and (listing := _listing(lines, starts, text)):
            return listing
    return None


def results_in(value: Any) -> Listing | None:
    """The results that a JSON value has in a list of objects with titles and addresses and
    nothing that a later call would name beside them; None for any other."""
    if isinstance(value, dict):
        pairs: dict[str, Any] = value
        value = next((item for item in pairs.values() if isinstance(item, list) and item), None)
    if not isinstance(value, list) or len(value) < LEAST:
        return None
    results: list[Result] = []
    for item in value:
        result = _result_of(item)
        if result is None:
            return None
        results.append(result)
    return Listing(tuple(results))


def result_forms(
    listing: Listing, forms: Sequence[tuple[int | None, bool]] = FORMS
) -> Iterator[list[Unit]]:
    """A unit a result below a line with their number, in each form."""
    for says, with_url in forms:
        left = 0 if with_url else 1
        left += says == 0 and any(one.says for one in listing.results)
        without = " [… titles only]" if not with_url else " [… without texts]" if left else ""
        head = f"{len(listing.results)} results{without}:"
        units = [Unit(head, (0,), noun="parts", omits=left)]
        if listing.before and says is None:
            units.insert(0, Unit(listing.before, (2,)))
        place = len(units) - 1
        for nth, one in enumerate(listing.results):
            text = _shown(one, nth + 1, says, with_url)
            units.append(Unit(text, (1, nth), place, noun="results"))
        yield units


def _shown(one: Result, number: int, says: int | None, with_url: bool) -> str:
    address = f" <{one.url}>" if with_url and one.url else ""
    excerpt = one.says if says is None or len(one.says) <= says else ""
    if not excerpt and says:
        excerpt = one.says[:says].rpartition(" ")[0] + "…"
    return f"{number}. {one.title}{address}" + (f"\n   {excerpt}" if excerpt else "")


def _listing(lines: list[str], starts: dict[int, str], text: str) -> Listing | None:
    """The results that begin at these lines, if they look like such: an address or a text in most,
    little before the first, and none that is half of the text."""
    places = [*starts, len(lines)]
    before = "\n".join(lines[: places[0]]).strip()
    if len(before) * BEFORE > len(text):
        return None
    results: list[Result] = []
    complete = 0
    for start, end in pairwise(places):
        body = [line.strip() for line in lines[start + 1 : end]]
        title, url = _title_of(starts[start])
        bare = [_FIELD.sub("", line).strip("<>()[]*- ") for line in body]
        url = url or next((line for line in bare if _URL.fullmatch(line)), "")
        rest = [line for line, plain in zip(body, bare, strict=True) if plain != url]
        says = " ".join(" ".join(_SAYS.sub("", line) for line in rest).split())
        complete += bool(url and (says or any(body)))
        if len(title) > TITLE or (len(says) * 2 > len(text) and len(starts) > 1):
            return None
        results.append(Result(title, url, says))
    return Listing(tuple(results), before) if complete * 3 >= len(results) * 2 else None


def _title_of(line: str) -> tuple[str, str]:
    """The title in the line that a result begins with, and its address where it is a link."""
    link = _LINK.search(line)
    if link:
        return (line[: link.start()] + link[1] + line[link.end() :]).strip(" *#"), link[2]
    return line.strip(" *#"), ""


def _titled(lines: list[str]) -> dict[int, str]:
    return _matching(lines, lambda line: match[1] if (match := _TITLED.match(line)) else "")


def _linked(lines: list[str]) -> dict[int, str]:
    return _matching(lines, lambda line: match[1] if (match := _LINKED.match(line)) else "")


def _numbered(lines: list[str]) -> dict[int, str]:
    """Lines with the next number, or the first again: what is numbered within one is none."""
    starts: dict[int, str] = {}
    last = 0
    for place, line in enumerate(lines):
        match = _NUMBERED.match(line)
        if match and int(match[1]) in {last + 1, 1}:
            last = int(match[1])
            starts[place] = match[2]
    return starts


def _paragraphs(lines: list[str]) -> dict[int, str]:
    """The first lines of paragraphs, where nearly every paragraph has its address in a line."""
    starts: dict[int, str] = {}
    has_url: set[int] = set()
    at = -1
    for place, line in enumerate(lines):
        if not line.strip():
            at = -1
            continue
        if at < 0:
            at = place
            starts[place] = line
        elif _URL.search(line) and len(line.split()) <= 2:
            has_url.add(at)
    if len(has_url) * 10 < len(starts) * 7:
        return {}
    return {place: line for place, line in starts.items() if place in has_url}


def _matching(lines: list[str], title_of: Callable[[str], str]) -> dict[int, str]:
    titles = ((place, title_of(line)) for place, line in enumerate(lines))
    return {place: title for place, title in titles if title}


def _result_of(item: Any) -> Result | None:
    if not isinstance(item, dict):
        return None
    fields: dict[str, Any] = {str(key).lower(): value for key, value in item.items()}
    title, url, says = fields.pop("title", ""), "", ""
    for key, value in fields.items():
        if _URL_KEY.search(key) and not url:
            url = value
        elif _TEXT_KEY.search(key) and len(str(value)) > len(says):
            says = value
        elif not (_META_KEY.search(key) or value is None or value == ""):
            return None
    if not (isinstance(title, str) and title and isinstance(url, str) and isinstance(says, str)):
        return None
    return Result(title, url, " ".join(says.split())) if url else None
