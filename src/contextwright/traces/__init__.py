"""Yesterday's traces: exports of model calls, from which sessions are made."""

from typing import TYPE_CHECKING

from contextwright.lazy_names import lazy_names

if TYPE_CHECKING:
    from contextwright.traces.call_mark import CallMark, call_marks
    from contextwright.traces.recorded_call import RecordedCall, UnreadCall
    from contextwright.traces.trace_exports import Traces, read_traces

_HOMES = {
    "CallMark": "call_mark",
    "RecordedCall": "recorded_call",
    "Traces": "trace_exports",
    "UnreadCall": "recorded_call",
    "call_marks": "call_mark",
    "read_traces": "trace_exports",
}
"""Imported when they are first named."""

__all__ = ["CallMark", "RecordedCall", "Traces", "UnreadCall", "call_marks", "read_traces"]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
