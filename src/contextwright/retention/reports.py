"""Reports of forgetting, as plain values."""

import msgspec

from contextwright.retention.erasable_store import ErasureCount
from contextwright.retention.plan_forgetting import ProtectedRecord


class Action(msgspec.Struct, frozen=True):
    """A record that was forgotten: `tokens` of its text, 0 for bytes; `size` in bytes."""

    store: str
    id: str
    kind: str
    why: str
    tokens: int
    size: int


class CycleReport(msgspec.Struct, frozen=True):
    """The records that a cycle evicted, or would evict.

    Args:
        cycle: the number that `restore` takes; 0 where nothing was forgotten.
        held: records that a policy names and something protects.
        damaged: (store, id) of records that are not what was stored: no policy has them.
    """

    cycle: int
    actions: tuple[Action, ...]
    held: tuple[ProtectedRecord, ...]
    damaged: tuple[tuple[str, str], ...] = ()


class RestoreReport(msgspec.Struct, frozen=True):
    """The records that a restore put back: (store, id). `left` are those whose id stands for
    something else by now; their tombstones stay until a purge."""

    back: tuple[tuple[str, str], ...]
    left: tuple[tuple[str, str], ...]


class PurgeReport(msgspec.Struct, frozen=True):
    """The cycles that can not be restored any more, how many things went, their bytes, and how
    many stay under a legal hold."""

    cycles: tuple[int, ...]
    things: int
    size: int
    held: int


class ErasureReport(msgspec.Struct, frozen=True):
    """The counts of an erasure, and its limits.

    Args:
        stores: what was removed and rewritten, by store; `journal` is forgetting's own. Empty
            where another process was faster to do it: then the audit log says it.
        unreached: what it can not reach, a sentence each.
    """

    stores: dict[str, ErasureCount]
    unreached: tuple[str, ...]

    @property
    def damaged(self) -> tuple[tuple[str, str], ...]:
        """(store, id) of records that could not be read and may still name the person."""
        return tuple((name, id) for name, count in self.stores.items() for id in count.damaged)
