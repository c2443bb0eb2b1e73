"""Running a forgetting cycle over the stores: planning, exporting, evicting, putting back."""

from collections.abc import Callable, Iterable, Sequence

from contextwright.retention.erasable_store import Score
from contextwright.retention.failpoint import failpoint
from contextwright.retention.journal import (
    Cycle,
    JournalStore,
    JournalTransaction,
    Tombstone,
    by_store,
)
from contextwright.retention.plan_forgetting import (
    ForgettingPlan,
    Inventory,
    plan_forgetting,
    without_protected,
)
from contextwright.retention.retention_policy import RetentionPolicy
from contextwright.retention.store_registry import StoreRegistry
from contextwright.stored_record import StoredRecord
from contextwright.stores.artifact_retention import forms


class CycleRunner:
    """Runs cycles as the journal says; its parts are those of a `Lethe`."""

    def __init__(
        self,
        journal: JournalStore,
        stores: StoreRegistry,
        policies: Sequence[RetentionPolicy],
        score: Score | None,
        live: Callable[[], Iterable[str]] | None,
    ) -> None:
        self._journal, self._stores, self._policies = journal, stores, policies
        self._score, self._live = score, live

    def plan(self, tx: JournalTransaction, now_ms: int) -> ForgettingPlan:
        """The plan of a new cycle, within the lock on forgetting."""
        return plan_forgetting(self._inventory(tx, now_ms), self._policies, score=self._score)

    def _inventory(self, tx: JournalTransaction, now_ms: int) -> Inventory:
        records = {name: store.records() for name, store in self._stores.items()}
        live = self._live() if self._live is not None else ()
        roots = [form for ref in live for form in forms(ref)]
        return Inventory(records, tx.active_holds(), roots, now_ms)

    def export(self, plan: ForgettingPlan) -> list[tuple[str, StoredRecord, str]]:
        """The evicted records, whole; what went by itself in between is left out."""
        reasons = {(store, record.id): why for store, record, why in plan.evicted}
        exported: list[tuple[str, StoredRecord, str]] = []
        for name, store in self._stores.items():
            ids = [id for where, id in reasons if where == name]
            for record in store.export(ids) if ids else ():
                exported.append((name, record, reasons[name, record.id]))
        return exported

    def complete(self, number: int, *, late: bool = False) -> None:
        """Do what the journal says is to be done with a cycle; late, where a process died."""
        with self._journal.writing() as tx:
            cycle = tx.cycle(number)
            if cycle is not None and cycle.state == "forgetting":
                self._evict(tx, cycle, late=late)
            elif cycle is not None and cycle.state == "restoring":
                self._put_back(tx, cycle)
            failpoint("marked")
        failpoint("done")

    def _evict(self, tx: JournalTransaction, cycle: Cycle, *, late: bool) -> None:
        if late:
            self._drop_protected(tx, cycle)
        tombstones = tx.tombstones(cycle.number)
        for name, records in by_store(tombstones).items():
            self._stores.require(name).remove(records)
            failpoint(f"removed {name}")
        tx.set_state(cycle.number, "forgotten")
        audit_cycle(tx, "forgotten", tombstones, cycle.time_ms, cycle.who, cycle.why)

    def _drop_protected(self, tx: JournalTransaction, cycle: Cycle) -> None:
        """Drop the tombstones of records that were pinned or referred to since a process died.
        Such a record is in its store, and needs no way back."""
        tombstones = tx.tombstones(cycle.number)
        named = {(each.store, each.record.id): each.why for each in tombstones}
        held = without_protected(self._inventory(tx, cycle.time_ms), named).held
        stays = {(each.store, each.id) for each in held}
        tx.drop(cycle.number, [e for e in tombstones if (e.store, e.record.id) in stays])

    def _put_back(self, tx: JournalTransaction, cycle: Cycle) -> None:
        tombstones = tx.tombstones(cycle.number)
        restored: set[tuple[str, str]] = set()
        for name, records in by_store(tombstones).items():
            restored |= {(name, id) for id in self._stores.require(name).restore(records)}
            failpoint(f"put back {name}")
        tx.set_state(cycle.number, "restored")
        tx.drop(cycle.number, [e for e in tombstones if (e.store, e.record.id) in restored])


def audit_cycle(
    tx: JournalTransaction,
    what: str,
    tombstones: Sequence[Tombstone],
    time_ms: int,
    who: str,
    why: str,
) -> None:
    """Add a line to the audit log for each store and reason."""
    groups: dict[tuple[str, str], list[StoredRecord]] = {}
    for each in tombstones:
        groups.setdefault((each.store, each.why), []).append(each.record)
    for (store, reason), records in groups.items():
        line = f"{why}: {reason}" if why else reason
        tx.note(what, store, records, time_ms=time_ms, who=who, why=line)
