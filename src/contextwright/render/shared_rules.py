"""Rules that all providers have (U rules), and the walks that their own rules share."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from contextwright.render.wire import encodable

Broken = Iterator[tuple[str, str]]
"""The places where a rule is broken, and what is wrong there."""
Rule = Callable[[Any], Broken]
"""A rule of a provider: a request to the places where it is broken."""


def text_is_encodable(request: Any) -> Broken:
    """U1: every string is strict UTF-8."""
    yield from encodable(request)


def numbered(request: Any, key: str) -> Iterator[tuple[str, Any]]:
    """The items of a list in the request, each with its place."""
    for place, item in enumerate(request[key]):
        yield f"{key}[{place}]", item


def names_are_unique(names: Iterable[str], where: str, pattern: re.Pattern[str]) -> Broken:
    """U8: a list of tools that is there has some, with different, valid names."""
    names = list(names)
    if not names or len(names) != len(set(names)):
        yield where, "no tools, or two of one name"
    for place, name in enumerate(names):
        if not pattern.fullmatch(name):
            yield f"{where}[{place}]", f"the tool name {name!r}"
