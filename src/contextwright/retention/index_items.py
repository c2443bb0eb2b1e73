"""Items of an index as a place."""

from collections.abc import Collection, Sequence

import msgspec

from contextwright.retention.place import Record, Row, Touched
from contextwright.retention.subject_matcher import Theirs
from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item
from contextwright.stores.artifact_retention import refs_in

_encode = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder(tuple[int, Item]).decode


class Items:
    """The items of an `Index`, its file and its vectors with them.

    Args:
        index: the index.
        name: of the place.
    """

    beyond = "vectors and copies that other processes made of items"

    def __init__(self, index: Index, *, name: str = "index") -> None:
        self._index, self.name, self.path = index, name, index.path

    def rows(self) -> list[Row]:
        """A row an item."""
        return [_row(item) for item in self._index.items()]

    def take(self, ids: Collection[str]) -> list[Record]:
        """Items, whole, with their places."""
        wanted = set(ids)
        return [
            Record(item.id, _encode((place, item)))
            for place, item in self._index.placed().items()
            if item.id in wanted
        ]

    def remove(self, records: Sequence[Record]) -> None:
        """Take out the items that are still what was taken."""
        held = {item.id: item for item in self._index.items()}
        self._index.remove(
            record.id for record in records if held.get(record.id) == _decode(record.body)[1]
        )

    def put_back(self, records: Sequence[Record]) -> list[str]:
        """Put items back beside their neighbours."""
        return self._index.put_back(dict(_decode(record.body) for record in records))

    def touched(self, theirs: Theirs) -> list[Row]:
        """Items that name the person in text, speaker, thread or id, copies of the person's
        memories, and pieces of the person's sessions."""
        return [_row(item) for item in self._index.items() if _is_theirs(item, theirs)]

    def erase(self, theirs: Theirs) -> Touched:
        """Take them out."""
        gone = [row.id for row in self.touched(theirs)]
        self._index.remove(gone)
        return Touched(removed=len(gone))

    def scrub(self) -> None:
        """Write the file anew."""
        self._index.scrub()


def _row(item: Item) -> Row:
    return Row(
        id=item.id,
        text=item.text,
        kind=item.kind,
        scope=item.role,
        part_of=item.thread,
        time_ms=item.time_ms,
        refs=tuple(sorted(refs_in(item.text))) if "artifact://" in item.text else (),
        size=len(item.text.encode("utf-8", "surrogatepass")),
    )


def _is_theirs(item: Item, theirs: Theirs) -> bool:
    return (
        item.id in theirs.memories
        or item.thread in theirs.threads
        or any(map(theirs.names, (item.text, item.id, item.thread)))
        or theirs.owns(item.role)
    )
