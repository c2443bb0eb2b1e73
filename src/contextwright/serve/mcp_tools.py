"""The tools about stored sessions as a server of the Model Context Protocol. Extra `mcp`."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool

from contextwright import __version__
from contextwright.errors import ContextwrightError
from contextwright.serve.session_tools import SessionTools, UnknownHandle

_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}
_READING: tuple[tuple[str, str, dict[str, Any], tuple[str, ...]], ...] = (
    (
        "recall",
        "Search stored sessions and memories by words. Gives refs with passages.",
        {"query": _TEXT, "session": _TEXT, "max_tokens": _NUMBER},
        ("query",),
    ),
    (
        "expand",
        "Read what a ref of a session names, whole, by page, lines (10-40) or grep.",
        {
            "session": _TEXT,
            "ref": _TEXT,
            "lines": _TEXT,
            "page": _NUMBER,
            "grep": _TEXT,
            "max_tokens": _NUMBER,
        },
        ("session", "ref"),
    ),
    (
        "why",
        "Why something of a session was shortened or left out: a ref, an event's id, or its words.",
        {"session": _TEXT, "about": _TEXT},
        ("session", "about"),
    ),
)
_WRITING: tuple[tuple[str, str, dict[str, Any], tuple[str, ...]], ...] = (
    ("remember", "Keep a memory. Gives its id.", {"text": _TEXT}, ("text",)),
    ("forget", "Remove a memory by its id.", {"id": _TEXT}, ("id",)),
    ("pin", "Keep a memory from being forgotten by policies.", {"id": _TEXT}, ("id",)),
)


def mcp_server(tools: SessionTools, *, allow_writes: bool = False) -> MCPServer:
    """A server with these tools.

    Args:
        allow_writes: whether memories may be written.
    """
    rows = (*_READING, *_WRITING) if allow_writes else _READING
    made = [
        _tool(getattr(tools, name), telling, fields, required)
        for name, telling, fields, required in rows
    ]
    return MCPServer("contextwright", version=__version__, tools=made, log_level="ERROR")


def _tool(
    method: Callable[..., str], telling: str, fields: dict[str, Any], required: tuple[str, ...]
) -> Tool:
    @wraps(method)
    def answer(**arguments: Any) -> str:
        try:
            return method(**arguments)
        except UnknownHandle as error:
            raise ToolError(str(error)) from None
        except ContextwrightError as error:
            raise ToolError(f"{error.what}. {error.fix or ''}".strip()) from None

    tool = Tool.from_function(answer, description=telling, structured_output=False)
    # the generated schema has titles and defaults that every request of the agent would carry
    schema = {"type": "object", "properties": fields, "required": list(required)}
    return tool.model_copy(update={"parameters": schema})
