"""`C.view(name)`: two readings of the one log (message-compiler.md#views)."""

from typing import ClassVar, Literal

from contextwright.blocks.block import Block, Blocks
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb


class View(Atom, frozen=True, kw_only=True):
    """`reasoning`: everything, with the tool trace; `conversation`: what was said, without it.

    What is protected stays in any case: the live edge, the newest open failure of a tool.
    """

    word: ClassVar[str] = "view"
    kind: ClassVar[Kind] = Kind.REFINER
    verb: ClassVar[Verb] = Verb.SELECT

    name: Literal["reasoning", "conversation"] = "reasoning"

    def over(self, inputs: Inputs) -> Blocks:
        """The whole conversation."""
        snapshot = inputs.snapshot
        return inputs.blocks(snapshot.exchanges(snapshot.preamble), f"view:{self.name}")

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """What belongs to the view."""
        if self.name == "reasoning":
            return blocks
        stays = inputs.protection.keep_reason
        return tuple(block for block in blocks if not _is_trace(block) or stays(block))


def _is_trace(block: Block) -> bool:
    return bool(block.results) or block.role == "tool"
