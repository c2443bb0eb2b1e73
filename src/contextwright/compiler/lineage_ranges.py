"""The ids that a block stands for, in few: a note on ten thousand events names their ends."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from contextwright.blocks.ref import parse_ref, range_ref
from contextwright.session.log import Log

LONG = 32
"""Ids up to which a lineage is written out: a turn's, such as anybody reads."""
_PREFIX = "event://"


def in_ranges(ids: tuple[str, ...], log: Log) -> tuple[str, ...]:
    """The ids; of a long lineage, neighbours in the log as refs `event://FIRST#..LAST`."""
    if len(ids) <= LONG:
        return ids
    out: list[str] = []
    places = ((place, id, log.position_of(id)) for place, id in enumerate(ids))
    for _, group in groupby(places, key=lambda one: None if one[2] is None else one[2] - one[0]):
        members = [id for _, id, _ in group]
        if len(members) < 3 or log.position_of(members[0]) is None:
            out += members
        else:
            out.append(range_ref(members[0], members[-1]))
    return tuple(out)


def written_out(lineage: Iterable[str], log: Log) -> Iterator[str]:
    """The ids of a lineage that has ranges."""
    for id in lineage:
        ends = ends_of(id)
        first, last = (log.position_of(end) for end in ends or (id, id))
        if ends is None or first is None or last is None:
            yield id
        else:
            yield from (event.id for event in log[first : last + 1])


def ends_of(id: str) -> tuple[str, str] | None:
    """The first and the last id of a range; None for what is none."""
    if not id.startswith(_PREFIX):
        return None
    ref = parse_ref(id)
    return (ref.path, ref.part.removeprefix("..")) if ref.part.startswith("..") else None
