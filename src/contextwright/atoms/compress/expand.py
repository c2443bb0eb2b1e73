"""`C.expand(...)`: a shortened thing, whole again (context-algebra.md#expansion)."""

import re
from typing import ClassVar

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import CacheClass, Layer, Trust
from contextwright.blocks.ref import MAX_REF, SCHEMES, Ref, parse_ref
from contextwright.errors import SpecError
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Traits


class Expand(Atom, frozen=True, kw_only=True):
    """Every block whole: a shortened exchange as it was; a text that is a ref, an address, or in
    the state another key or a file's path, as what it names. What does not resolve, or may not be
    read, stays as it is, and the manifest says why.

    Files and addresses are read beneath the `roots` and of the `hosts` that the engine or the
    compile was given, and nowhere else."""

    word: ClassVar[str] = "expand"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS

    @property
    def traits(self) -> Traits:
        """A block at a time."""
        return Traits(view="block", maps=True)

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
        ref = _ref_of(value.strip(), block, inputs)
        text = inputs.resolve(ref) if ref else None
        if text is None:
            return block
        whole = block.with_text(f"{label}{separator}{text}", why="expanded")
        return msgspec.structs.replace(whole, trust=Trust.FOREIGN)


_PATH = re.compile(r"(?!/*$)[^\s:\\]*/[^\s:\\]*")
"""A file's path beneath a folder: one at least, no blank, no drive, no scheme."""


def _ref_of(value: str, block: Block, inputs: Inputs) -> str:
    """The ref that a text is; empty where it is none. A key and a path are told from words by
    where they stand: they are all that a state key says."""
    if value.startswith(tuple(f"{scheme}://" for scheme in SCHEMES)):
        return value
    if not block.id.startswith(_STATE) or len(value) > MAX_REF:
        return ""
    if value != block.id.removeprefix(_STATE) and value in inputs.snapshot.state:
        return str(Ref("state", value))
    return str(Ref("file", value)) if _PATH.fullmatch(value) else ""


_STATE = "state:"


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

    def cites(self) -> tuple[str, ...]:
        """The refs."""
        return self.refs

    def bring(self, inputs: Inputs) -> Blocks:
        """What the refs name."""
        return tuple(self._block(ref, inputs.read(ref)) for ref in self.refs)

    def _block(self, ref: str, text: str) -> Block:
        return Block(
            id=ref,
            source=ref,
            layer=Layer.EVIDENCE,
            text=text,
            cache=CacheClass.DYNAMIC,
            ref=ref,
            lineage=(ref,),
        )
