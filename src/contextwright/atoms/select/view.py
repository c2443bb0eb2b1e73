"""`C.view(name)`: two readings of the one log (message-compiler.md#views)."""

from typing import ClassVar, Literal

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.fidelity import Fidelity
from contextwright.session.snapshot import words_beside_calls
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Traits


class View(Atom, frozen=True, kw_only=True):
    """`reasoning`: everything, with the tool trace; `conversation`: what was said, without it; what
    an agent said beside its calls stays.

    What is protected stays in any case: the live edge, the newest open failure of a tool.
    """

    word: ClassVar[str] = "view"
    kind: ClassVar[Kind] = Kind.REFINER
    verb: ClassVar[Verb] = Verb.SELECT

    name: Literal["reasoning", "conversation"] = "reasoning"

    @property
    def traits(self) -> Traits:
        """What was said in an exchange says nothing about others."""
        return Traits(view="block")

    def over(self, inputs: Inputs) -> Blocks:
        """The whole conversation."""
        return inputs.conversation(f"view:{self.name}")

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """What belongs to the view."""
        if self.name == "reasoning":
            return blocks
        stays = inputs.protection.keep_reason
        words = (block if stays(block) else _words_of(block) for block in blocks)
        return tuple(block for block in words if block is not None)


def _words_of(block: Block) -> Block | None:
    """What a block says, without its trace; None where it says nothing."""
    if not block.results and block.role != "tool":
        return block
    first = block.messages[0]
    words = words_beside_calls(first.role, first.parts)
    if not words:
        return None
    message = msgspec.structs.replace(first, parts=words, whole=False)
    return block.lower(Fidelity.COMPACTED, messages=(message,), why="the words beside its calls")
