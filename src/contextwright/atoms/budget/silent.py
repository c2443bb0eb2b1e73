"""`C.silent()`: a request that does not name what it leaves out (rules.md#left-out)."""

from typing import ClassVar

from contextwright.blocks.block import Blocks
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Traits


class Silent(Atom, frozen=True, kw_only=True):
    """No line in the request tells what words and limits left out of the conversation: for a model
    that has no use for it, or an agent that must not know what was said elsewhere. The manifest
    tells all of it, as ever.
    """

    word: ClassVar[str] = "silent"
    kind: ClassVar[Kind] = Kind.ASSEMBLY
    verb: ClassVar[Verb] = Verb.BUDGET

    @property
    def traits(self) -> Traits:
        """It looks at nothing."""
        return Traits(view="block", silent=True)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks."""
        return blocks
