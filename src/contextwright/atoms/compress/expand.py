"""`C.expand(...)`: a shortened thing, whole again (context-algebra.md#expansion)."""

from typing import ClassVar

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.blocks.ref import SCHEMES, parse_ref
from contextwright.errors import RefError, SpecError
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb


class Expand(Atom, frozen=True, kw_only=True):
    """Every block whole: a shortened exchange as it was, a text that is a ref as what the ref
    names. A ref that does not resolve stays as it is."""

    word: ClassVar[str] = "expand"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks, whole."""
        return tuple(self._whole(block, inputs) for block in blocks)

    def _whole(self, block: Block, inputs: Inputs) -> Block:
        if block.order >= 0:
            if block.fidelity is Fidelity.RAW:
                return block
            exchange = inputs.snapshot.exchanges(block.order, block.order + 1)[0]
            raw = inputs.memo.block(exchange)
            return msgspec.structs.replace(raw, source=block.source, tier=block.tier)
        label, separator, value = block.text.rpartition(": ")
        if not value.strip().startswith(tuple(f"{scheme}://" for scheme in SCHEMES)):
            return block
        text = inputs.resolve(value.strip())
        if text is None:
            return block
        return block.with_text(f"{label}{separator}{text}", why="expanded")


class ExpandRefs(Atom, frozen=True, kw_only=True):
    """A block for every ref, holding what the ref names.

    Raises:
        SpecError: no ref. RefError: while compiling, a ref that does not resolve.
    """

    word: ClassVar[str] = "expand_refs"
    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.SELECT
    variadic: ClassVar[str] = "refs"

    refs: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.refs:
            raise SpecError("no ref to expand", where=repr(self), fix='C.expand_refs("event://e7")')
        for ref in self.refs:
            parse_ref(ref)

    def bring(self, inputs: Inputs) -> Blocks:
        """What the refs name."""
        return tuple(self._block(ref, inputs) for ref in self.refs)

    def _block(self, ref: str, inputs: Inputs) -> Block:
        text = inputs.resolve(ref)
        if text is None:
            raise RefError(
                "nothing is found behind this ref",
                where=ref,
                fix="refs are those that a request or `ctx explain` of this session shows",
            )
        return Block(
            id=ref,
            source=ref,
            layer=Layer.EVIDENCE,
            text=text,
            cache=CacheClass.DYNAMIC,
            ref=ref,
            lineage=(ref,),
        )
