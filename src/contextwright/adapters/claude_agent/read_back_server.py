"""Tools with which an agent of the Claude Agent SDK finds and reads what it has no longer in sight,
as an MCP server inside this process."""

from typing import Any

from claude_agent_sdk import McpSdkServerConfig, SdkMcpTool, create_sdk_mcp_server

from contextwright.adapters.claude_agent.transcript_store import TranscriptStore
from contextwright.blocks.read_back_tools import read_back_tools
from contextwright.engine.engine import Engine
from contextwright.errors import SessionError
from contextwright.session.event import Tool
from contextwright.words import C
from contextwright.worker_threads import off_loop

_SIGHT = 4
"""Steps that the agent is taken to see, whatever it compacted itself: the rest can be found."""


def read_back_server(
    store: TranscriptStore, model: str = "claude-opus-4-5", name: str = "contextwright"
) -> McpSdkServerConfig:
    """What `ClaudeAgentOptions(mcp_servers={name: ...})` takes: `search` and `expand` over the
    transcript that was written to last, also over what the agent compacted.

    Args:
        store: that the options have as `session_store`; with `session_store_flush="eager"` the
            running turn is there as well.
        model: by whose window the answers are bounded.
        name: of the server; the tools are `mcp__NAME__search` and `mcp__NAME__expand`.
    """
    return create_sdk_mcp_server(name, tools=reading_tools(store, model))


def reading_tools(store: TranscriptStore, model: str) -> list[SdkMcpTool[Any]]:
    """The tools of the server."""
    engine = Engine(C.window(steps=_SIGHT), model, read_back=True)

    def answer(name: str, arguments: dict[str, Any]) -> str:
        session = store.session()
        engine.compile(session)
        return engine.tools(session).call(name, arguments)

    def tool(each: Tool) -> SdkMcpTool[Any]:
        async def read(arguments: dict[str, Any]) -> dict[str, Any]:
            try:
                text = await off_loop(answer, each.name, arguments)
            except SessionError as error:
                return {"content": [{"type": "text", "text": str(error)}], "is_error": True}
            return {"content": [{"type": "text", "text": text}]}

        return SdkMcpTool(each.name, each.description, dict(each.parameters), read)

    return [tool(each) for each in read_back_tools(())]
