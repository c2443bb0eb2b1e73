"""The tools with which a model reads what it was shown in short, and what it was not shown at all.

They are values with the same bytes in every request, so that a cached prefix stays: only where one
of the agent's own tools has their name do they go by their second one.
"""

import json
from collections.abc import Iterable
from typing import Any

from contextwright.blocks.line_ids import ref_of_line
from contextwright.blocks.ref import parse_ref
from contextwright.errors import RefError
from contextwright.session.event import Tool, ToolCall

EXPAND_NAMES = ("expand", "expand_ref")
SEARCH_NAMES = ("search", "search_context")
"""What each is called: the first name that no tool of the agent's has."""

_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}
_EXPAND: dict[str, Any] = {
    "type": "object",
    "properties": {
        "ref": _TEXT, "lines": _TEXT, "page": _NUMBER, "grep": _TEXT, "max_tokens": _NUMBER,
    },
    "required": ["ref"],
}  # fmt: skip
_SEARCH: dict[str, Any] = {
    "type": "object",
    "properties": {"query": _TEXT, "max_tokens": _NUMBER},
    "required": ["query"],
}
# what each argument is stands here once: a schema with descriptions costs a third more
_EXPAND_PURPOSE = (
    "Read the original of a text by its ref, as event://e2#0 or e2-e9, in pages. "
    "lines: 10-40, 10- or 7. grep: RE2."
)
_SEARCH_PURPOSE = (
    "Search what is not shown of this conversation, its results, notes and files. "
    "Gives refs for {expand}."
)


def read_back_tools(own: Iterable[Tool] = ()) -> tuple[Tool, Tool]:
    """The tool that reads a ref and the one that finds refs.

    Args:
        own: the agent's own tools, whose names are taken.
    """
    taken = {tool.name for tool in own if not is_read_back(tool)}
    expand = next((name for name in EXPAND_NAMES if name not in taken), EXPAND_NAMES[-1])
    search = next((name for name in SEARCH_NAMES if name not in taken), SEARCH_NAMES[-1])
    purpose = _SEARCH_PURPOSE.format(expand=expand)
    return (
        Tool(name=expand, description=_EXPAND_PURPOSE, parameters=_EXPAND),
        Tool(name=search, description=purpose, parameters=_SEARCH),
    )


def is_read_back(tool: Tool) -> bool:
    """Whether a tool is one of these."""
    if reads_refs(tool):
        return True
    purposes = {_SEARCH_PURPOSE.format(expand=name) for name in EXPAND_NAMES}
    return tool.name in SEARCH_NAMES and tool.description in purposes


def reads_refs(tool: Tool) -> bool:
    """Whether a tool is the one of these that reads refs."""
    return tool.name in EXPAND_NAMES and tool.description == _EXPAND_PURPOSE


def is_reading(call: ToolCall) -> bool:
    """Whether a call read something back: what it gave is no news, but the log's own words."""
    return original_ref(call) != ""


def original_ref(call: ToolCall) -> str:
    """The ref that a call read; empty where it did something else. What it gave is shortened to
    this ref again, not to one of the copy."""
    if call.name not in EXPAND_NAMES or '"ref"' not in call.arguments:
        return ""
    try:
        arguments = json.loads(call.arguments)
        ref = parse_ref(ref_of_line(arguments["ref"]))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, RefError):
        return ""
    return str(ref) if ref.scheme in {"event", "artifact", "state"} else ""
