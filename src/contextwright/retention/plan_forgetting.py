"""The plan of a forgetting cycle: the records that a policy names, less those that something
protects."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from contextwright.retention.erasable_store import Score
from contextwright.retention.retention_policy import RecordSelector, RetentionPolicy
from contextwright.stored_record import StoredRecord
from contextwright.stores.artifact_retention import GRACE_MS

Key = tuple[str, str]
"""A store's name and a record's id."""
Listed = tuple[str, StoredRecord]
"""A store's name and a record of it."""


class LegalHold(msgspec.Struct, frozen=True):
    """A legal hold: what it covers is neither forgotten, purged nor erased.

    Args:
        number: names it.
        time_ms, released_ms: milliseconds since 1970; not released, None.
    """

    number: int
    target: RecordSelector
    reason: str
    time_ms: int
    released_ms: int | None = None


class ProtectedRecord(msgspec.Struct, frozen=True):
    """A record that a policy names and something protects."""

    store: str
    id: str
    why: str


class ForgettingPlan(msgspec.Struct, frozen=True):
    """The records that go, with the reason, and those that stay though a policy names them."""

    evicted: tuple[tuple[str, StoredRecord, str], ...]
    held: tuple[ProtectedRecord, ...]


def plan_forgetting(
    records: Mapping[str, Sequence[StoredRecord]],
    policies: Sequence[RetentionPolicy],
    holds: Sequence[LegalHold],
    roots: Iterable[str],
    *,
    score: Score | None,
    now_ms: int,
) -> ForgettingPlan:
    """Work out a cycle. Doing it and planning again gives nothing more to do.

    Args:
        records: of each store.
        roots: paths of artifacts that must resolve, whatever goes.
        score: how much a text matters.
        now_ms: milliseconds since 1970.
    """
    everything = [(store, record) for store, listed in records.items() for record in listed]
    named = _named(everything, policies, score, now_ms)
    _follow(everything, named, _by_ref_path(everything))
    return without_protected(records, named, holds, roots, now_ms=now_ms)


def without_protected(
    records: Mapping[str, Sequence[StoredRecord]],
    named: Mapping[Key, str],
    holds: Sequence[LegalHold],
    roots: Iterable[str],
    *,
    now_ms: int,
) -> ForgettingPlan:
    """A plan of the records that policies name and nothing protects.

    Args:
        records, holds, roots, now_ms: as in `plan_forgetting`.
    """
    everything = [(store, record) for store, listed in records.items() for record in listed]
    ref_paths = _by_ref_path(everything)
    held = {
        (store, record.id): why
        for store, record in everything
        if (store, record.id) in named and (why := protection(store, record, holds, now_ms))
    }
    stay = [
        (store, record) for store, record in everything if _stays((store, record.id), named, held)
    ]
    waiting = [*roots, *(path for _, record in stay for path in record.refs)]
    seen: set[str] = set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for store, record in ref_paths.get(path, ()):
            if not _stays((store, record.id), named, held):
                held[store, record.id] = "what stays refers to it"
                waiting.extend(record.refs)
    return ForgettingPlan(
        evicted=tuple(
            (store, record, named[store, record.id])
            for store, record in everything
            if not _stays((store, record.id), named, held)
        ),
        held=tuple(ProtectedRecord(store, id, why) for (store, id), why in sorted(held.items())),
    )


def protection(store: str, record: StoredRecord, holds: Sequence[LegalHold], now_ms: int) -> str:
    """The reason for which no policy may have a record; empty where one may."""
    if record.pinned:
        return "pinned"
    if record.tier == 1:
        return "tier 1"
    if record.protected_by:
        return record.protected_by
    for hold in holds:
        if hold.target.covers(store, record):
            return f"legal hold {hold.number}"
    if record.ref_paths and record.time_ms is not None and now_ms - record.time_ms <= GRACE_MS:
        return "written within the hour"
    return ""


def _named(
    everything: list[Listed], policies: Sequence[RetentionPolicy], score: Score | None, now_ms: int
) -> dict[Key, str]:
    named: dict[Key, str] = {}
    for policy in policies:
        about = [
            (store, record)
            for store, record in everything
            if not record.container and policy.applies(store, record)
        ]
        for store, record in about:
            why = policy.reason(record, now_ms, score)
            if why:
                named.setdefault((store, record.id), why)
        for store, record in policy.excess([each for each in about if not each[1].refcounted]):
            named.setdefault((store, record.id), policy.excess_reason)
    return named


def _by_ref_path(everything: list[Listed]) -> dict[str, list[Listed]]:
    by_path: dict[str, list[Listed]] = {}
    for store, record in everything:
        for path in record.ref_paths:
            by_path.setdefault(path, []).append((store, record))
    return by_path


def _follow(
    everything: list[Listed], named: dict[Key, str], ref_paths: Mapping[str, Sequence[Listed]]
) -> None:
    """Bytes go with the names that stand for them."""
    for store, record in everything:
        if (store, record.id) in named:
            for path in record.refs:
                for where, other in ref_paths.get(path, ()):
                    if other.refcounted and where == store:
                        named.setdefault((where, other.id), f"nothing names it but {record.id}")


def _stays(key: Key, named: Mapping[Key, str], held: Mapping[Key, str]) -> bool:
    return key not in named or key in held
