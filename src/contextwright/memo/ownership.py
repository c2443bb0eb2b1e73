"""Whose texts are looked at: functions of texts remember in the tables of that owner, and nowhere
else, so that nothing of a text outlives its session."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

import msgspec

from contextwright.memo.owned_tables import GrowingUse, Table, Tables

F = TypeVar("F", bound=Callable[..., Any])
K = TypeVar("K")
T = TypeVar("T")
_OWNER: ContextVar[Tables | None] = ContextVar("owner", default=None)


class remembering(msgspec.Struct, eq=False):  # noqa: N801 -- read as a word: with remembering(memo)
    """What is worked out in here is remembered for this owner. Inside of a scope of the owner's it
    is one with that."""

    owner: Tables
    outer: Tables | None = None

    def __enter__(self) -> None:
        self.outer = _OWNER.get()
        if self.outer is not self.owner:
            self.owner.begin()
            _OWNER.set(self.owner)

    def __exit__(self, *error: object) -> None:
        if self.outer is not self.owner:
            _OWNER.set(self.outer)
            self.owner.end()


@contextmanager
def belonging_to(owner: Tables) -> Generator[None]:
    """What is worked out in here is this owner's, whose scopes begin and end elsewhere: beside an
    event loop, in the threads that work."""
    token = _OWNER.set(owner)
    try:
        yield
    finally:
        _OWNER.reset(token)


def owned_table(key: Any, *, brief: bool = False, passing: bool = False) -> Table | None:
    """The table of this name of whoever's texts are looked at; None outside of any scope."""
    owner = _OWNER.get()
    if owner is None:
        return None
    table = owner.tables.get(key)
    return owner.table(key, brief=brief, passing=passing) if table is None else table


def owned_growing(key: Any, make: Callable[[], T]) -> GrowingUse[T] | None:
    """What grows with the texts that are looked at (`Tables.growing`); None outside of a scope."""
    owner = _OWNER.get()
    if owner is None:
        return None
    table = owner.tables.get(("growing", key))
    return owner.growing(key, make) if table is None else GrowingUse(table, make)


def table_of(function: Callable[[K], T]) -> Callable[[K], T]:
    """The function, from the table of whoever's texts are looked at, at the speed of a dict: for
    what is asked of every word of a text. It is for one look: a table is its owner's."""
    owner = _OWNER.get()
    if owner is None:
        return function
    table = owner.tables.get(function)
    if table is None:
        table = owner.table(function, function)
    return table.__getitem__


def cached_text(function: F) -> F:
    """Remember what a function gave for its arguments, where somebody's texts are looked at."""
    return _cached(function, passing=False)


def cached_in_passing(function: F) -> F:
    """The same while they are looked at: for what is asked by several that look at a text, and by
    hardly any again once these remember what they made of it."""
    return _cached(function, passing=True)


def _cached(function: F, *, passing: bool) -> F:
    def make(arguments: tuple[Any, ...]) -> Any:
        return function(*arguments)

    @wraps(function)
    def cached(*arguments: Any) -> Any:
        owner = _OWNER.get()
        if owner is None:
            return function(*arguments)
        table = owner.tables.get(cached)
        if table is None:
            table = owner.table(cached, make, passing=passing)
        return table[arguments]

    return cached  # pyright: ignore[reportReturnType]
