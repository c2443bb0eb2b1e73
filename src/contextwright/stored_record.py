"""Records of a store, in the form in which retention lists, exports, removes and restores them."""

from collections.abc import Callable, Collection, Sequence
from hashlib import sha256
from typing import Protocol, runtime_checkable

import msgspec


class StoredRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Something that a store holds and that may be forgotten.

    Args:
        id: names it in its store.
        text: scored by `min_salience` and counted in tokens; empty for bytes.
        labels: further strings of it that may name a person: an entity, its origins.
        kind: note, fact, memory kinds, answer, item kinds, artifact, blob, session.
        scope: its owner.
        part_of: the whole that it belongs to, such as the session of a note; a selector that
            means the whole means the part.
        time_ms, used_ms: when it was written and last used, milliseconds since 1970, if known.
        tier: 1 critical to 4 archive; 0 where none was set, which counts as 2.
        protected_by: why no policy may have it, such as an open item of a checklist.
        damage: what is wrong with it where it is not what was stored; then no policy has it,
            and the rest is what can still be read.
        refcounted: goes with the last record that refers to it, as bytes do with their names.
        container: no policy has it, only what is in it: a session.
        ref_paths: paths of the refs that mean it, without `artifact://`.
        refs: paths of the artifacts that it refers to.
        size: bytes.
        body: the whole of it, as its store can restore it, without what mere use changes; empty
            where it is only listed.
    """

    id: str
    text: str = ""
    labels: tuple[str, ...] = ()
    kind: str = ""
    scope: str = ""
    part_of: str = ""
    time_ms: int | None = None
    used_ms: int | None = None
    uses: int = 0
    tier: int = 0
    pinned: bool = False
    protected_by: str = ""
    damage: str = ""
    refcounted: bool = False
    container: bool = False
    ref_paths: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    size: int = 0
    body: bytes = b""

    @property
    def digest(self) -> str:
        """The sha256 of the body, as the audit log has it."""
        return sha256(self.body).hexdigest()


class StoreTraits(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about a store that an erasure needs.

    Args:
        name: of the store, in selectors, reports and the audit log.
        unreached: what an erasure does not reach here, as a sentence; may be empty.
        durable: whether the store outlives its process even where it has no file of its own.
        is_memory: whether its records are copied, under their ids, into states and indexes.
    """

    name: str
    unreached: str = ""
    durable: bool = True
    is_memory: bool = False

    def renamed(self, name: str) -> "StoreTraits":
        """The same under another name; without one, as they are."""
        return msgspec.structs.replace(self, name=name or self.name)


@runtime_checkable
class RecordStore(Protocol):
    """A store whose records can be forgotten, restored and erased.

    Every method that writes is idempotent: after a crash it is called again.
    """

    traits: StoreTraits
    path: str
    """Its file; empty where it has none of its own."""

    def records(self) -> Sequence[StoredRecord]:
        """Every record, with its body."""
        ...

    def remove_records(self, ids: Collection[str]) -> int:
        """Remove records; how many there were."""
        ...

    def restore_records(self, records: Sequence[StoredRecord]) -> list[str]:
        """Put removed records back; one whose id was taken since stays out.

        Returns:
            The ids of those that are there now as they were exported.
        """
        ...

    def erase_records(self, matches: Callable[[StoredRecord], bool]) -> int:
        """Remove the records that match, and what the store still has of removed ones that
        match; how many records there were."""
        ...

    def scrub(self) -> None:
        """Leave nothing of what was removed in the store's files."""
        ...
