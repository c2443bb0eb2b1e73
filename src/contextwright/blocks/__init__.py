"""What flows: blocks, their fidelity, layer, cache class and recovery refs."""

from contextwright.blocks.block import SCORE_ONE, Block, Blocks, Message
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.blocks.of_exchange import block_of
from contextwright.blocks.ref import Ref, event_ref, parse_ref

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
