"""The tools with which a model reads back what was shortened, for a framework's registry."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec

from contextwright.adapters.port import ContextPort
from contextwright.blocks.read_back_tools import is_read_back, read_back_tools
from contextwright.session.event import Tool


class ReadingTool(msgspec.Struct, frozen=True):
    """A tool of a port's.

    Args:
        name, description, parameters: as the model is shown them.
        read, aread: what answers a call, by its arguments; those that are null are not given.
        of_run: `read` and `aread` of a run, as `ContextPort` says.
        tool: itself.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    read: Callable[..., str]
    aread: Callable[..., Awaitable[str]]
    of_run: Callable[[str], tuple[Callable[..., str], Callable[..., Awaitable[str]]]]
    tool: Tool


def reading_tools(port: ContextPort) -> list[ReadingTool]:
    """The tools of a port, each with what answers it; none where its context was not made with
    `read_back=True`."""
    return [_reading_tool(port, tool) for tool in port.tools()]


def is_our_tool(schema: Mapping[str, Any]) -> bool:
    """Whether a framework's tool is one of `ContextPort.tools`: the context adds them itself."""
    tool = Tool(name=str(schema.get("name")), parameters=dict(schema.get("parameters") or {}))
    return is_read_back(tool) or any(
        schema.get("description") == ours.description for ours in read_back_tools()
    )


def _reading_tool(port: ContextPort, tool: Tool) -> ReadingTool:
    def of_run(run: str) -> tuple[Callable[..., str], Callable[..., Awaitable[str]]]:
        def read(**arguments: Any) -> str:
            return port.answer(tool.name, _arguments(arguments), run)

        async def aread(**arguments: Any) -> str:
            return await port.aanswer(tool.name, _arguments(arguments), run)

        return read, aread

    read, aread = of_run("")
    parameters = dict(tool.parameters)
    return ReadingTool(tool.name, tool.description, parameters, read, aread, of_run, tool)


def _arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in arguments.items() if each is not None}


def run_of(messages: Sequence[Any]) -> str:
    """The run of these messages, by their ids when the call was made and what the last says. An
    application that gives ids may count in each conversation from one."""
    ids = [message.id for message in messages]
    return repr((messages[-1].text, ids)) if any(ids[-1:]) else ""


def run_of_call(messages: Sequence[Any], id: str | None) -> str:
    """The run whose answer holds a call.

    Args:
        id: of the call.
    """
    for place in reversed(range(len(messages))):
        if any(call["id"] == id for call in getattr(messages[place], "tool_calls", ())):
            return run_of(messages[:place])
    return ""
