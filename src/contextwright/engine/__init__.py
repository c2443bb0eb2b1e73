"""When: prepare before a turn, assemble for it, record after it."""

from contextwright.engine.engine import Engine, compile
from contextwright.engine.gate import Verdict, gate, gated
from contextwright.engine.keep import keep, kept_manifest
from contextwright.engine.premise import (
    acheck_premise,
    apremise_guard,
    check_premise,
    premise_guard,
)
from contextwright.engine.record import record
from contextwright.engine.working import checkpoint, jot, promote

__all__ = [
    "Engine",
    "Verdict",
    "acheck_premise",
    "apremise_guard",
    "check_premise",
    "checkpoint",
    "compile",
    "gate",
    "gated",
    "jot",
    "keep",
    "kept_manifest",
    "premise_guard",
    "promote",
    "record",
]
