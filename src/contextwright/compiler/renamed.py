"""Tools that a provider's rules gave another name: what the model calls, and what it means."""

from contextwright.render.target import Target
from contextwright.session.event import Tool


def renamed_tools(tools: tuple[Tool, ...], target: Target) -> dict[str, str]:
    """The name in the request to the name it was given, where the two differ."""
    draft = target.provider.renderer.draft()
    sent = ((draft.name(tool.name), tool.name) for tool in tools)
    return {name: original for name, original in sent if name != original}
