"""Memories as a place."""

from collections.abc import Collection, Sequence

import msgspec

from contextwright.retention.place import Record, Row, Touched
from contextwright.retention.subject_matcher import Theirs
from contextwright.stores.artifact_retention import refs_in
from contextwright.stores.memory_store import Memory, Remembered, SQLiteMemory

_encode = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder(Remembered).decode


class Memories:
    """The memories of a `SQLiteMemory`.

    Args:
        memory: the store.
        name: of the place.
    """

    beyond = "other processes hold memories until their next search"

    def __init__(self, memory: SQLiteMemory, *, name: str = "memory") -> None:
        self._memory, self.name, self.path = memory, name, memory.path

    def rows(self) -> list[Row]:
        """A row a memory."""
        return [_row(each) for each in self._memory.listed()]

    def take(self, ids: Collection[str]) -> list[Record]:
        """Memories, whole."""
        wanted = set(ids)
        return [
            Record(each.memory.id, _encode(each))
            for each in self._memory.listed()
            if each.memory.id in wanted
        ]

    def remove(self, records: Sequence[Record]) -> None:
        """Forget memories whose text is still what was taken, and that nobody pinned since."""
        free = {
            each.memory.id: each.memory.text
            for each in self._memory.listed()
            if not each.memory.pinned
        }
        self._memory.forget(
            record.id
            for record in records
            if free.get(record.id) == _decode(record.body).memory.text
        )

    def put_back(self, records: Sequence[Record]) -> list[str]:
        """Remember again."""
        return self._memory.put_back(_decode(record.body) for record in records)

    def touched(self, theirs: Theirs) -> list[Row]:
        """Memories of the person's scope, and those that name the person."""
        return [_row(each) for each in self._memory.listed() if _is_theirs(each.memory, theirs)]

    def erase(self, theirs: Theirs) -> Touched:
        """Remove them, and what is left of those that were forgotten."""
        return Touched(removed=len(self._memory.erase(lambda one: _is_theirs(one, theirs))))

    def scrub(self) -> None:
        """Write the file anew."""
        self._memory.scrub()


def _row(each: Remembered) -> Row:
    one = each.memory
    said = "\n".join((one.text, *one.origin))
    return Row(
        id=one.id,
        text=one.text,
        kind=one.kind,
        scope=one.scope,
        time_ms=each.written_ms if one.time_ms is None else one.time_ms,
        used_ms=each.used_ms,
        uses=each.uses,
        tier=one.tier,
        pinned=one.pinned,
        refs=tuple(sorted(refs_in(said))) if "artifact://" in said else (),
        size=len(one.text.encode("utf-8", "surrogatepass")),
    )


def _is_theirs(one: Memory, theirs: Theirs) -> bool:
    return theirs.owns(one.scope) or any(
        map(theirs.names, (one.text, one.entity, one.id, *one.origin))
    )
