"""`C.window(n)`: the newest turns (document 000 §2.1)."""

from typing import ClassVar

from contextwright.blocks.block import Blocks
from contextwright.errors import SpecError
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb


class Window(Atom, frozen=True, kw_only=True):
    """The newest `n` turns. After a pipe: of the blocks that come, those of their newest `n`
    turns; blocks that belong to no turn pass.

    Args:
        n: turns, at least 1. The running turn counts.

    Raises:
        SpecError: `n` is below 1.
    """

    word: ClassVar[str] = "window"
    kind: ClassVar[Kind] = Kind.REFINER
    verb: ClassVar[Verb] = Verb.SELECT

    n: int = 5

    def __post_init__(self) -> None:
        if self.n < 1:
            raise SpecError(
                f"n is {self.n}: a window holds the running turn at least",
                where=repr(self),
                fix="C.window(n=1), or C.none() for nothing",
            )

    def bring(self, inputs: Inputs) -> Blocks:
        """The exchanges of the newest turns."""
        snapshot = inputs.snapshot
        start = max(snapshot.preamble, first_of_last(snapshot, self.n))
        return inputs.blocks(snapshot.exchanges(start), f"window:last_{self.n}")

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks of the newest `n` turns among those that came."""
        turns = sorted({block.turn for block in blocks if block.turn >= 0})[-self.n :]
        return tuple(block for block in blocks if block.turn < 0 or block.turn in turns)


def first_of_last(snapshot: Snapshot, n: int) -> int:
    """The first exchange of the newest `n` turns."""
    return snapshot.turn_start(max(0, snapshot.turn + 1 - n))
