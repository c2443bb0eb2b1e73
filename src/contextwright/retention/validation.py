"""What is asked of a `Lethe`, checked before anything is done: a hold that holds nothing, or an
erasure that looks for letters, would not show."""

from collections.abc import Iterable
from os import PathLike
from typing import Any

from contextwright.errors import StoreError
from contextwright.retention.data_subject import Person
from contextwright.retention.policies import Retention, Target


def path_of(path: Any) -> str:
    """The journal's path.

    Raises:
        StoreError: it is none, such as a store.
    """
    if isinstance(path, (str, PathLike)):
        return str(path)
    raise StoreError(
        f"the journal's path is a {type(path).__name__}",
        where="Lethe(path, ...)",
        fix="give a file of its own first, then the stores: Lethe('lethe.db', sessions, memory)",
    )


def person_of(person: Any) -> Person:
    """Whose data are to go.

    Raises:
        StoreError: nobody.
    """
    if isinstance(person, Person):
        return person
    raise StoreError(
        f"a {type(person).__name__} does not say who a person is",
        where="erase(person, ...)",
        fix="give Person('u-1815', names=('Ada Lovelace', 'ada@example.org'))",
    )


def time_of(time_ms: Any, where: str) -> int:
    """A time.

    Raises:
        StoreError: it is none.
    """
    if isinstance(time_ms, int):
        return time_ms
    raise StoreError(
        f"a {type(time_ms).__name__} is no time",
        where=where,
        fix="give whole milliseconds since 1970, or leave it out",
    )


def policies_of(policies: Any) -> tuple[Retention, ...]:
    """Policies; a single one is one.

    Raises:
        StoreError: what is no policy.
    """
    given = (policies,) if isinstance(policies, Retention) else tuple(policies)
    for each in given:
        if not isinstance(each, Retention):
            raise StoreError(
                f"a {type(each).__name__} is no policy",
                where="Lethe(..., policies=...)",
                fix="such as policies=[Retention(max_age_days=90)]",
            )
    return given


def target_of(target: Any, places: Iterable[str], where: str) -> Target:
    """What is meant, in places that are there.

    Raises:
        StoreError: no target, or one of a place that was not given: it would never mean anything.
    """
    if not isinstance(target, Target):
        raise StoreError(
            f"a {type(target).__module__}.{type(target).__qualname__} says nothing of what is kept",
            where=where,
            fix="give a contextwright.retention.Target, such as Target(scopes=('u-1815',)), "
            "Target(ids='case-7*') or Target(places=('memory',))",
        )
    there = tuple(places)
    for place in target.places:
        if place not in there:
            raise StoreError(
                f"no place is called {place!r}",
                where=where,
                fix=f"places here are: {', '.join(there) or 'none'}",
            )
    return target
