"""What forgetting did, as plain values."""

import msgspec

from contextwright.retention.row_plan import Kept


class Action(msgspec.Struct, frozen=True):
    """One thing that was forgotten.

    Args:
        tokens: of its text; 0 for bytes.
        size: its bytes.
    """

    place: str
    id: str
    kind: str
    why: str
    tokens: int
    size: int


class Forgetting(msgspec.Struct, frozen=True):
    """What a cycle forgot, or would forget.

    Args:
        cycle: the number that `restore` takes; 0 where nothing was forgotten.
        actions: what goes.
        held: what a policy names and something protects.
    """

    cycle: int
    actions: tuple[Action, ...]
    held: tuple[Kept, ...]


class Restored(msgspec.Struct, frozen=True):
    """What a restore put back: (place, id). `left` is what has another thing in its place by now;
    it is held until a purge."""

    back: tuple[tuple[str, str], ...]
    left: tuple[tuple[str, str], ...]


class Purged(msgspec.Struct, frozen=True):
    """What a purge let go of for good.

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
