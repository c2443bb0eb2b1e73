"""`Lethe`: eviction by retention policy, legal holds, restore, purge, and the right to erasure."""

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from contextwright.errors import StoreError
from contextwright.retention.cycle_runner import CycleRunner, audit_cycle
from contextwright.retention.data_subject import DataSubject
from contextwright.retention.erasable_store import Score, TextScorer, score_function
from contextwright.retention.erasure import (
    refuse_if_held,
    run_erasure,
    with_derived_data,
)
from contextwright.retention.failpoint import failpoint
from contextwright.retention.journal import (
    AuditEntry,
    Cycle,
    ErasureRequest,
    Journal,
    JournalStore,
    JournalTransaction,
    Tombstone,
)
from contextwright.retention.plan_forgetting import LegalHold, protection
from contextwright.retention.reports import (
    Action,
    CycleReport,
    ErasureReport,
    PurgeReport,
    RestoreReport,
)
from contextwright.retention.retention_policy import RecordSelector, RetentionPolicy
from contextwright.retention.store_registry import StoreRegistry
from contextwright.retention.subject_matcher import SubjectIds
from contextwright.retention.validation import require, text_tuple
from contextwright.stored_record import StoredRecord
from contextwright.stores.database import clock_ms
from contextwright.tokens.counter import counter_for

COUNTED_AS = "gpt-5"
"""The model whose tokens actions are counted in where no counter is given."""

WHEN = "give whole milliseconds since 1970, or leave it out"


class Lethe:
    """Forgets in several stores at once, all or nothing.

    Evicted records are written into the journal first, whole, as tombstones; then the stores
    remove them. Opening it after a crash goes on with that. For threads and processes; one changes
    the stores at a time.

    Args:
        path: the journal's file, of its own; made where it is missing. Or a `PostgresJournal`, for
            stores over one database: what they forget is in its journal, or neither.
        stores: `SQLiteSessions`, `SQLiteMemory`, `SQLiteAnswers`, `RecentAnswers`,
            `SemanticCache`, `FileArtifacts`, `ObjectArtifacts`, `Index`, any `SessionStore`,
            `RecordStore` or `ErasableStore`.
        policies: retention policies; a single one is one.
        salience: scores texts from 0 to 1, for policies with `min_salience`.
        live: gives refs of artifacts that must resolve for reasons that no store here knows.
        count: tokens of a text, for the report.
        clock: milliseconds since 1970, where a call gives no time.

    Raises:
        StoreError: no such journal, a policy that can not be followed or is about a store that
            was not given, or an unfinished cycle over a store that was not given.
    """

    def __init__(
        self,
        path: str | Path | JournalStore,
        *stores: Any,
        policies: RetentionPolicy | Iterable[RetentionPolicy] = (),
        salience: Score | TextScorer | None = None,
        live: Callable[[], Iterable[str]] | None = None,
        count: Callable[[str], int] | None = None,
        clock: Callable[[], int] = clock_ms,
    ) -> None:
        self._clock, self._count = clock, count or counter_for(COUNTED_AS).count
        self.policies = (policies,) if isinstance(policies, RetentionPolicy) else tuple(policies)
        fix = "give a file of its own first, then the stores: Lethe('lethe.db', sessions, memory)"
        journal = path if isinstance(path, JournalStore) else None
        if journal is None:
            path = str(path) if isinstance(path, Path) else path
            place = require(path, str, "Lethe(path, ...)", fix)
        else:
            place = journal.path
        self._stores, score = StoreRegistry(stores, place), score_function(salience)
        for each in self.policies:
            where, fix = "Lethe(..., policies=...)", "such as [RetentionPolicy(max_age_days=90)]"
            require(each, RetentionPolicy, where, fix)
            self._stores.check_selected(each.over.stores, f"policy {each.name!r}")
            if score is None and each.min_salience is not None:
                raise StoreError(
                    "a policy asks for salience and nothing scores it",
                    where="Lethe(..., salience=...)",
                    fix="give a SalienceScorer, or any `score(text) -> float`",
                )
        self._journal = journal or Journal(place)
        self._runner = CycleRunner(self._journal, self._stores, self.policies, score, live)
        try:
            self.finish()
        except BaseException:
            self._journal.close()
            raise

    def close(self) -> None:
        """Close the journal; the stores stay open."""
        self._journal.close()

    def apply_retention_policy(
        self, *, now_ms: int | None = None, dry: bool = False, who: str = "", why: str = ""
    ) -> CycleReport:
        """Forget what the policies name and nothing protects, in all stores or in none. What is
        damaged is passed over, and named in the report.

        Args:
            now_ms: milliseconds since 1970; by default the clock's.
            dry: say what would go, forget nothing.
            who, why: for the audit log.

        Raises:
            StoreError: no time; or a store can not be read or written. Once the cycle is in the
                journal, the next call goes on with it.
        """
        now = self._time(now_ms)
        if not self.policies:
            self.finish()
            return CycleReport(0, (), ())
        with self._exclusive() as tx:
            plan = self._runner.plan(tx, now)
            actions = tuple(self._action(*each) for each in plan.evicted)
            if dry or not plan.evicted:
                return CycleReport(0, actions, plan.held, plan.damaged)
            cycle = tx.begin(self._runner.export(plan), time_ms=now, who=who, why=why)
            failpoint("written")
        failpoint("committed")
        self._runner.complete(cycle)
        return CycleReport(cycle, actions, plan.held, plan.damaged)

    def restore(self, cycle: int, *, who: str = "", why: str = "") -> RestoreReport:
        """Put back what a cycle forgot, as it was. It goes again with the next cycle, unless a
        hold or a pin protects it by then.

        Raises:
            StoreError: there is nothing to be put back: no such cycle, or purged; or a store
                that it is about was not given.
        """
        with self._exclusive() as tx:
            stored = tx.cycle(cycle)
            held = [(each.store, each.record.id) for each in tx.tombstones(cycle)]
            # what a restore left may have room by now, such as a name whose bytes are back
            again = stored is not None and stored.state == "restored" and bool(held)
            if stored is None or not (stored.state == "forgotten" or again):
                state = stored.state if stored is not None else "unknown"
                raise StoreError(
                    f"cycle {cycle} can not be restored: it is {state}",
                    where=self._journal.path,
                    fix="cycles() lists those that are forgotten and not purged",
                )
            for name, _ in held:
                self._stores.require(name)
            tx.set_state(cycle, "restoring")
            audit_cycle(tx, "restored", tx.tombstones(cycle), self._clock(), who, why)
            failpoint("written")
        failpoint("committed")
        self._runner.complete(cycle)
        with self._journal.reading() as tx:
            left = tuple((each.store, each.record.id) for each in tx.tombstones(cycle))
        return RestoreReport(tuple(each for each in held if each not in left), left)

    def purge(self, before_ms: int, *, who: str = "", why: str = "") -> PurgeReport:
        """Let go for good of what was forgotten before a time; the files are written anew.

        Args:
            before_ms: milliseconds since 1970.
        """
        before_ms = require(before_ms, int, "purge(before_ms)", WHEN)
        cycles: list[int] = []
        dropped: list[Tombstone] = []
        held = 0
        with self._exclusive() as tx:
            holds = tx.active_holds()
            for cycle in tx.cycles():
                tombstones = tx.tombstones(cycle.number) if cycle.time_ms < before_ms else []
                free = [
                    each
                    for each in tombstones
                    if not any(hold.target.covers(each.store, each.record) for hold in holds)
                ]
                tx.drop(cycle.number, free)
                audit_cycle(tx, "purged", free, self._clock(), who, why)
                held += len(tombstones) - len(free)
                dropped += free
                if free and len(free) == len(tombstones):
                    tx.set_state(cycle.number, "purged")
                    cycles.append(cycle.number)
            scrub = ErasureRequest(time_ms=before_ms, subject=None, stores=self._stores.durable)
            if dropped:
                scrub = tx.request_erasure(scrub)
            failpoint("written")
        if dropped:
            run_erasure(self._journal, self._stores, scrub)
        size = sum(len(each.record.body) for each in dropped)
        return PurgeReport(tuple(cycles), len(dropped), size, held)

    def erase(
        self,
        subject: DataSubject,
        *,
        whole: bool = False,
        sessions: Iterable[str] = (),
        now_ms: int | None = None,
        who: str = "",
        why: str = "",
    ) -> ErasureReport:
        """Erase a person's data from every store, and from this journal: what the GDPR calls the
        right to erasure. There is no way back. What is damaged and not known to be the person's
        is passed over, and named in the report.

        Args:
            subject: the person, by id and names.
            whole: replace a text that names the data subject as a whole, not the name in it.
            sessions: further ids of the data subject's sessions; their metadata need not say so.
            now_ms: milliseconds since 1970, for the audit log.

        Raises:
            StoreError: no data subject; a legal hold covers some of it, then nothing was erased;
                or a store can not be read or written, then the next call goes on with it.
        """
        fix = "such as DataSubject('u-1815', names=('Ada Lovelace',))"
        require(subject, DataSubject, "erase(subject, ...)", fix)
        now, owned = self._time(now_ms), text_tuple(sessions, "sessions")
        with self._exclusive() as tx:
            request = ErasureRequest(now, subject, whole, SubjectIds(owned), who, why)
            request = with_derived_data(tx, self._stores, request)
            refuse_if_held(tx, self._stores, request.matcher)
            request = tx.request_erasure(request)
            failpoint("written")
        failpoint("committed")
        return run_erasure(self._journal, self._stores, request)

    def hold(
        self, target: RecordSelector, reason: str, *, now_ms: int | None = None, who: str = ""
    ) -> int:
        """Put a legal hold on some of what is kept: it is neither forgotten, purged nor erased.
        What was asked for before it is done before it. Returns the hold's number.

        Raises:
            StoreError: no reason; a store that was not given, for a hold on it would hold
                nothing; or what was asked for before can not be done.
        """
        where = "hold(target, reason)"
        fix = "give a contextwright.retention.RecordSelector, such as RecordSelector(ids='case-7*')"
        require(target, RecordSelector, where, fix)
        self._stores.check_selected(target.stores, where)
        fix = "give a reason: who ordered it, and why"
        if not require(reason, str, where, fix).strip():
            raise StoreError("expected a reason, got none", where=where, fix=fix)
        now = self._time(now_ms)
        with self._exclusive() as tx:
            number = tx.hold(target, reason, now)
            tx.note("held", time_ms=now, who=who, why=f"hold {number}: {reason}")
        return number

    def release(
        self, number: int, *, now_ms: int | None = None, who: str = "", why: str = ""
    ) -> None:
        """End a legal hold.

        Raises:
            StoreError: there is no such hold.
        """
        now = self._time(now_ms)
        with self._journal.writing() as tx:
            if not tx.release(number, now):
                raise StoreError(
                    f"no hold {number} is on", where=self._journal.path, fix="holds() lists them"
                )
            line = f"hold {number}: {why}" if why else f"hold {number}"
            tx.note("released", time_ms=now, who=who, why=line)

    def holds(self) -> list[LegalHold]:
        """The legal holds that were not released."""
        with self._journal.reading() as tx:
            return tx.active_holds()

    def audit(self) -> list[AuditEntry]:
        """The audit log: what was done, when, by whom, why, to which ids; no contents."""
        with self._journal.reading() as tx:
            return tx.audit()

    def cycles(self) -> list[Cycle]:
        """The cycles, in order."""
        with self._journal.reading() as tx:
            return tx.cycles()

    def refs(self) -> set[str]:
        """The artifacts that what was forgotten and may come back refers to: `collect` must hold
        them."""
        with self._journal.reading() as tx:
            evicted = [each for cycle in tx.cycles() for each in tx.tombstones(cycle.number)]
        return {path for each in evicted for path in each.record.refs}

    def protects(self, memory: Any, *, store: str = "") -> str:
        """The reason for which a memory may not be forgotten: pinned, tier 1, a legal hold. Empty
        where it may.

        Args:
            store: where it is; by default any store of memories.
        """
        record = StoredRecord(
            id=str(getattr(memory, "id", "")),
            kind=str(getattr(memory, "kind", "")),
            scope=str(getattr(memory, "scope", "")),
            tier=getattr(memory, "tier", 0),
            pinned=bool(getattr(memory, "pinned", False)),
        )
        stores, holds = [store] if store else self._stores.memories, self.holds()
        reasons = (protection(each, record, holds, 0) for each in stores)
        return next(filter(None, reasons), "")

    def deactivated(self, ids: Iterable[str], *, store: str = "", why: str = "") -> None:
        """Write into the audit log that memories were put to sleep."""
        store, records = store or self._stores.memories[0], [StoredRecord(id=id) for id in ids]
        with self._journal.writing() as tx:
            tx.note("deactivated", store, records, time_ms=self._clock(), who="", why=why)

    def finish(self) -> int:
        """Go on with what a crash left undone; how much there was. What changes anything begins
        with it."""
        with self._journal.reading() as tx:
            cycles, requests = tx.unfinished(), tx.erasures()
        for cycle in cycles:
            self._runner.complete(cycle, late=True)
        for request in requests:
            run_erasure(self._journal, self._stores, request)
        return len(cycles) + len(requests)

    def _time(self, now_ms: int | None) -> int:
        return self._clock() if now_ms is None else require(now_ms, int, "now_ms", WHEN)

    @contextmanager
    def _exclusive(self) -> Generator[JournalTransaction]:
        """The lock on forgetting, with nothing under way: between `finish` and the lock another
        process may have begun something."""
        while True:
            self.finish()
            with self._journal.writing() as tx:
                if not (tx.unfinished() or tx.erasures()):
                    yield tx
                    return

    def _action(self, store: str, record: StoredRecord, why: str) -> Action:
        tokens = self._count(record.text) if record.text else 0
        return Action(store, record.id, record.kind, why, tokens, record.size)
