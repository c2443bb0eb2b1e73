"""Erasing a data subject (GDPR, article 17: the right to erasure): out of every store, then out of
what forgetting itself remembers."""

import msgspec

from contextwright.errors import StoreError
from contextwright.memo.memory_budget import forget_remembered
from contextwright.retention.erasable_store import ErasureCount
from contextwright.retention.failpoint import failpoint
from contextwright.retention.journal import (
    ErasureRequest,
    JournalStore,
    JournalTransaction,
    Tombstone,
)
from contextwright.retention.plan_forgetting import LegalHold
from contextwright.retention.reports import ErasureReport
from contextwright.retention.session_records import SessionRecords
from contextwright.retention.store_registry import StoreRegistry
from contextwright.retention.subject_matcher import SubjectIds, SubjectMatcher
from contextwright.stored_record import StoredRecord
from contextwright.tasks.plan_step import segment

ALWAYS_UNREACHED = (
    "backups, file system snapshots and disk blocks that a file left",
    "pictures, sound, compressed and encrypted content",
    "artifacts that neither name the person nor lie in a folder of the person's sessions",
    "what lies in the memory of this process: token counts, remembered words, live sessions",
    "stores that this Lethe was not given, task boards and exported files among them",
)


def refuse_if_held(tx: JournalTransaction, stores: StoreRegistry, matcher: SubjectMatcher) -> None:
    """Do nothing where a legal hold covers anything that would be erased.

    Raises:
        StoreError: one does; it is named.
    """
    holds = tx.active_holds()
    for hold in holds:
        if matcher.names(hold.target.ids) or any(map(matcher.owns, hold.target.scopes)):
            raise _held_error(hold, "what the hold names")
    if not holds:
        return
    records = [(each.store, each.record) for each in _all_matching(tx, matcher)]
    for name, store in stores.items():
        records += [(name, record) for record in store.affected(matcher)]
    for name, record in records:
        for hold in holds:
            if hold.target.covers(name, record):
                raise _held_error(hold, f"{name}: a {record.kind}")


def with_derived_data(
    tx: JournalTransaction, stores: StoreRegistry, request: ErasureRequest
) -> ErasureRequest:
    """A request with the ids of the data subject's memories, forgotten ones too, and sessions:
    copies of them and what was made of them need not name the data subject."""
    matcher = request.matcher
    memories = {
        each.record.id
        for each in _all_matching(tx, matcher)
        if each.store in stores and stores[each.store].traits.is_memory
    }
    own: set[str] = set(request.ids.sessions)
    others: set[str] = set()
    for store in stores.values():
        if store.traits.is_memory:
            memories |= {record.id for record in store.affected(matcher)}
        elif isinstance(store, SessionRecords):
            owned, rest = store.by_owner(matcher)
            own.update(owned)
            others.update(rest)
    # two ids may be one as a folder
    folders = {_folder(id) for id in own} - {_folder(id) for id in others}
    ids = SubjectIds(
        sessions=request.ids.sessions,
        memories=tuple(sorted(memories)),
        threads=tuple(sorted(own - others)),
        folders=tuple(sorted(folders)),
    )
    return msgspec.structs.replace(request, ids=ids, stores=stores.durable)


def _folder(session: str) -> str:
    return f"sessions/{segment(session)}/"


def run_erasure(
    journal: JournalStore, stores: StoreRegistry, request: ErasureRequest
) -> ErasureReport:
    """Erase, or go on erasing after a crash: every part may be done again. For a request without a
    data subject, only the files are scrubbed.

    Raises:
        StoreError: a store that the request is about was not given; nothing was done.
    """
    for name in request.stores:
        stores.require(name)
    counts: dict[str, ErasureCount] = {}
    if request.subject is not None:
        with journal.writing() as tx:
            if any(each.number == request.number and each.subject for each in tx.erasures()):
                counts = _erase(tx, stores, request)
        failpoint("erased")
    for name, store in stores.items():
        store.scrub()
        failpoint(f"scrubbed {name}")
    journal.scrub()
    forget_remembered()
    failpoint("scrubbed journal")
    with journal.writing() as tx:
        tx.end_erasure(request)
    unreached = [store.traits.unreached for store in stores.values() if store.traits.unreached]
    return ErasureReport(counts, tuple(dict.fromkeys((*unreached, *ALWAYS_UNREACHED))))


def _erase(
    tx: JournalTransaction, stores: StoreRegistry, request: ErasureRequest
) -> dict[str, ErasureCount]:
    matcher = request.matcher
    counts: dict[str, ErasureCount] = {}
    for name, store in stores.items():
        counts[name] = store.erase(matcher)
        failpoint(f"erased {name}")
    counts["journal"] = ErasureCount(removed=_erase_tombstones(tx, matcher))
    tx.rewrite(matcher.text)
    who, why = matcher.text(request.who), matcher.text(request.why)
    for name, count in counts.items():
        if count.removed or count.rewritten:
            summary = f"{count.removed} removed, {count.rewritten} rewritten"
            line = f"{why}: {summary}" if why else summary
            tx.note("erased", name, time_ms=request.time_ms, who=who, why=line)
    tx.forget_subject(request)
    return counts


def _erase_tombstones(tx: JournalTransaction, matcher: SubjectMatcher) -> int:
    """Drop the tombstones that are the data subject's, and the digests of them: who guesses a
    content could tell by its digest that it was there."""
    matching = _matching_tombstones(tx, matcher)
    for cycle, tombstones in matching.items():
        tx.drop(cycle, tombstones)
    digests = [each.record.digest for tombstones in matching.values() for each in tombstones]
    if digests:
        tx.clear_digests(digests)
    return len(digests)


def _all_matching(tx: JournalTransaction, matcher: SubjectMatcher) -> list[Tombstone]:
    return [each for listed in _matching_tombstones(tx, matcher).values() for each in listed]


def _matching_tombstones(
    tx: JournalTransaction, matcher: SubjectMatcher
) -> dict[int, list[Tombstone]]:
    """The data subject's tombstones of each cycle: with bytes their names, with names the bytes
    that no other tombstone of the cycle stands for."""
    tombstones = {cycle.number: tx.tombstones(cycle.number) for cycle in tx.cycles()}
    named = {
        (cycle, each.number)
        for cycle, listed in tombstones.items()
        for each in listed
        if _matches(each.record, matcher)
    }
    paths = {
        path
        for cycle, listed in tombstones.items()
        for each in listed
        if (cycle, each.number) in named
        for path in each.record.ref_paths
    }
    matching: dict[int, list[Tombstone]] = {}
    for cycle, listed in tombstones.items():
        erased, others = list[Tombstone](), list[Tombstone]()
        for each in listed:
            is_erased = (cycle, each.number) in named or paths.intersection(_blob(each.record))
            (erased if is_erased else others).append(each)
        blobs = {ref for each in erased for ref in _blob(each.record)}
        blobs -= {ref for each in others for ref in _blob(each.record)}
        matching[cycle] = erased + [
            each
            for each in others
            if each.record.refcounted and blobs.intersection(each.record.ref_paths)
        ]
    return matching


def _matches(record: StoredRecord, matcher: SubjectMatcher) -> bool:
    return (
        matcher.matches(record)
        or (record.kind == "artifact" and matcher.is_file(record.id))
        or matcher.data(record.body)
    )


def _blob(record: StoredRecord) -> tuple[str, ...]:
    """The ref of the bytes that the name of an artifact stands for."""
    return record.refs[:1] if record.kind == "artifact" else ()


def _held_error(hold: LegalHold, covered: str) -> StoreError:
    return StoreError(
        f"legal hold {hold.number} ({hold.reason}) covers {covered}: nothing was erased",
        where=f"hold {hold.number}, {hold.target!r}",
        fix=f"release({hold.number}) when the hold has ended, then erase again",
    )
