"""What flows: blocks, their fidelity, layer, cache class and recovery refs."""

from typing import TYPE_CHECKING

from contextwright.lazy_names import lazy_names

if TYPE_CHECKING:
    from contextwright.blocks.block import SCORE_ONE, Block, Blocks, Message
    from contextwright.blocks.fidelity import Fidelity
    from contextwright.blocks.layering import CacheClass, Layer
    from contextwright.blocks.of_exchange import block_of
    from contextwright.blocks.ref import Ref, event_ref, parse_ref

_HOMES = {
    "Block": "block",
    "Blocks": "block",
    "CacheClass": "layering",
    "Fidelity": "fidelity",
    "Layer": "layering",
    "Message": "block",
    "Ref": "ref",
    "SCORE_ONE": "block",
    "block_of": "of_exchange",
    "event_ref": "ref",
    "parse_ref": "ref",
}
"""Imported when they are first named."""

__all__ = [
    "SCORE_ONE",
    "Block",
    "Blocks",
    "CacheClass",
    "Fidelity",
    "Layer",
    "Message",
    "Ref",
    "block_of",
    "event_ref",
    "parse_ref",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
