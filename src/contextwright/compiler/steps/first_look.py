"""Where the first compile under a fold begins to look (rules.md#horizon): what lies in front of the
place before the newest at which steps begin anew decides nothing, so it is told from sums over the
log, and no block is made of it."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from weakref import ref

from contextwright.blocks.block import Block
from contextwright.compiler.steps.known_prefix import KnownPrefix
from contextwright.compiler.steps.origins import Origins, stretch
from contextwright.compiler.token_sums import place_of, running_tokens, tokens_between
from contextwright.session.event_index import ORPHAN, SPOKEN
from contextwright.session.log import Log
from contextwright.session.snapshot import Snapshot
from contextwright.spec.inputs import Inputs
from contextwright.spec.saved_fold import SavedPrefix

MORE = 2
"""Limits that a first compile looks at beside two stretches between places where steps begin anew:
each is longer than that by what comes up to the assistant's next message."""
GRAINS = 4
"""Parts of a stretch by which the place moves where every compile begins there: what lies in front
of it is not shortened any more."""


def told_prefix(limit: int, inputs: Inputs) -> KnownPrefix | None:
    """What a compile need not look at that knows no fold; None where that is nothing."""
    snapshot, log, first = inputs.snapshot, inputs.snapshot.log, inputs.snapshot.preamble
    last = snapshot.exchange_count - 1
    if snapshot.position != len(log) or last <= first:
        return None
    tokens = tokens_between(first, last, inputs) - 2 * stretch(limit, inputs) - MORE * limit
    if inputs.lessens:
        tokens -= tokens % (stretch(limit, inputs) // GRAINS)
    place = place_of(tokens, last, inputs) if tokens > 0 else first
    orphans = log.ends("kind", ORPHAN, snapshot.position)  # which no request has
    if place <= first or (orphans is not None and log.exchange_index(orphans[0]) < place):
        return None
    before, joins = tokens_between(first, place, inputs), len(log.late_joins())
    saved = SavedPrefix(place - first, place, snapshot.position, joins, before)
    return KnownPrefix(ref(log), saved, inputs.protection.exchanges)


def told_origins(known: KnownPrefix, task: Block | None, space: int, inputs: Inputs) -> Origins:
    """Where steps begin anew in what was not looked at.

    Args:
        task: the task as it is sent, if it is there. space: what exchanges and note may have.
    """
    snapshot, first = inputs.snapshot, inputs.snapshot.preamble
    sums = running_tokens(first, known.stop, inputs)
    if task is not None:
        place = task.order - first
        more = inputs.cost(task) - (sums[place + 1] - sums[place])
        if more:
            sums[place + 1 :] = [tokens + more for tokens in sums[place + 1 :]]
    before, origin, most = 0, 0, stretch(space, inputs)
    while (place := _next_origin(sums, origin, most, snapshot)) < known.place:
        before, origin = origin, place
    users = exchanges_with("kind", SPOKEN, first, known.stop, snapshot)
    turns = len(users) - bisect_left(users, first + origin)
    anew = Origins()
    anew.begin(
        known.place, origin, before, sums[known.place] - sums[origin], turns, are_logged=True
    )
    return anew


def _next_origin(sums: Sequence[int], origin: int, most: int, snapshot: Snapshot) -> int:
    """The place behind `origin` at which steps begin anew; behind the sums where there is none."""
    place = bisect_right(sums, sums[origin] + most, origin)
    log, first = snapshot.log, snapshot.preamble
    while place < len(sums) and _role(log, first + place) != "assistant":
        place += 1
    return place


def _role(log: Log, index: int) -> str:
    return log.events_of(index, index + 1)[0][0].role


def exchanges_with(
    attribute: str, value: str, start: int, stop: int, snapshot: Snapshot
) -> list[int]:
    """The exchanges from `start` up to `stop` that somebody began who answers no call: the user,
    the system."""
    indices = snapshot.log.exchange_indices(snapshot.positions(attribute, value))
    return [index for index in indices if start <= index < stop]
