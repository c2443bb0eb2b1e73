"""Where a session was forked from, and what its rewinds left behind: plain data in its metadata, so
that every format and store which keeps metadata keeps both."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from contextwright.errors import SessionError
from contextwright.session.event import Event
from contextwright.session.log import Log
from contextwright.session.state import StateChange
from contextwright.typed_decoding import converted

if TYPE_CHECKING:
    from contextwright.session.session import Session

FORK = "contextwright.fork"
LINEAGES = "contextwright.lineages"
SPENT = "contextwright.spent"
OWN_KEYS = (LINEAGES, SPENT)
"""Keys of a session's metadata that a fork does not take: what was left, and what was billed."""


class ForkOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """Where a session was forked from.

    Args:
        session: the id of the session that it was forked from.
        root: the id of the session that the first of these forks was made from. Its name stands
            for the conversation: what the requests of both begin with stays byte for byte.
        position, state_version: the events and state changes that both begin with.
    """

    session: str
    root: str
    position: int
    state_version: int


class SavedLineage(msgspec.Struct, frozen=True, kw_only=True):
    """What a rewind left behind, beside what it has in common with the lineage that came next.

    Args:
        position, state_version: the events and state changes in common.
        events, changes: those after them.
    """

    position: int
    state_version: int
    events: tuple[Event, ...]
    changes: tuple[StateChange, ...]


def fork_origin(metadata: Mapping[str, Any]) -> ForkOrigin | None:
    """Where a session with this metadata was forked from; None for one that was not."""
    return _converted(metadata, FORK, ForkOrigin) if FORK in metadata else None


def root_id(metadata: Mapping[str, Any], session_id: str) -> str:
    """The id that stands for the conversation: of the session that was forked first, if any."""
    origin = fork_origin(metadata) if FORK in metadata else None
    return session_id if origin is None else origin.root


def saved_lineages(metadata: Mapping[str, Any]) -> tuple[SavedLineage, ...]:
    """The lineages in a session's metadata, oldest first.

    Raises:
        SessionError: they are not what a rewind wrote.
    """
    if LINEAGES not in metadata:
        return ()
    return _converted(metadata, LINEAGES, tuple[SavedLineage, ...])


def lineage_record(
    log: Log, changes: Sequence[StateChange], position: int, state_version: int
) -> dict[str, Any]:
    """A lineage as it is saved: what it has behind a cut."""
    return {
        "position": position,
        "state_version": state_version,
        "events": [msgspec.json.decode(body) for body in log.bodies(position, len(log))],
        "changes": msgspec.to_builtins(changes[state_version:]),
    }


def rewritten_lineages(
    session: "Session", lineages: Sequence["Session"], saved: Sequence[SavedLineage]
) -> list[dict[str, Any]]:
    """The records of lineages whose events were rewritten.

    Args:
        session: as it is now.
        lineages: its lineages as they are now, oldest first.
        saved: what they were.
    """
    records: list[dict[str, Any]] = []
    afters = (*lineages[1:], session)
    for lineage, after, before in zip(lineages, afters, saved, strict=True):
        position = _shared(list(lineage.log), list(after.log), before.position)
        version = _shared(lineage.changes, after.changes, before.state_version)
        records.append(lineage_record(lineage.log, lineage.changes, position, version))
    return records


def _shared(one: Sequence[Any], other: Sequence[Any], most: int) -> int:
    """How many first items two sequences have in common, of so many."""
    same = 0
    for left, right in zip(one[:most], other, strict=False):
        if left != right:
            break
        same += 1
    return same


def position_before(log: Log, at: object, where: str) -> int:
    """The position in front of an event: its id, or the position itself.

    Raises:
        SessionError: there is no such event.
    """
    if isinstance(at, str):
        position = log.position_of(at)
        if position is not None:
            return position
        last = log.ids(max(0, len(log) - 3), len(log))
        raise SessionError(
            f"no event has the id {at!r}",
            where=where,
            fix=f"the newest are {', '.join(last) or 'none'}; a turn is named by turn=",
        )
    if isinstance(at, bool) or not isinstance(at, int) or not 0 <= at <= len(log):
        raise SessionError(
            f"expected a position or an event's id, got {at!r}",
            where=where,
            fix=f"a position from 0 to {len(log)}, the number of events that stay",
        )
    return at


def position_of_turn(log: Log, turn: object, where: str) -> int:
    """The position in front of a turn, counted from 0, or from the newest as -1. Instructions that
    stand before the first one are not of it.

    Raises:
        SessionError: there is no such turn.
    """
    count = log.turn_count(len(log))
    if isinstance(turn, bool) or not isinstance(turn, int) or not -count <= turn < count:
        raise SessionError(
            f"expected a turn, got {turn!r}",
            where=where,
            fix=f"one from 0 to {count - 1}, or from -1, the newest, to {-count}",
        )
    exchange = max(log.turns.start(turn % count), log.turns.preamble)
    return _first_position(log, exchange)


def whole_cut(log: Log, position: int) -> int:
    """The cut at a position, or the one in front of the calls whose results it would part from
    them. A result that came after others had spoken is no reason: its call was open by then."""
    if not 0 < position < len(log):
        return position
    exchange = log.exchange_index(position)
    newest = log.exchange_count(position) - 1
    return _first_position(log, exchange) if exchange == newest else position


def _first_position(log: Log, exchange: int) -> int:
    exchanges = log.exchanges(exchange, exchange + 1, len(log))
    return exchanges[0].positions[0] if exchanges else len(log)


def _converted(metadata: Mapping[str, Any], key: str, kind: Any) -> Any:
    try:
        return converted(metadata[key], kind)
    except (msgspec.ValidationError, ValueError) as error:
        raise SessionError(
            f"not what a fork or a rewind wrote: {error}"[:300],
            where=f"session metadata {key!r}",
            fix="take the session from where it was kept; this key is not for others to write",
        ) from error
