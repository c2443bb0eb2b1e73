"""When: prepare before a turn, assemble for it, record after it."""

from contextwright.engine.engine import Engine, compile
from contextwright.engine.gate import Verdict, gate, gated
from contextwright.engine.keep import keep, kept_manifest
from contextwright.engine.record import record
from contextwright.engine.working import checkpoint, jot, promote

__all__ = [
    "Engine",
    "Verdict",
    "checkpoint",
    "compile",
    "gate",
    "gated",
    "jot",
    "keep",
    "kept_manifest",
    "promote",
    "record",
]
