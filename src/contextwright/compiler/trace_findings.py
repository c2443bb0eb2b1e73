"""What a tracer wrote down, to be handed on."""

from collections.abc import Iterable

import msgspec

from contextwright.blocks.protection import Protection
from contextwright.compiler.change import Change, StepTrace
from contextwright.spec.log_part import Span


class LimitStage(msgspec.Struct, frozen=True, eq=False):
    """A stage of a limit that dropped something, why, and what had to stay at that moment."""

    name: str
    reason: str
    protection: Protection


def left_out(step: str) -> str:
    """The reason of what a word left out."""
    return f"left out by {step}"


def once(changes: Iterable[Change]) -> list[Change]:
    """What a step did to one block that several terms brought, written once."""
    known = {(one.id, one.step, one.action): one for one in reversed([*changes])}
    return list(reversed(known.values()))


class Findings(msgspec.Struct, frozen=True, eq=False):
    """What a tracer wrote down, as its attributes say."""

    changes: tuple[Change, ...]
    steps: tuple[StepTrace, ...]
    notes: tuple[str, ...]
    summarized: tuple[Span, ...]
    orders: dict[str, int]
    limit_drop: LimitStage | None


NOTHING = Findings((), (), (), (), {}, None)
