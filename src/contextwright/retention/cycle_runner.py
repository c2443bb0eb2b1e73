"""Running a forgetting cycle over the stores: planning, exporting, evicting, putting back."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from contextwright.retention.erasable_store import ErasableStore, Score
from contextwright.retention.failpoint import failpoint
from contextwright.retention.journal import Cycle, Journal, JournalTransaction, Tombstone, by_store
from contextwright.retention.plan_forgetting import (
    ForgettingPlan,
    LegalHold,
    plan_forgetting,
    without_protected,
)
from contextwright.retention.retention_policy import RetentionPolicy
from contextwright.retention.store_registry import require_store
from contextwright.stored_record import StoredRecord
from contextwright.stores.artifact_retention import forms


class CycleRunner:
    """Runs cycles as the journal says.

    Args:
        journal: says what is to be done.
        stores: by name.
        policies: retention policies.
        score: how much a text matters, 0 to 1, for policies with `min_salience`.
        live: gives refs of artifacts that must resolve for reasons that no store knows.
    """

    def __init__(
        self,
        journal: Journal,
        stores: Mapping[str, ErasableStore],
        policies: Sequence[RetentionPolicy],
        score: Score | None,
        live: Callable[[], Iterable[str]] | None,
    ) -> None:
        self._journal, self._stores, self._policies = journal, stores, policies
        self._score, self._live = score, live

    def plan(self, tx: JournalTransaction, now_ms: int) -> ForgettingPlan:
        """The plan of a new cycle.

        Args:
            tx: holds the lock on forgetting.
            now_ms: milliseconds since 1970.
        """
        records, holds, roots = self._inventory(tx)
        return plan_forgetting(
            records, self._policies, holds, roots, score=self._score, now_ms=now_ms
        )

    def _inventory(
        self, tx: JournalTransaction
    ) -> tuple[dict[str, list[StoredRecord]], list[LegalHold], list[str]]:
        """The records of every store, the active holds, and the refs that must resolve."""
        records = {name: store.records() for name, store in self._stores.items()}
        live = self._live() if self._live is not None else ()
        return records, tx.active_holds(), [form for ref in live for form in forms(ref)]

    def export(self, plan: ForgettingPlan) -> list[tuple[str, StoredRecord, str]]:
        """The evicted records, whole; what went by itself in between is left out."""
        reasons = {(store, record.id): why for store, record, why in plan.evicted}
        exported: list[tuple[str, StoredRecord, str]] = []
        for name, store in self._stores.items():
            ids = [id for where, id in reasons if where == name]
            for record in store.export(ids) if ids else ():
                exported.append((name, record, reasons[name, record.id]))
        return exported

    def _without_newly_protected(
        self, tx: JournalTransaction, cycle: Cycle, tombstones: list[Tombstone]
    ) -> list[Tombstone]:
        """The tombstones of a cycle, less those of records that were pinned or referred to since
        a process died. Such a record is in its store, and needs no way back."""
        named = {(each.store, each.record.id): each.why for each in tombstones}
        records, holds, roots = self._inventory(tx)
        held = without_protected(records, named, holds, roots, now_ms=cycle.time_ms).held
        stays = {(each.store, each.id) for each in held}
        left = [each for each in tombstones if (each.store, each.record.id) not in stays]
        tx.drop(cycle.number, [each.number for each in tombstones if each not in left])
        return left

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
        tombstones = tx.tombstones(cycle.number)
        if late:
            tombstones = self._without_newly_protected(tx, cycle, tombstones)
        for name, records in by_store(tombstones).items():
            require_store(self._stores, name, self._journal.path).remove(records)
            failpoint(f"removed {name}")
        tx.set_state(cycle.number, "forgotten")
        self.audit(tx, "forgotten", tombstones, cycle.time_ms, cycle.who, cycle.why)

    def _put_back(self, tx: JournalTransaction, cycle: Cycle) -> None:
        tombstones = tx.tombstones(cycle.number)
        restored: set[tuple[str, str]] = set()
        for name, records in by_store(tombstones).items():
            store = require_store(self._stores, name, self._journal.path)
            restored |= {(name, id) for id in store.restore(records)}
            failpoint(f"put back {name}")
        tx.set_state(cycle.number, "restored")
        tx.drop(cycle.number, [e.number for e in tombstones if (e.store, e.record.id) in restored])

    def audit(
        self,
        tx: JournalTransaction,
        what: str,
        tombstones: Sequence[Tombstone],
        time_ms: int,
        who: str,
        why: str,
    ) -> None:
        """A line of the audit log for each store and reason."""
        groups: dict[tuple[str, str], list[StoredRecord]] = {}
        for each in tombstones:
            groups.setdefault((each.store, each.why), []).append(each.record)
        for (store, reason), records in groups.items():
            line = f"{why}: {reason}" if why else reason
            tx.note(what, store, records, time_ms=time_ms, who=who, why=line)
