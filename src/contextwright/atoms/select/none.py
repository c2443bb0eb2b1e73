"""`C.none()`: nothing (context-algebra.md#everything-and-nothing)."""

from typing import ClassVar

from contextwright.blocks.block import Blocks
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Gives, Traits


class Nothing(Atom, frozen=True, kw_only=True):
    """No context: the agent sees its instruction and what it was asked now."""

    word: ClassVar[str] = "none"
    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.SELECT

    @property
    def traits(self) -> Traits:
        """Nothing comes out of it."""
        return Traits(gives=Gives.NOTHING)

    def bring(self, inputs: Inputs) -> Blocks:
        """Nothing."""
        return ()
