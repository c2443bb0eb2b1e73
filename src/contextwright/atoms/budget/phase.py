"""`C.phase(name)`: how long a text's bytes stay the same, and so where it stands
(phased-injection.md#phases)."""

from typing import ClassVar, Literal

import msgspec

from contextwright.atoms.compress.clock_last import CLOCK
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import CacheClass
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Traits

PHASES = {
    "system": CacheClass.STABLE,
    "user": CacheClass.SESSION,
    "runtime": CacheClass.DYNAMIC,
}


class Phase(Atom, frozen=True, kw_only=True):
    """Texts of the phases `system` (STABLE) and `user` (SESSION) join the instruction, in that
    order, where the spec's author wrote them; what others may have written, state values among
    them, stands where the history begins (rules.md#trust). Those of `runtime` (DYNAMIC) stand with
    the newest message, behind all that a cache may hold, and so does the clock that `C.clock_last`
    took out of a text. Messages of the conversation stay where they are.
    """

    word: ClassVar[str] = "phase"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.BUDGET

    name: Literal["system", "user", "runtime"]

    @property
    def traits(self) -> Traits:
        """Messages stay as they are."""
        return Traits(view="block", maps=True)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks in this phase."""
        return inputs.memo.map(self, blocks, self._moved)

    def _moved(self, block: Block) -> Block:
        if block.messages or block.id == CLOCK:
            return block
        return msgspec.structs.replace(block, cache=PHASES[self.name])
