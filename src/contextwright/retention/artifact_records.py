"""Artifacts as an erasable store: names, and the bytes that they stand for."""

from collections.abc import Collection, Sequence

import msgspec

from contextwright.retention.erasable_store import ErasureCount
from contextwright.retention.failpoint import failpoint
from contextwright.retention.subject_matcher import SubjectMatcher
from contextwright.stored_record import StoredRecord, StoreTraits
from contextwright.stores.artifact_retention import RECORDS, refs_in
from contextwright.stores.artifacts import SHA256, Artifacts

MAX_BLOB = 500_000_000
"""Bytes of an artifact that the journal takes; SQLite holds no more than a billion in one piece."""
TOO_LARGE = "too large for the journal"
DAMAGED_NAME = "a damaged name may stand for it"
ABANDONED_S = 60
"""Seconds after which the writer of a temporary file counts as dead."""


class ArtifactRecords:
    """The names and the bytes of `FileArtifacts` or `ObjectArtifacts`. A name's record has
    the name as its id, a blob's `sha256/HEX`; bytes go with the last name that stands for them."""

    traits = StoreTraits(
        name="artifacts",
        unreached="compressed and encrypted artifacts (zip, docx, PDF streams), versions that an "
        "object store keeps, files that another process was writing within the minute",
    )
    path = ""

    def __init__(self, artifacts: Artifacts, *, name: str = "") -> None:
        self._artifacts = artifacts
        self.traits = self.traits.renamed(name)

    def records(self) -> list[StoredRecord]:
        """Names, damaged names and bytes. While a name is damaged, bytes that no other stands for
        are protected."""
        damaged = self._artifacts.damaged()
        names = [
            StoredRecord(
                id=named.name,
                kind="artifact",
                time_ms=named.written_ms,
                ref_paths=(named.name,),
                refs=(SHA256 + named.sha256, *self._refs(named.name)),
            )
            for named in self._artifacts.names()
        ]
        named = {name.refs[0] for name in names}
        blobs = [
            StoredRecord(
                id=SHA256 + blob.key,
                kind="blob",
                time_ms=blob.written_ms,
                refcounted=True,
                ref_paths=(SHA256 + blob.key,),
                size=blob.size,
                protected_by=TOO_LARGE
                if blob.size > MAX_BLOB
                else DAMAGED_NAME
                if damaged and SHA256 + blob.key not in named
                else "",
            )
            for blob in self._artifacts.blobs()
        ]
        return [*names, *damaged, *blobs]

    def export(self, ids: Collection[str]) -> list[StoredRecord]:
        """Names with the digest that they stand for, blobs with their bytes; blobs come first."""
        wanted = set(ids)
        exported: list[StoredRecord] = []
        for record in sorted(self.records(), key=lambda record: record.kind != "blob"):
            if record.id not in wanted or record.damage:
                continue
            digest = _digest(record)
            body = self._artifacts.blob(digest) if record.kind == "blob" else digest.encode()
            if body is not None:
                exported.append(msgspec.structs.replace(record, body=body))
        return exported

    def remove(self, records: Sequence[StoredRecord]) -> None:
        """Names go before bytes: no name is ever without its bytes."""
        digests = self._digests()
        for record in records:
            if record.kind == "artifact" and digests.get(record.id) == record.body.decode():
                self._artifacts.forget_name(record.id)
                del digests[record.id]
                failpoint("name")
        wanted = set(digests.values())
        for record in records:
            if record.kind == "blob" and _digest(record) not in wanted:
                self._artifacts.forget_blob(_digest(record))
                failpoint("blob")
        self._artifacts.sync()

    def restore(self, records: Sequence[StoredRecord]) -> list[str]:
        """Bytes come before names. A name that stands for other bytes by now keeps them, and one
        whose bytes were erased is not put back."""
        restored: list[str] = []
        for record in records:
            if record.kind == "blob":
                self._artifacts.put(record.body)
                restored.append(record.id)
        digests = self._digests()
        blobs = {blob.key for blob in self._artifacts.blobs()}
        for record in records:
            digest = "" if record.kind == "blob" else record.body.decode()
            if digest in blobs and digests.get(record.id, digest) == digest:
                self._artifacts.rename(record.id, digest)
                restored.append(record.id)
        return restored

    def affected(self, matcher: SubjectMatcher) -> list[StoredRecord]:
        """Names that are the data subject's, bytes that name the data subject, names of such
        bytes, and the bytes that only such names stand for."""
        names: dict[str, list[StoredRecord]] = {}
        records = self.records()
        for record in records:
            if record.kind == "artifact":
                names.setdefault(record.refs[0], []).append(record)
        affected = [each for named in names.values() for each in named if matcher.is_file(each.id)]
        affected += [each for each in records if each.damage and matcher.data(each.text.encode())]
        ids = {record.id for record in affected}
        for blob in records:
            if blob.kind != "blob":
                continue
            named = names.get(blob.id, [])
            others = [each for each in named if each.id not in ids]
            orphaned = bool(named) and not others
            if orphaned or matcher.data(self._artifacts.blob(_digest(blob)) or b""):
                affected += [blob, *others]
        return affected

    def erase(self, matcher: SubjectMatcher) -> ErasureCount:
        """Remove them; temporary files of killed processes too.

        What shows that a record is the data subject's goes last, so that it is found again after
        a crash: other names of bytes, then the bytes, then the data subject's own names.
        """
        affected = self.affected(matcher)

        def order(record: StoredRecord) -> int:
            if record.kind == "blob":
                return 1
            return 2 if matcher.is_file(record.id) else 0

        for record in sorted(affected, key=order):
            if record.kind == "artifact":
                self._artifacts.forget_name(record.id)
            elif record.damage:
                self._artifacts.forget_damaged(record.id)
            else:
                self._artifacts.forget_blob(_digest(record))
            failpoint(record.kind)
        self.scrub()
        self._artifacts.sync()
        left = tuple(record.id for record in self._artifacts.damaged())
        return ErasureCount(removed=len(affected), damaged=left)

    def scrub(self) -> None:
        self._artifacts.sweep(ABANDONED_S)

    def _digests(self) -> dict[str, str]:
        return {each.name: each.sha256 for each in self._artifacts.names()}

    def _refs(self, name: str) -> set[str]:
        return refs_in(self._artifacts.readable(name)) if name.endswith(RECORDS) else set()


def _digest(record: StoredRecord) -> str:
    """The sha256 of a blob's bytes, or of those that a name stands for."""
    return (record.id if record.kind == "blob" else record.refs[0]).removeprefix(SHA256)
