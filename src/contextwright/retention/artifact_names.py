"""Artifacts as a place: names, and the bytes that they stand for."""

from collections.abc import Collection, Sequence
from typing import Any

from contextwright.retention.failpoint import reached
from contextwright.retention.place import Record, Row, Touched
from contextwright.retention.subject_matcher import Theirs
from contextwright.stores.artifact_retention import RECORDS, refs_in
from contextwright.stores.artifacts import SHA256, Artifacts

LARGEST = 500_000_000
"""Bytes of an artifact that the journal takes; SQLite holds no more than a billion in one piece."""
TOO_LARGE = "too large for the journal"
WRITTEN_S = 60
"""Seconds after which a temporary file is nobody's: its writer died."""


class Stored:
    """The names and the bytes of `FileArtifacts` or `ObjectArtifacts`. A name's row is called as
    it is, a blob's `sha256/HEX`; bytes go with the last name that stands for them.

    Args:
        artifacts: the store.
        name: of the place.
    """

    path = ""
    beyond = (
        "compressed and encrypted artifacts (zip, docx, PDF streams), versions that an object "
        "store keeps, files that another process was writing within the minute"
    )

    def __init__(self, artifacts: Artifacts, *, name: str = "artifacts") -> None:
        self._artifacts, self.name = artifacts, name

    def rows(self) -> list[Row]:
        """A row a name, and a row a blob."""
        names = [
            Row(
                id=named.name,
                kind="artifact",
                time_ms=named.written_ms,
                known_as=(named.name,),
                refs=(SHA256 + named.sha256, *self._refs(named.name)),
            )
            for named in self._artifacts.names()
        ]
        blobs = [
            Row(
                id=SHA256 + blob.key,
                kind="blob",
                time_ms=blob.written_ms,
                follows=True,
                known_as=(SHA256 + blob.key,),
                size=blob.size,
                stays=TOO_LARGE if blob.size > LARGEST else "",
            )
            for blob in self._artifacts.blobs()
        ]
        return [*names, *blobs]

    def take(self, ids: Collection[str]) -> list[Record]:
        """Names as what they stand for, blobs as their bytes; bytes come first."""
        taken: list[Record] = []
        named = self._named()
        for id in sorted(ids, key=lambda name: not name.startswith(SHA256)):
            if id.startswith(SHA256):
                data = self._artifacts.blob(id.removeprefix(SHA256))
                if data is not None:
                    taken.append(Record(id, data))
            elif id in named:
                taken.append(Record(id, named[id].encode()))
        return taken

    def remove(self, records: Sequence[Record]) -> None:
        """Names go before bytes: no name is ever without its bytes."""
        named = self._named()
        for record in records:
            if named.get(record.id) == record.body.decode("utf-8", "replace"):
                self._artifacts.forget_name(record.id)
                del named[record.id]
                reached("name")
        wanted = set(named.values())
        for record in records:
            digest = record.id.removeprefix(SHA256)
            if record.id.startswith(SHA256) and digest not in wanted:
                self._artifacts.forget_blob(digest)
                reached("blob")
        self._sync()

    def put_back(self, records: Sequence[Record]) -> list[str]:
        """Bytes come before names. A name that stands for other bytes by now keeps them, and one
        whose bytes were erased is not put back."""
        back: list[str] = []
        for record in records:
            if record.id.startswith(SHA256):
                self._artifacts.put(record.body)
                back.append(record.id)
        named = self._named()
        blobs = {blob.key for blob in self._artifacts.blobs()}
        for record in records:
            digest = record.body.decode("utf-8", "replace")
            if record.id.startswith(SHA256) or named.get(record.id, digest) != digest:
                continue
            if digest in blobs:
                self._artifacts.rename(record.id, digest)
                back.append(record.id)
        return back

    def touched(self, theirs: Theirs) -> list[Row]:
        """Names that are the person's, bytes that name the person, names of such bytes, and the
        bytes that only such names stand for."""
        rows = self.rows()
        named: dict[str, list[Row]] = {}
        for row in rows:
            if row.kind == "artifact":
                named.setdefault(row.refs[0], []).append(row)
        gone = [row for row in rows if row.kind == "artifact" and theirs.is_file(row.id)]
        ids = {row.id for row in gone}
        for row in rows:
            if row.kind != "blob":
                continue
            data = self._artifacts.blob(row.id.removeprefix(SHA256)) or b""
            names = named.get(row.id, [])
            only = bool(names) and all(each.id in ids for each in names)
            if only or theirs.data(data):
                gone += [row, *(each for each in names if each.id not in ids)]
        return gone

    def erase(self, theirs: Theirs) -> Touched:
        """Remove them; temporary files of killed processes too.

        What tells that a thing is the person's goes last, so that it is found again after a
        crash: other names of bytes, then the bytes, then the person's own names.
        """
        gone = self.touched(theirs)
        last = {row.id for row in gone if row.kind == "artifact" and theirs.is_file(row.id)}
        for row in sorted(gone, key=lambda row: (row.id in last, row.kind != "artifact")):
            if row.kind == "artifact":
                self._artifacts.forget_name(row.id)
            else:
                self._artifacts.forget_blob(row.id.removeprefix(SHA256))
            reached(row.kind)
        self._sweep()
        self._sync()
        return Touched(removed=len(gone))

    def scrub(self) -> None:
        """Remove the temporary files of killed processes."""
        self._sweep()

    def _named(self) -> dict[str, str]:
        return {each.name: each.sha256 for each in self._artifacts.names()}

    def _sync(self) -> None:
        """Wait until the disk has what was removed: the journal says so next."""
        sync: Any = getattr(self._artifacts, "sync", None)
        if sync is not None:
            sync()

    def _sweep(self) -> None:
        sweep: Any = getattr(self._artifacts, "sweep", None)
        if sweep is not None:
            sweep(WRITTEN_S)

    def _refs(self, name: str) -> set[str]:
        return refs_in(self._artifacts.read_text(name) or "") if name.endswith(RECORDS) else set()
