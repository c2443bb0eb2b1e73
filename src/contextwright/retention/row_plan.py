"""Which rows go: those that a policy names, less those that something protects."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from contextwright.retention.place import Row, Score
from contextwright.retention.policies import Retention, Target
from contextwright.stores.artifact_retention import GRACE_MS

Key = tuple[str, str]
"""A place's name and a row's id."""


class Hold(msgspec.Struct, frozen=True):
    """A legal hold: what it covers is neither forgotten, purged nor erased.

    Args:
        number: names it.
        time_ms, released_ms: milliseconds since 1970; not released, None.
    """

    number: int
    target: Target
    reason: str
    time_ms: int
    released_ms: int | None = None


class Kept(msgspec.Struct, frozen=True):
    """What a policy names and something protects."""

    place: str
    id: str
    why: str


class Plan(msgspec.Struct, frozen=True):
    """Rows that go, with why; and those that stay though a policy names them."""

    goes: tuple[tuple[str, Row, str], ...]
    held: tuple[Kept, ...]


def plan(
    rows: Mapping[str, Sequence[Row]],
    policies: Sequence[Retention],
    holds: Sequence[Hold],
    roots: Iterable[str],
    *,
    score: Score | None,
    now_ms: int,
) -> Plan:
    """Work out a cycle. Doing it and planning again gives nothing more to do.

    Args:
        rows: what each place has.
        roots: paths of artifacts that must resolve, whatever goes.
        score: how much a text matters.
        now_ms: milliseconds since 1970.
    """
    everything = [(place, row) for place, listed in rows.items() for row in listed]
    named = _named(everything, policies, score, now_ms)
    _follow(everything, named, _known_as(everything))
    return free(rows, named, holds, roots, now_ms=now_ms)


def free(
    rows: Mapping[str, Sequence[Row]],
    named: Mapping[Key, str],
    holds: Sequence[Hold],
    roots: Iterable[str],
    *,
    now_ms: int,
) -> Plan:
    """Of what was named, with why, what nothing protects.

    Args:
        rows, holds, roots, now_ms: as in `plan`.
    """
    everything = [(place, row) for place, listed in rows.items() for row in listed]
    known_as = _known_as(everything)
    held = {
        (place, row.id): why
        for place, row in everything
        if (place, row.id) in named and (why := protection(place, row, holds, now_ms))
    }
    stay = [(place, row) for place, row in everything if _stays((place, row.id), named, held)]
    waiting = [*roots, *(path for _, row in stay for path in row.refs)]
    seen: set[str] = set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for place, row in known_as.get(path, ()):
            if not _stays((place, row.id), named, held):
                held[place, row.id] = "what stays refers to it"
                waiting.extend(row.refs)
    return Plan(
        goes=tuple(
            (place, row, named[place, row.id])
            for place, row in everything
            if not _stays((place, row.id), named, held)
        ),
        held=tuple(Kept(place, id, why) for (place, id), why in sorted(held.items())),
    )


def protection(place: str, row: Row, holds: Sequence[Hold], now_ms: int) -> str:
    """Why no policy may have a row; empty where one may."""
    if row.pinned:
        return "pinned"
    if row.tier == 1:
        return "tier 1"
    if row.stays:
        return row.stays
    for hold in holds:
        if hold.target.covers(place, row):
            return f"legal hold {hold.number}"
    if row.known_as and row.time_ms is not None and now_ms - row.time_ms <= GRACE_MS:
        return "written within the hour"
    return ""


def _named(
    everything: list[tuple[str, Row]],
    policies: Sequence[Retention],
    score: Score | None,
    now_ms: int,
) -> dict[Key, str]:
    named: dict[Key, str] = {}
    for policy in policies:
        about = [
            (place, row)
            for place, row in everything
            if not row.whole and policy.applies(place, row)
        ]
        for place, row in about:
            why = policy.says(row, now_ms, score)
            if why:
                named.setdefault((place, row.id), why)
        for place, row in policy.beyond([each for each in about if not each[1].follows]):
            named.setdefault((place, row.id), policy.too_many)
    return named


def _known_as(everything: list[tuple[str, Row]]) -> dict[str, list[tuple[str, Row]]]:
    found: dict[str, list[tuple[str, Row]]] = {}
    for place, row in everything:
        for path in row.known_as:
            found.setdefault(path, []).append((place, row))
    return found


def _follow(
    everything: list[tuple[str, Row]],
    named: dict[Key, str],
    known_as: Mapping[str, Sequence[tuple[str, Row]]],
) -> None:
    """Bytes go with the names that stand for them."""
    for place, row in everything:
        if (place, row.id) in named:
            for path in row.refs:
                for where, other in known_as.get(path, ()):
                    if other.follows and where == place:
                        named.setdefault((where, other.id), f"nothing names it but {row.id}")


def _stays(key: Key, named: Mapping[Key, str], held: Mapping[Key, str]) -> bool:
    return key not in named or key in held
