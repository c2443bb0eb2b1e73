"""`C.window(n)`: the newest turns; `C.window(steps=n)`: the newest steps
(context-algebra.md#window)."""

from collections.abc import Sequence
from typing import ClassVar

import msgspec

from contextwright.blocks.block import Blocks
from contextwright.errors import SpecError
from contextwright.session.exchange import Exchange
from contextwright.session.snapshot import Snapshot
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.ranges import Ranges, ValueRange
from contextwright.spec.traits import Gives, Traits
from contextwright.spec.word_roles import ConversationWindow, LogSelector

TURNS = 5
"""Turns of a window that names no number."""

STRIDE = 8
"""Turns by which zones and rolling windows move by default: over 40 turns, it costs least of all
under a provider's cache (../reference/prefix.md)."""


def stride_of(whole: int) -> int:
    """The turns by which a history moves of which so many turns are whole: `STRIDE`, or twice
    those where that is less."""
    return min(STRIDE, 2 * whole)


class Window(LogSelector, ConversationWindow, frozen=True, kw_only=True):
    """The newest `n` turns, or the newest `steps` exchanges. After a pipe: of the blocks that
    come, the newest; blocks that belong to no turn pass. What is protected stays in any case: the
    task's first message among it.

    An agent that was given one task makes all of its calls in one turn, which a window of turns
    can not divide: count its steps.

    Args:
        n: turns, at least 1, the running turn included; 5 where neither is given.
        steps: exchanges (a message, or calls with their results), at least 1. With both, what
            lies in both windows.
        stride: turns, or exchanges, by which its beginning moves: with 8 a window of 5 turns
            holds 5 to 12, and in between its first messages keep their bytes.

    Raises:
        SpecError: `n`, `steps` or `stride` is below 1.
    """

    word: ClassVar[str] = "window"
    kind: ClassVar[Kind] = Kind.REFINER
    verb: ClassVar[Verb] = Verb.SELECT
    ranges: ClassVar[Ranges] = {
        "n": ValueRange(1, 30),
        "steps": ValueRange(2, 60),
        "stride": ValueRange(1, 16),
    }

    n: int | None = None
    steps: int | None = None
    stride: int = 1

    def __post_init__(self) -> None:
        for name in ("n", "steps", "stride"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise SpecError(
                    f"{name} is {number}: a window holds the newest at least",
                    where=repr(self),
                    fix=f"C.window({name}=1), or C.none() for nothing",
                )

        if self.n is None and self.steps is None:
            # one spec has one form: `C.window()` equals and prints as `C.window(n=5)`
            msgspec.structs.force_setattr(self, "n", TURNS)

    def start(self, snapshot: Snapshot) -> int:
        """The first exchange of the window."""
        return self._start(snapshot, 0)

    def _start(self, snapshot: Snapshot, first: int) -> int:
        """The same, of a window whose steps count from the exchange `first`."""
        starts = [snapshot.preamble]
        if self.steps is not None:
            starts.append(first + self._first(snapshot.exchange_count - first, self.steps))
        if self.n is not None:
            starts.append(snapshot.turn_start(self._first(snapshot.turn + 1, self.n)))
        return max(starts)

    def _first(self, count: int, newest: int) -> int:
        """The first of so many that is in a window of the `newest`."""
        return max(0, count - newest) // self.stride * self.stride

    @property
    def strides(self) -> bool:
        """With a stride."""
        return self.stride > 1

    def is_filled(self, newest: Sequence[Exchange]) -> bool:
        """Whether there are enough turns, the oldest of which may have more, or enough steps."""
        turns = self.n is not None and len({one.turn for one in newest}) > self.n
        return turns or (self.steps is not None and len(newest) >= self.steps)

    @property
    def traits(self) -> Traits:
        """Its live edge is always in it. By steps it does not keep whole turns."""
        turns = self.n + self.stride - 1 if self.n and self.steps is None else None
        return Traits(gives=Gives.ALWAYS, bounded=True, turns=turns)

    def bring(self, inputs: Inputs) -> Blocks:
        """The newest exchanges."""
        label = f"last_{self.steps}_steps" if self.steps else f"last_{self.n}"
        return inputs.newest(self.start(inputs.snapshot), f"window:{label}")

    def chosen(self, inputs: Inputs, source: str) -> Blocks:
        """The newest, and of the rest what must stay. The instruction, which comes through no pipe,
        is no step."""
        snapshot, first = inputs.snapshot, inputs.snapshot.preamble
        start = self._start(snapshot, first)
        held = snapshot.exchanges_at(inputs.held_within(first, start))
        return inputs.blocks([*held, *snapshot.exchanges(start)], source)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The newest among those that came."""
        chosen = blocks
        if self.n is not None:
            turns = sorted({block.turn for block in blocks if block.turn >= 0})
            turns = turns[self._first(len(turns), self.n) :]
            chosen = tuple(b for b in chosen if b.turn < 0 or b.turn in turns)
        if self.steps is not None:
            exchanges = [block.order for block in blocks if block.order >= 0]
            newest = set(exchanges[self._first(len(exchanges), self.steps) :])
            chosen = tuple(b for b in chosen if b.order < 0 or b.order in newest)
        return inputs.protection.with_protected(blocks, chosen)
