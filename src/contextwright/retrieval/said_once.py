"""The date that the lines of a session begin with, said once: `[8 May 2023, 13:56] Ann: ...`.

A date a line is words to find the line by, but to who reads a session only the first is news. Sent
with each of them it takes a quarter of 500 tokens.
"""

import re
from collections.abc import Collection, Mapping, Sequence

import msgspec

from contextwright.retrieval.item import Item

_DATE = re.compile(
    r"\[(?=[^\]\n]*(?:\b\d{4}\b|\d:\d\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)))"
    r"[^\]\n]{4,48}\] +(?=\S)",
    re.IGNORECASE,
)
"""What stands in brackets before a line and has a year, a time or a month."""

Session = tuple[str, str]
"""A thread, and the date of some lines of it."""


def date_of(text: str) -> str:
    """The date in brackets that a text begins with; empty for one without."""
    date = _DATE.match(text)
    return date[0] if date else ""


def session_of(item: Item) -> Session | None:
    """The thread and the date that an item begins with; None for one without a date."""
    date = date_of(item.text)
    return (item.thread, date) if date else None


def without_date(item: Item, session: Session) -> str:
    """The text of an item behind its date."""
    return item.text[len(session[1]) :]


def in_sessions(items: Sequence[Item], places: Collection[int]) -> list[int]:
    """Places in order, those of one session together, where its first one stands."""
    first: dict[Session, int] = {}
    keys: list[tuple[int, int]] = []
    for place in sorted(places):
        session = session_of(items[place])
        start = place if session is None else first.setdefault(session, place)
        keys.append((start, place))
    return [place for _, place in sorted(keys)]


def dated_once(items: Sequence[Item], whole: Mapping[int, Item]) -> dict[int, Item]:
    """Chosen items by their places, of each session only the first with its date.

    Args:
        items: all items.
        whole: those of them that were chosen; an excerpt is left as it is.
    """
    dated: dict[int, Item] = {}
    sessions: set[Session] = set()
    for place in in_sessions(items, whole):
        item, session = whole[place], session_of(items[place])
        if session is not None and item.text == items[place].text:
            if session in sessions:
                item = msgspec.structs.replace(item, text=without_date(item, session))
            sessions.add(session)
        dated[place] = item
    return dated
