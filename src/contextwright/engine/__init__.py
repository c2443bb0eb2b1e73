"""When: prepare before a turn, assemble for it, record after it."""

from contextwright.engine.acceptance import Verdict, check_acceptance, record_acceptance
from contextwright.engine.engine import Engine, compile
from contextwright.engine.record import record
from contextwright.engine.store_manifest import read_manifest, store_manifest
from contextwright.engine.working_notes import add_working_note, checkpoint, promote

__all__ = [
    "Engine",
    "Verdict",
    "add_working_note",
    "check_acceptance",
    "checkpoint",
    "compile",
    "promote",
    "read_manifest",
    "record",
    "record_acceptance",
    "store_manifest",
]
