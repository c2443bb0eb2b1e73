"""`C.minify()`: results of JSON without the blanks that JSON does not need.

The one word that also shortens the newest result: what it leaves is the same value, and at the
first sending no cache has the result yet.
"""

from typing import ClassVar

from contextwright.blocks.block import Blocks
from contextwright.blocks.minified_results import minified
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Traits


class Minify(Atom, frozen=True, kw_only=True):
    """Send tool results of one line of JSON without the blanks that JSON does not need, from their
    first request on. It is the same value: blanks within strings stay, numbers keep their digits,
    names their order.

    As they came stay JSON over several lines, which is read as a text; results of calls that name a
    file (`path`, `file_path`, ...), which an edit may quote; what the agent read back; exchanges
    that failed; what is pinned or of tier 1.
    """

    word: ClassVar[str] = "minify"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS

    @property
    def traits(self) -> Traits:
        """A block at a time."""
        return Traits(view="block", maps=True)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks, their JSON without blanks."""
        key = (self, inputs.counter_id)
        return inputs.memo.map(key, blocks, lambda block: minified(block, inputs.count))
