"""What happened: events, exchanges, the log, state, snapshots."""

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
