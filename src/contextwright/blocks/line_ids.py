"""The ids by which lines of a note name what they tell in short: they are read as refs are, alone
(`e12`) or from one to another (`e12-e40`)."""

import re

from contextwright.blocks.block import Block
from contextwright.blocks.ref import event_ref, range_ref
from contextwright.session.event import Event
from contextwright.session.snapshot import Snapshot

LONGEST = 8
"""Characters of an event's id up to which it names its line; a longer one costs too much."""
_PLACE = re.compile(r"x(\d{1,12})")
_SHORT = re.compile(r"[A-Za-z]{0,4}\d+")
_PART = re.compile(rf"{_SHORT.pattern}#(?:\d*\.?\d+|\.\.{_SHORT.pattern})")
_RANGE = re.compile(rf"({_SHORT.pattern})(?:-({_SHORT.pattern}))?")


def line_id(block: Block) -> str:
    """What a line about this exchange begins with: the id of its first event where that is short,
    else its number among the exchanges of the log."""
    first = block.lineage[0] if block.lineage else ""
    if _SHORT.fullmatch(first) and len(first) <= LONGEST and not _PLACE.fullmatch(first):
        return first
    return f"x{block.order}"


def line_ids(first: Block, last: Block) -> str:
    """What names all exchanges from one to another."""
    return line_id(first) if first is last else f"{line_id(first)}-{line_id(last)}"


def ref_of_line(text: str) -> str:
    """The ref that such an id, a part of its event (`e12#0`), or a range of them stands for; any
    other text as it is."""
    ends = _RANGE.fullmatch(text.strip())
    if ends is None:
        return f"event://{text.strip()}" if _PART.fullmatch(text.strip()) else text
    return range_ref(ends[1], ends[2]) if ends[2] else event_ref(ends[1])


def event_of_line(text: str, snapshot: Snapshot) -> Event | None:
    """The event of this id, or the first one of the exchange that a line's id names."""
    event, place = snapshot.event(text), _PLACE.fullmatch(text)
    if event is not None or place is None or int(place[1]) >= snapshot.exchange_count:
        return event
    return snapshot.exchanges(int(place[1]), int(place[1]) + 1)[0].events[0]
