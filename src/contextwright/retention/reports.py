"""Reports of forgetting, as plain values."""

import msgspec

from contextwright.retention.plan_forgetting import ProtectedRecord


class Action(msgspec.Struct, frozen=True):
    """An eviction: a record that was forgotten.

    Args:
        tokens: of its text; 0 for bytes.
        size: its bytes.
    """

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
        actions: one for each evicted record.
        held: records that a policy names and something protects.
    """

    cycle: int
    actions: tuple[Action, ...]
    held: tuple[ProtectedRecord, ...]


class RestoreReport(msgspec.Struct, frozen=True):
    """The records that a restore put back: (store, id). `left` are those whose id stands for
    something else by now; their tombstones stay until a purge."""

    back: tuple[tuple[str, str], ...]
    left: tuple[tuple[str, str], ...]


class PurgeReport(msgspec.Struct, frozen=True):
    """The counts of a purge.

    Args:
        cycles: those that can not be restored any more.
        things: how many.
        size: their bytes.
        held: how many stay under a legal hold.
    """

    cycles: tuple[int, ...]
    things: int
    size: int
    held: int
