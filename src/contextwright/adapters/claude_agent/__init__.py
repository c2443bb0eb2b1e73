"""Claude Agent SDK: its transcripts in a store of ours, and tools that read them back.

from contextwright.adapters.claude_agent import TranscriptStore, read_back_server

store = TranscriptStore(SQLiteSessions("agents.db"))
options = ClaudeAgentOptions(
    session_store=store,
    session_store_flush="eager",
    mcp_servers={"contextwright": read_back_server(store)},
)

The SDK has no hook on a request: that is the proxy's (docs/how-to/frameworks/claude-agent.md).
"""

from contextwright.optional_imports import optional_imports

with optional_imports("claude-agent", "claude-agent-sdk", "claude_agent_sdk"):
    from contextwright.adapters.claude_agent.read_back_server import read_back_server
    from contextwright.adapters.claude_agent.transcript_store import TranscriptStore

__all__ = ["TranscriptStore", "read_back_server"]
