"""`C.layer(name)`: what a spec brings, as a layer of a pack (context-packs.md#layers)."""

from typing import ClassVar, Literal

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.blocks.ref import event_ref
from contextwright.blocks.transcript import transcript
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb

Name = Literal["task", "evidence", "memory", "conversation"]


class AsLayer(Atom, frozen=True, kw_only=True):
    """The same content in another layer: it counts against that layer's budget, goes when that
    layer has to, and stands in that section.

    Exchanges become texts: `C.relevant(top_k=5) | C.layer("memory")` sends what was said long
    ago in the newest message, behind everything that a cache may hold. What is in the request
    as conversation anyway stays only there.

    Args:
        name: the layer.
    """

    word: ClassVar[str] = "layer"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.BUDGET

    name: Name

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks in this layer."""
        return inputs.memo.map(self, blocks, self._moved)

    def _moved(self, block: Block) -> Block:
        layer = Layer[self.name.upper()]
        if not block.messages or layer is Layer.CONVERSATION:
            return msgspec.structs.replace(block, layer=layer, cache=CacheClass.DYNAMIC)
        text = transcript(block)
        if not text:  # a harness alone speaks in it, whose words no other layer has
            return block
        return msgspec.structs.replace(
            block,
            layer=layer,
            messages=(),
            text=text,
            order=-1,
            cache=CacheClass.DYNAMIC,
            ref=block.ref or event_ref(block.id),
            why=f"sent as {self.name}",
        )
