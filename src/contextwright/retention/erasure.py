"""Erasing a data subject (GDPR, article 17: the right to erasure): out of every store, then out of
what forgetting itself remembers."""

from collections.abc import Mapping

import msgspec

from contextwright.errors import StoreError
from contextwright.retention.erasable_store import ErasableStore, ErasureCount
from contextwright.retention.failpoint import failpoint
from contextwright.retention.journal import ErasureRequest, Journal, JournalTransaction, Tombstone
from contextwright.retention.plan_forgetting import LegalHold
from contextwright.retention.session_records import SessionRecords
from contextwright.retention.store_registry import durable_names, require_store
from contextwright.retention.subject_matcher import SubjectMatcher
from contextwright.stored_record import StoredRecord
from contextwright.tasks.plan_step import segment
from contextwright.text_cache import forget_remembered

ALWAYS_UNREACHED = (
    "backups, file system snapshots and disk blocks that a file left",
    "pictures, sound, compressed and encrypted content",
    "artifacts that neither name the person nor lie in a folder of the person's sessions",
    "what lies in the memory of this process: token counts, remembered words, live sessions",
    "stores that this Lethe was not given, task boards and exported files among them",
)


class ErasureReport(msgspec.Struct, frozen=True):
    """The counts of an erasure, and its limits.

    Args:
        stores: what was removed and rewritten, by store; `journal` is forgetting's own. Empty
            where another process was faster to do it: then the audit log says it.
        unreached: what it can not reach, a sentence each.
    """

    stores: dict[str, ErasureCount]
    unreached: tuple[str, ...]


def refuse_if_held(
    tx: JournalTransaction, stores: Mapping[str, ErasableStore], matcher: SubjectMatcher
) -> None:
    """Do nothing where a legal hold covers anything that would be erased.

    Args:
        tx: holds the lock on forgetting.
        stores: by name.
        matcher: of the data subject.

    Raises:
        StoreError: one does; it is named.
    """
    holds = tx.active_holds()
    if not holds:
        return
    for hold in holds:
        if matcher.names(hold.target.ids) or any(map(matcher.owns, hold.target.scopes)):
            raise _held_error(hold, "what the hold names")
    tombstones = _matching_tombstones(tx, matcher).values()
    records = [(each.store, each.record) for listed in tombstones for each in listed]
    for name, store in stores.items():
        records += [(name, record) for record in store.affected(matcher)]
    for name, record in records:
        for hold in holds:
            if hold.target.covers(name, record):
                raise _held_error(hold, f"{name}: a {record.kind}")


def with_derived_data(
    tx: JournalTransaction, stores: Mapping[str, ErasableStore], request: ErasureRequest
) -> ErasureRequest:
    """A request with the ids of the data subject's memories, forgotten ones too, and sessions:
    copies of them and what was made of them need not name the data subject.

    Args:
        tx: holds the lock on forgetting.
        stores: by name.
        request: names the data subject.
    """
    matcher = matcher_of(request)
    memories = {
        each.record.id
        for tombstones in _matching_tombstones(tx, matcher).values()
        for each in tombstones
        if each.store in stores and stores[each.store].traits.is_memory
    }
    own: set[str] = set(request.sessions)
    others: set[str] = set()
    for store in stores.values():
        if store.traits.is_memory:
            memories |= {record.id for record in store.affected(matcher)}
        elif isinstance(store, SessionRecords):
            owned, rest = store.by_owner(matcher)
            own.update(owned)
            others.update(rest)
    # two ids may be one as a folder
    folders = {f"sessions/{segment(id)}/" for id in own}
    return msgspec.structs.replace(
        request,
        memories=tuple(sorted(memories)),
        threads=tuple(sorted(own - others)),
        folders=tuple(sorted(folders - {f"sessions/{segment(id)}/" for id in others})),
        stores=durable_names(stores),
    )


def matcher_of(request: ErasureRequest) -> SubjectMatcher:
    """The matcher of a request that has a data subject."""
    assert request.subject is not None
    return SubjectMatcher(
        request.subject,
        whole=request.whole,
        sessions=request.sessions,
        memories=request.memories,
        threads=request.threads,
        folders=request.folders,
    )


def run_erasure(
    journal: Journal, stores: Mapping[str, ErasableStore], request: ErasureRequest
) -> ErasureReport:
    """Erase, or go on erasing after a crash: every part may be done again.

    Args:
        journal: has the request.
        stores: by name.
        request: without a data subject, only the files are scrubbed.

    Raises:
        StoreError: a store that the request is about was not given; nothing was done.
    """
    for name in request.stores:
        require_store(stores, name, journal.path)
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
    tx: JournalTransaction, stores: Mapping[str, ErasableStore], request: ErasureRequest
) -> dict[str, ErasureCount]:
    matcher = matcher_of(request)
    counts: dict[str, ErasureCount] = {}
    for name, store in stores.items():
        counts[name] = store.erase(matcher)
        failpoint(f"erased {name}")
    counts["journal"] = ErasureCount(removed=_erase_tombstones(tx, matcher))
    tx.rewrite(matcher.text)
    why = matcher.text(request.why)
    for name, count in counts.items():
        if count.removed or count.rewritten:
            summary = f"{count.removed} removed, {count.rewritten} rewritten"
            tx.note(
                "erased",
                name,
                time_ms=request.time_ms,
                who=matcher.text(request.who),
                why=f"{why}: {summary}" if why else summary,
            )
    tx.forget_subject(request)
    return counts


def _erase_tombstones(tx: JournalTransaction, matcher: SubjectMatcher) -> int:
    """Drop the tombstones that are the data subject's, and the digests of them: who guesses a
    content could tell by its digest that it was there."""
    matching = _matching_tombstones(tx, matcher)
    for cycle, tombstones in matching.items():
        tx.drop(cycle, [each.number for each in tombstones])
    digests = [each.record.digest for tombstones in matching.values() for each in tombstones]
    if digests:
        tx.clear_digests(digests)
    return len(digests)


def _matching_tombstones(
    tx: JournalTransaction, matcher: SubjectMatcher
) -> dict[int, list[Tombstone]]:
    """The data subject's tombstones of each cycle: with bytes their names, with names the bytes
    that no other tombstone of the cycle stands for."""
    tombstones = {cycle.number: tx.tombstones(cycle.number) for cycle in tx.cycles()}
    matching = {
        cycle: {each.number for each in listed if _matches(each.record, matcher)}
        for cycle, listed in tombstones.items()
    }
    blobs = {
        path
        for cycle, listed in tombstones.items()
        for each in listed
        if each.number in matching[cycle]
        for path in each.record.ref_paths
    }
    erased_tombstones: dict[int, list[Tombstone]] = {}
    for cycle, listed in tombstones.items():
        numbers = matching[cycle]
        numbers |= {each.number for each in listed if blobs.intersection(_blob(each.record))}
        erased = {ref for e in listed if e.number in numbers for ref in _blob(e.record)}
        erased -= {ref for e in listed if e.number not in numbers for ref in _blob(e.record)}
        erased_tombstones[cycle] = [
            each
            for each in listed
            if each.number in numbers
            or (each.record.refcounted and erased.intersection(each.record.ref_paths))
        ]
    return erased_tombstones


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
