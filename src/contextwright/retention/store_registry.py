"""The stores of one `Lethe`, by their names."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from contextwright.errors import StoreError
from contextwright.retention.artifact_records import ArtifactRecords
from contextwright.retention.erasable_store import ErasableStore, RecordStoreAdapter
from contextwright.retention.session_records import SessionRecords
from contextwright.stored_record import RecordStore
from contextwright.stores.artifacts import Artifacts
from contextwright.stores.store import SessionStore


def erasable(store: Any, *, name: str = "") -> ErasableStore:
    """A store as one that can be forgotten in and erased from.

    Args:
        store: an `ErasableStore`, which stays as it is; a `RecordStore` such as `SQLiteMemory`;
            a `SessionStore`; `Artifacts`.
        name: in selectors and reports; by default the store's own.

    Raises:
        StoreError: it offers none of these protocols.
    """
    if isinstance(store, ErasableStore):
        return store
    if isinstance(store, RecordStore):
        return RecordStoreAdapter(store, name=name)
    if isinstance(store, SessionStore):
        return SessionRecords(store, name=name)
    if isinstance(store, Artifacts):
        return ArtifactRecords(store, name=name)
    raise StoreError(
        "expected a store of records, sessions or artifacts, "
        f"got {type(store).__name__}, in which nothing can be forgotten",
        where="Lethe(path, ...)",
        fix="give a store of this package, or an object with the methods of "
        "contextwright.retention.RecordStore",
    )


class StoreRegistry(dict[str, ErasableStore]):
    """The stores of one `Lethe`, by their names.

    Raises:
        StoreError: two of one name, or one whose file is the journal's.
    """

    def __init__(self, stores: Iterable[Any], journal: str) -> None:
        super().__init__()
        self._journal = journal
        for store in map(erasable, stores):
            name = store.traits.name
            if name in self:
                raise StoreError(
                    f"two stores are called {name!r}",
                    where="Lethe(path, ...)",
                    fix="name one: erasable(memory, name='team memory')",
                )
            if store.path and Path(store.path).resolve() == Path(journal).resolve():
                raise StoreError(
                    "a store and the journal in one file would wait for each other",
                    where=journal,
                    fix="give Lethe a file of its own",
                )
            self[name] = store

    @property
    def memories(self) -> list[str]:
        """The names of stores of memories; as they would be where there is none."""
        return [name for name, store in self.items() if store.traits.is_memory] or ["memory"]

    @property
    def durable(self) -> tuple[str, ...]:
        """The names of the stores that are still there when their process has died."""
        return tuple(name for name, store in self.items() if store.traits.durable)

    def require(self, name: str) -> ErasableStore:
        """A store that the journal's file knows.

        Raises:
            StoreError: this Lethe was opened without it.
        """
        if name not in self:
            raise StoreError(
                f"unfinished work is about the store {name!r}, which was not given",
                where=self._journal,
                fix="open the journal with the stores that it had",
            )
        return self[name]

    def check_selected(self, names: Iterable[str], where: str) -> None:
        """Check that stores are there: a selector of another store would never select anything.

        Raises:
            StoreError: one is not.
        """
        for name in names:
            if name not in self:
                raise StoreError(
                    f"no store is called {name!r}",
                    where=where,
                    fix=f"stores here are: {', '.join(self) or 'none'}",
                )
