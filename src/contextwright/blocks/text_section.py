"""Texts that stand between markers: neighbours of one source share them."""

from contextwright.blocks.block import Block
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import Layer, Trust


def section_key(block: Block, *, refs: bool = True) -> tuple[object, ...]:
    """What neighbours have in common that stand between one pair of markers.

    Args:
        refs: whether refs are shown. Behind its ref a text stands alone.
    """
    alone = block.id if _stands_alone(block, refs=refs) else ""
    return (block.source, block.tier, block.cache, block.layer, block.trust, alone)


def shares_section(block: Block, *, refs: bool = True) -> bool:
    """Whether a text stands between markers that its neighbours of one source share."""
    is_bare = block.layer is Layer.SYSTEM and block.trust is Trust.OPERATOR
    return not (block.messages or is_bare or _stands_alone(block, refs=refs))


def is_in_short(block: Block, *, refs: bool = True) -> bool:
    """Whether a text is told in other words, or cut with a ref to its whole. Evidence has its
    address beside it."""
    is_cut = refs and block.fidelity is Fidelity.TRUNCATED and bool(block.ref)
    return block.fidelity is Fidelity.SUMMARIZED or (is_cut and block.source != "evidence")


def _stands_alone(block: Block, *, refs: bool) -> bool:
    return block.source == "warning" or is_in_short(block, refs=refs)
