"""Tools that a provider's rules gave another name: what the model calls, and what it means."""

from typing import Any

from contextwright.render.renderer import Request
from contextwright.session.event import Tool


def renamed_tools(tools: tuple[Tool, ...], request: Request) -> dict[str, str]:
    """The name in the request to the name it was given, where the two differ."""
    sent = [_name(tool) for tool in _sent(request)]
    return {name: tool.name for name, tool in zip(sent, tools, strict=False) if name != tool.name}


def _sent(request: Request) -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = request.get("config", {}).get("tools", [])
    declared = [tool for group in groups for tool in group["function_declarations"]]
    return declared or request.get("tools", [])


def _name(tool: dict[str, Any]) -> str:
    return tool.get("function", tool)["name"]
