"""Retention policies, as plain values."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

import msgspec

from contextwright.errors import StoreError, is_number
from contextwright.retention.erasable_store import Score
from contextwright.retention.validation import require, text_tuple
from contextwright.stored_record import StoredRecord
from contextwright.stores.artifact_retention import DAY_MS

DEFAULT_TIER = 2
"""The tier of what has none: important."""


class RecordSelector(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Selects records that match all of its fields, for a policy or a legal hold. Without any
    field it selects every record.

    Args:
        stores: names of stores, such as `memory`, `sessions`, `artifacts`.
        kinds: such as `note`, `fact`, `decision`, `answer`, `artifact`, `session`.
        ids: an id, or a pattern of ids with `*`, `?` and `[...]`; an id of a session means its
            notes too.
        scopes: their owners.

    Raises:
        StoreError: anything but texts.
    """

    stores: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    ids: str = "*"
    scopes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field in ("stores", "kinds", "scopes"):
            msgspec.structs.force_setattr(self, field, text_tuple(getattr(self, field), field))
        require(self.ids, str, "ids", "such as ids='case-7*'")

    def covers(self, store: str, record: StoredRecord) -> bool:
        """True if a record of a store is selected."""
        return (
            (not self.stores or store in self.stores)
            and (not self.kinds or record.kind in self.kinds)
            and (not self.scopes or record.scope in self.scopes)
            and (
                self.ids in {"*", record.id, record.part_of or record.id}
                or fnmatchcase(record.id, self.ids)
                or (record.part_of != "" and fnmatchcase(record.part_of, self.ids))
            )
        )


class RetentionPolicy(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A retention policy: which records are kept no longer.

    Of what `over` covers, from `tier` on, a record goes if **all** conditions that are set of
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

    over: RecordSelector = RecordSelector()
    max_age_days: float | None = None
    min_salience: float | None = None
    unused_days: float | None = None
    max_items: int | None = None
    tier: int = DEFAULT_TIER
    name: str = ""

    def __post_init__(self) -> None:
        conditions = [self.max_age_days, self.min_salience, self.unused_days, self.max_items]
        require(
            self.over,
            RecordSelector,
            "RetentionPolicy(over=...)",
            "from contextwright.retention import RecordSelector: a render Target is another thing",
        )
        if (
            all(each is None for each in conditions)
            or not all(each is None or (is_number(each) and each >= 0) for each in conditions)
            or not (self.min_salience is None or self.min_salience <= 1)
            or not (self.max_items is None or isinstance(self.max_items, int))
            or self.tier not in {2, 3, 4}
        ):
            raise StoreError(
                "expected a condition: days and items from 0, a salience from 0 to 1, a tier of 2, "
                "3 or 4",
                where=repr(self),
                fix="such as RetentionPolicy(over=..., max_age_days=90)",
            )

    def reason(self, record: StoredRecord, now_ms: int, score: Score | None) -> str:
        """The reason for which a record goes on its own; empty where it stays."""
        reasons: list[str] = []
        if self.max_age_days is not None:
            if record.time_ms is None or now_ms - record.time_ms <= self.max_age_days * DAY_MS:
                return ""
            reasons.append(f"older than {self.max_age_days:g} days")
        if self.unused_days is not None:
            last = record.used_ms if record.used_ms is not None else record.time_ms
            if last is None or now_ms - last <= self.unused_days * DAY_MS:
                return ""
            reasons.append(f"unused for {self.unused_days:g} days")
        if self.min_salience is not None:
            if score is None or not record.text or score(record.text) >= self.min_salience:
                return ""
            reasons.append(f"salience below {self.min_salience:g}")
        return self._named(" and ".join(reasons))

    def applies(self, store: str, record: StoredRecord) -> bool:
        """True if the policy is about a record at all."""
        return (record.tier or DEFAULT_TIER) >= self.tier and self.over.covers(store, record)

    def excess(self, records: Iterable[tuple[str, StoredRecord]]) -> list[tuple[str, StoredRecord]]:
        """The records beyond `max_items`, of those that the policy is about."""
        if self.max_items is None:
            return []
        ranked = sorted(records, key=lambda each: (-_last_use(each[1]), each[0], each[1].id))
        return ranked[self.max_items :]

    @property
    def excess_reason(self) -> str:
        """The reason for which a record beyond `max_items` goes."""
        return self._named(f"beyond {self.max_items} items")

    def _named(self, why: str) -> str:
        return f"{self.name}: {why}" if self.name and why else why


def _last_use(record: StoredRecord) -> int:
    return max(record.time_ms or 0, record.used_ms or 0)
