"""`C.priority(tier)`: how dear a block is (context-algebra.md#priority-tiers)."""

from typing import ClassVar

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import ARCHIVE
from contextwright.errors import SpecError
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Traits


class Priority(Atom, frozen=True, kw_only=True):
    """Put blocks into a tier, global to the request.

    Args:
        tier: 1 critical, never left out; 2 important; 3 supplementary, first to go; 4 archive,
            not in the request at all, to be had by its ref.

    Raises:
        SpecError: another tier.
    """

    word: ClassVar[str] = "priority"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.BUDGET

    tier: int

    def __post_init__(self) -> None:
        if self.tier not in {1, 2, 3, 4}:
            raise SpecError(
                f"tier {self.tier}: there are four",
                where=repr(self),
                fix="1 critical, 2 important, 3 supplementary, 4 archive",
            )

    @property
    def traits(self) -> Traits:
        """The tier."""
        return Traits(tier=self.tier, view="block", maps=self.tier < ARCHIVE)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks in this tier."""

        def tiered(block: Block) -> Block:
            return msgspec.structs.replace(block, tier=self.tier)

        return inputs.memo.map(self, blocks, tiered)
