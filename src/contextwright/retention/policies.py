"""What a policy forgets, as plain values."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from contextwright.errors import StoreError, is_number
from contextwright.retention.data_subject import several
from contextwright.retention.place import Row, Score
from contextwright.stores.artifact_retention import DAY_MS

DEFAULT_TIER = 2
"""The tier of what has none: important."""


class Target(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Some of what is kept: what matches all that is given. Without anything given, all of it.

    Args:
        places: names of places, such as `memory`, `sessions`, `artifacts`.
        kinds: such as `note`, `fact`, `decision`, `answer`, `artifact`, `session`.
        ids: an id, or a pattern of ids with `*`, `?` and `[...]`; an id of a session means its
            notes too.
        scopes: whose.

    Raises:
        StoreError: places, kinds or scopes that are no tuples.
    """

    places: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    ids: str = "*"
    scopes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("places", "kinds", "scopes"):
            msgspec.structs.force_setattr(self, name, several(getattr(self, name)))
        given: tuple[Any, ...] = (self.places, self.kinds, self.scopes)
        listed = all(
            isinstance(each, (tuple, list)) and all(isinstance(one, str) for one in each)
            for each in given
        )
        if not listed:
            raise StoreError(
                "places, kinds and scopes are tuples of texts",
                where=repr(self),
                fix="such as Target(places=('memory',), ids='m-*')",
            )

    def covers(self, place: str, row: Row) -> bool:
        """Whether a row of a place is meant."""
        return (
            (not self.places or place in self.places)
            and (not self.kinds or row.kind in self.kinds)
            and (not self.scopes or row.scope in self.scopes)
            and (
                self.ids in {"*", row.id, row.part_of or row.id}
                or fnmatchcase(row.id, self.ids)
                or (row.part_of != "" and fnmatchcase(row.part_of, self.ids))
            )
        )


class Retention(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is kept no longer.

    Of what `over` covers, from `tier` on, a thing goes if **all** of the given ones of
    `max_age_days`, `min_salience` and `unused_days` say so (and), **or** if it is beyond the
    `max_items` that were used or written last (or). Of several policies, one that says so is
    enough. What nobody knows, such as the age of a thing without a time, counts against going.

    Never forgotten by any policy: what is pinned, of tier 1, under a legal hold, an open item
    of a checklist, an artifact of the last hour, and what anything that stays refers to.

    Args:
        over: what it is about.
        max_age_days: days since it was written.
        min_salience: score, 0 to 1, below which it goes; bytes are not scored.
        unused_days: days since it was used, or written where it never was.
        max_items: how many stay.
        tier: 2, 3 or 4: from which tier on; 2 is all but the critical.
        name: as actions and the audit call it.

    Raises:
        StoreError: no condition, or one that means nothing.
    """

    over: Target = Target()
    max_age_days: float | None = None
    min_salience: float | None = None
    unused_days: float | None = None
    max_items: int | None = None
    tier: int = DEFAULT_TIER
    name: str = ""

    def __post_init__(self) -> None:
        days = [each for each in (self.max_age_days, self.unused_days) if each is not None]
        given = [self.max_age_days, self.min_salience, self.unused_days, self.max_items]
        over: Any = self.over
        if not isinstance(over, Target):
            raise StoreError(
                f"a policy is over a Target of what is kept, not a {type(over).__name__}",
                where="Retention(over=...)",
                fix="from contextwright.retention import Target: that of a request is another",
            )
        if (
            all(each is None for each in given)
            or not all(each is None or is_number(each) for each in given)
            or any(not each >= 0 for each in days)
            or not (self.min_salience is None or 0 <= self.min_salience <= 1)
            or not (self.max_items is None or _is_count(self.max_items))
            or self.tier not in {2, 3, 4}
        ):
            raise StoreError(
                "a policy needs a condition: days and items from 0, a salience from 0 to 1, a "
                "tier of 2, 3 or 4",
                where=repr(self),
                fix="such as Retention(over=Target(places=('memory',)), max_age_days=90)",
            )

    def says(self, row: Row, now_ms: int, score: Score | None) -> str:
        """Why a row goes by its own; empty where it does not."""
        said: list[str] = []
        if self.max_age_days is not None:
            if row.time_ms is None or now_ms - row.time_ms <= self.max_age_days * DAY_MS:
                return ""
            said.append(f"older than {self.max_age_days:g} days")
        if self.unused_days is not None:
            last = row.used_ms if row.used_ms is not None else row.time_ms
            if last is None or now_ms - last <= self.unused_days * DAY_MS:
                return ""
            said.append(f"unused for {self.unused_days:g} days")
        if self.min_salience is not None:
            if score is None or not row.text or score(row.text) >= self.min_salience:
                return ""
            said.append(f"salience below {self.min_salience:g}")
        return self._named(" and ".join(said))

    def applies(self, place: str, row: Row) -> bool:
        """Whether the policy is about a row at all."""
        return (row.tier or DEFAULT_TIER) >= self.tier and self.over.covers(place, row)

    def beyond(self, rows: Iterable[tuple[str, Row]]) -> list[tuple[str, Row]]:
        """The rows that are too many, of those that the policy is about."""
        if self.max_items is None:
            return []
        ranked = sorted(rows, key=lambda each: (-_last(each[1]), each[0], each[1].id))
        return ranked[self.max_items :]

    @property
    def too_many(self) -> str:
        """Why a row goes that is beyond `max_items`."""
        return self._named(f"beyond {self.max_items} items")

    def _named(self, why: str) -> str:
        return f"{self.name}: {why}" if self.name and why else why


def _is_count(number: Any) -> bool:
    return isinstance(number, int) and number >= 0


def _last(row: Row) -> int:
    return max(row.time_ms or 0, row.used_ms or 0)
