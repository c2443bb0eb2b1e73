"""When: prepare before a turn, assemble for it, record after it."""

from contextwright.engine.acceptance import Verdict, check_acceptance, record_acceptance
from contextwright.engine.engine import Engine, compile
from contextwright.engine.premise_guard import (
    acheck_premise,
    apremise_guard,
    check_premise,
    premise_guard,
)
from contextwright.engine.record import record
from contextwright.engine.store_manifest import read_manifest, store_manifest
from contextwright.engine.working_notes import add_working_note, checkpoint, promote

__all__ = [
    "Engine",
    "Verdict",
    "acheck_premise",
    "add_working_note",
    "apremise_guard",
    "check_acceptance",
    "check_premise",
    "checkpoint",
    "compile",
    "premise_guard",
    "promote",
    "read_manifest",
    "record",
    "record_acceptance",
    "store_manifest",
]
