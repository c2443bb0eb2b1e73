"""Tools as a pack tells of them: a line with a signature, and an example where there is one."""

from collections.abc import Iterable
from typing import Any

import msgspec

from contextwright.session.event import Tool

EXAMPLE = "\ne.g. "
"""What stands between a tool's signature and an example of its arguments."""


def scoped(tools: Iterable[Tool], scope: frozenset[str] | None) -> tuple[Tool, ...]:
    """The tools in scope, in their order."""
    return tuple(tools) if scope is None else tuple(tool for tool in tools if tool.name in scope)


def signature(tool: Tool) -> str:
    """`search_web(query, max_results?)`: the names of its arguments."""
    properties: Any = tool.parameters.get("properties", {})
    required: Any = tool.parameters.get("required", properties)
    if not isinstance(properties, dict):
        return f"{tool.name}()"
    required = required if isinstance(required, (list, tuple, dict)) else ()
    names = [name if name in required else f"{name}?" for name in properties]
    return f"{tool.name}({', '.join(names)})"


def without_example(text: str) -> str:
    """A tool's line without its example."""
    return text.partition(EXAMPLE)[0]


def example_of(tool: Tool) -> str:
    """The first example of arguments in its schema, as JSON; empty where there is none."""
    examples: Any = tool.parameters.get("examples")
    if not isinstance(examples, (list, tuple)) or not examples:
        return ""
    try:
        return msgspec.json.encode(examples[0], order="sorted").decode()  # pyright: ignore
    except UnicodeEncodeError:
        return ""
