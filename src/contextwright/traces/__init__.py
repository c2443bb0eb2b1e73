"""Yesterday's traces: exports of model calls, from which sessions are made."""

from contextwright.traces.call_mark import CallMark, call_marks
from contextwright.traces.read_traces import Traces, read_traces
from contextwright.traces.recorded_call import RecordedCall, UnreadCall

__all__ = ["CallMark", "RecordedCall", "Traces", "UnreadCall", "call_marks", "read_traces"]
