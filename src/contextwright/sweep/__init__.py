"""Recorded sessions compiled again under other specs: a row for every call."""

from typing import TYPE_CHECKING

from contextwright.lazy_names import lazy_names

if TYPE_CHECKING:
    from contextwright.sweep.recorded_sessions import session_tables
    from contextwright.sweep.run_sweep import sweep
    from contextwright.sweep.sweep_job import SweepJob, SweepSpec
    from contextwright.sweep.sweep_table import compile_table

_HOMES = {
    "SweepJob": "sweep_job",
    "SweepSpec": "sweep_job",
    "compile_table": "sweep_table",
    "session_tables": "recorded_sessions",
    "sweep": "run_sweep",
}

__all__ = ["SweepJob", "SweepSpec", "compile_table", "session_tables", "sweep"]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
