"""When: prepare before a turn, assemble for it, record after it."""

from contextwright.engine.acceptance import Verdict, gate, gated
from contextwright.engine.engine import Engine, compile
from contextwright.engine.premise_guard import (
    acheck_premise,
    apremise_guard,
    check_premise,
    premise_guard,
)
from contextwright.engine.record import record
from contextwright.engine.store_manifest import keep, kept_manifest
from contextwright.engine.working_notes import checkpoint, jot, promote

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
