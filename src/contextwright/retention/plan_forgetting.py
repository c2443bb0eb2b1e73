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
        time_ms: when it was put on, in milliseconds since 1970.
    """

    number: int
    target: RecordSelector
    reason: str
    time_ms: int


class ProtectedRecord(msgspec.Struct, frozen=True):
    """A record that a policy names and something protects."""

    store: str
    id: str
    why: str


class ForgettingPlan(msgspec.Struct, frozen=True):
    """The records that go, with the reason, those that stay though a policy names them, and those
    that are damaged, by store and id."""

    evicted: tuple[tuple[str, StoredRecord, str], ...]
    held: tuple[ProtectedRecord, ...]
    damaged: tuple[Key, ...] = ()


class Inventory:
    """All that a cycle decides about.

    Args:
        records: of each store.
        holds: the legal holds.
        roots: paths of artifacts that must resolve, whatever goes.
        now_ms: milliseconds since 1970.
    """

    def __init__(
        self,
        records: Mapping[str, Sequence[StoredRecord]],
        holds: Sequence[LegalHold],
        roots: Iterable[str],
        now_ms: int,
    ) -> None:
        self.records = [(store, record) for store, listed in records.items() for record in listed]
        self.holds, self.roots, self.now_ms = holds, roots, now_ms
        self.by_ref_path: dict[str, list[Listed]] = {}
        for store, record in self.records:
            for path in record.ref_paths:
                self.by_ref_path.setdefault(path, []).append((store, record))


def plan_forgetting(
    inventory: Inventory, policies: Sequence[RetentionPolicy], *, score: Score | None
) -> ForgettingPlan:
    """Work out a cycle. Doing it and planning again gives nothing more to do."""
    named: dict[Key, str] = {}
    for policy in policies:
        covered = [
            (store, record)
            for store, record in inventory.records
            if not record.container and policy.applies(store, record)
        ]
        for store, record in covered:
            why = policy.reason(record, inventory.now_ms, score)
            if why:
                named.setdefault((store, record.id), why)
        for store, record in policy.excess([each for each in covered if not each[1].refcounted]):
            named.setdefault((store, record.id), policy.excess_reason)
    _name_bytes(inventory, named)
    return without_protected(inventory, named)


def without_protected(inventory: Inventory, named: Mapping[Key, str]) -> ForgettingPlan:
    """A plan of the records that policies name, by the reason, and nothing protects."""
    held: dict[Key, str] = {}
    waiting = list(inventory.roots)
    for store, record in inventory.records:
        key = (store, record.id)
        why = protection(store, record, inventory.holds, inventory.now_ms) if key in named else ""
        if why:
            held[key] = why
        if why or key not in named:
            waiting.extend(record.refs)
    seen: set[str] = set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for store, record in inventory.by_ref_path.get(path, ()):
            key = (store, record.id)
            if key in named and key not in held:
                held[key] = "what stays refers to it"
                waiting.extend(record.refs)
    return ForgettingPlan(
        evicted=tuple(
            (store, record, named[store, record.id])
            for store, record in inventory.records
            if (store, record.id) in named and (store, record.id) not in held
        ),
        held=tuple(ProtectedRecord(store, id, why) for (store, id), why in sorted(held.items())),
        damaged=tuple((store, record.id) for store, record in inventory.records if record.damage),
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


def _name_bytes(inventory: Inventory, named: dict[Key, str]) -> None:
    """Bytes go with the names that stand for them."""
    for store, record in inventory.records:
        if (store, record.id) in named:
            for path in record.refs:
                for where, other in inventory.by_ref_path.get(path, ()):
                    if other.refcounted and where == store:
                        named.setdefault((where, other.id), f"nothing names it but {record.id}")
