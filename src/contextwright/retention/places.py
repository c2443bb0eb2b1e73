"""Which place a store is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from contextwright.errors import StoreError
from contextwright.retention.artifact_names import Stored
from contextwright.retention.cached_answers import KeptAnswers, Questions, RecentlyAnswered
from contextwright.retention.index_items import Items
from contextwright.retention.memories import Memories
from contextwright.retention.place import Place
from contextwright.retention.session_notes import Sessions
from contextwright.retrieval.index import Index
from contextwright.retrieval.semantic_cache import SemanticCache
from contextwright.stores.answers import SQLiteAnswers
from contextwright.stores.artifacts import Artifacts
from contextwright.stores.memory_store import SQLiteMemory

_PLACES: tuple[tuple[type, Any], ...] = (
    (SQLiteMemory, Memories),
    (SQLiteAnswers, KeptAnswers),
    (SemanticCache, Questions),
    (Index, Items),
    (Artifacts, Stored),
)
_PLACE = ("rows", "take", "remove", "put_back", "touched", "erase", "scrub", "name", "path")
_SESSIONS = ("ids", "load", "save", "rewrite", "delete")
_ANSWERS = ("entries", "forget", "put_back")


def place_of(store: Any) -> Place:
    """A store as a place; a place as it is.

    Raises:
        StoreError: nothing that is known here.
    """
    if all(hasattr(store, name) for name in _PLACE):
        return store
    for kind, place in _PLACES:
        if isinstance(store, kind):
            return place(store)
    if all(hasattr(store, name) for name in _SESSIONS):
        return Sessions(store)
    if all(hasattr(store, name) for name in _ANSWERS):
        return RecentlyAnswered(store)
    raise StoreError(
        f"nothing can be forgotten in a {type(store).__name__}",
        where="Lethe(path, ...)",
        fix="give a store of this package, or an object with what `Place` asks for",
    )


def by_name(stores: tuple[Any, ...], path: str) -> dict[str, Place]:
    """Places by their names.

    Raises:
        StoreError: two of one name, or one whose file is the journal's.
    """
    places: dict[str, Place] = {}
    for place in map(place_of, stores):
        if place.name in places:
            raise StoreError(
                f"two places are called {place.name!r}",
                where="Lethe(path, ...)",
                fix="name one: Memories(memory, name='team memory')",
            )
        if place.path and Path(place.path).resolve() == Path(path).resolve():
            raise StoreError(
                "a place and the journal in one file would wait for each other",
                where=path,
                fix="give Lethe a file of its own",
            )
        places[place.name] = place
    return places


def names_of_memories(places: Mapping[str, Place]) -> list[str]:
    """What places of memories are called; as they would be where there is none."""
    found = [name for name, place in places.items() if isinstance(place, Memories)]
    return found or ["memory"]


def outliving(places: Mapping[str, Place]) -> tuple[str, ...]:
    """The names of the places that are still there when their process has died."""
    return tuple(
        name
        for name, place in places.items()
        if place.path or not isinstance(place, (Questions, RecentlyAnswered, Items))
    )


def given(places: Mapping[str, Place], name: str, journal: str) -> Place:
    """A place that the journal's file knows.

    Raises:
        StoreError: this Lethe was opened without it.
    """
    place = places.get(name)
    if place is None:
        raise StoreError(
            f"what is to be done is about {name!r}, which was not given",
            where=journal,
            fix="open the journal with the stores that it had",
        )
    return place
