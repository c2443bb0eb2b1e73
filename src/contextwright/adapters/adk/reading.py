"""The tools with which a model reads back what was shortened, as ADK's tools."""

from collections.abc import Awaitable, Callable
from typing import Any

from google.adk.tools import BaseTool, ToolContext
from google.genai import types

from contextwright.engine.engine import Engine
from contextwright.session.event import Tool
from contextwright.session.session import Session


def adk_tools(
    engine: Engine, session_of: Callable[[ToolContext], Awaitable[Session]]
) -> list[BaseTool]:
    """A tool of ADK's for each that reads back.

    Args:
        engine: what compiles for the agent.
        session_of: the session of whoever calls.
    """
    return [_ReadingTool(tool, engine, session_of) for tool in engine.target.with_readers(())]


class _ReadingTool(BaseTool):
    def __init__(
        self, tool: Tool, engine: Engine, session_of: Callable[[ToolContext], Awaitable[Session]]
    ) -> None:
        super().__init__(name=tool.name, description=tool.description)
        self._tool, self._engine, self._session_of = tool, engine, session_of

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name,
            description=self.description,
            parameters_json_schema=self._tool.parameters,
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> str:
        """What was read, or why not."""
        session = await self._session_of(tool_context)
        return await self._engine.tools(session).acall(self.name, args)
