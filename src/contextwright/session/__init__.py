"""What happened: events, exchanges, the log, state, snapshots."""

from typing import TYPE_CHECKING

from contextwright.lazy_names import lazy_names

if TYPE_CHECKING:
    from contextwright.session.event import (
        AnyPart,
        Event,
        File,
        Image,
        Opaque,
        Text,
        Thinking,
        Tool,
        ToolCall,
        ToolResult,
    )
    from contextwright.session.exchange import Exchange
    from contextwright.session.log import Log
    from contextwright.session.session import Session, StateChange
    from contextwright.session.snapshot import Snapshot, conversation_view, reasoning_view
    from contextwright.session.state import State

_HOMES = {
    "AnyPart": "event",
    "Event": "event",
    "Exchange": "exchange",
    "File": "event",
    "Image": "event",
    "Log": "log",
    "Opaque": "event",
    "Session": "session",
    "Snapshot": "snapshot",
    "State": "state",
    "StateChange": "session",
    "Text": "event",
    "Thinking": "event",
    "Tool": "event",
    "ToolCall": "event",
    "ToolResult": "event",
    "conversation_view": "snapshot",
    "reasoning_view": "snapshot",
}
"""Imported when they are first named."""

__all__ = [
    "AnyPart",
    "Event",
    "Exchange",
    "File",
    "Image",
    "Log",
    "Opaque",
    "Session",
    "Snapshot",
    "State",
    "StateChange",
    "Text",
    "Thinking",
    "Tool",
    "ToolCall",
    "ToolResult",
    "conversation_view",
    "reasoning_view",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
