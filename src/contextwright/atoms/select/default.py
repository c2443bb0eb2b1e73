"""`C.default()`: everything (context-algebra.md#everything-and-nothing)."""

from typing import ClassVar, Literal

from contextwright.atoms.select.from_compaction import compacted
from contextwright.blocks.block import Blocks
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Gives, Traits


class Default(Atom, frozen=True, kw_only=True):
    """The whole conversation, as a framework sends it when nothing is said: with the summaries
    that it put into the log instead of what they cover (`C.from_compaction`)."""

    word: ClassVar[str] = "default"
    selects: ClassVar[Literal["conversation", "other"] | None] = "conversation"
    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.SELECT

    @property
    def traits(self) -> Traits:
        """It grows with the session."""
        return Traits(gives=Gives.ALWAYS, bounded=False, view="block", whole=True)

    def bring(self, inputs: Inputs) -> Blocks:
        """Every exchange but the system instruction, which every request has anyway."""
        return compacted(inputs, "history")
