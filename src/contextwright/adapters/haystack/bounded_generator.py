"""A chat generator of Haystack's whose requests are compiled, one by one inside an agent's loop;
the agent's state keeps all messages. Tested with haystack-ai 3.4."""

from collections.abc import Sequence
from functools import wraps
from typing import Any, TypeVar

from haystack.dataclasses import ChatMessage
from haystack.tools import flatten_tools_or_toolsets
from haystack.tools.tool import Tool

from contextwright.adapters.haystack.chat_contents import ChatContents
from contextwright.adapters.message_mapping import ForeignBody, foreign_body, framework_messages
from contextwright.adapters.message_parts import PartedMessages
from contextwright.adapters.model_copies import model_copy_with, port_of
from contextwright.adapters.port import Body, ContextPort, context_of
from contextwright.session.event import Tool as ReadingTool
from contextwright.tokens.usage import Usage, usage_of

GeneratorT = TypeVar("GeneratorT")
_MAPPING = PartedMessages(ChatContents())


def context_generator(generator: GeneratorT, spec: Any = None, **options: Any) -> GeneratorT:
    """A chat generator of the same type, whose requests hold what the spec says.

    Args:
        generator: for an agent or a pipeline; it stays as it is.
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given: `model=...` and others.
    """
    port = ContextPort(context_of(spec, options))
    own: Any = type(generator)

    @wraps(own.run)
    def run(self: Any, messages: Any, *rest: Any, tools: Any = None, **named: Any) -> Any:
        before = _listed(messages)
        shown = _body(self, before, tools)

        def answer(body: Body) -> Any:
            return own.run(self, _messages(before, shown, body), *rest, tools=tools, **named)

        result = port.send(shown.body, answer)
        port.billed(shown.body, _bill(result))
        return result

    methods = [run]
    if hasattr(own, "run_async"):

        @wraps(own.run_async)
        async def run_async(
            self: Any, messages: Any, *rest: Any, tools: Any = None, **named: Any
        ) -> Any:
            before = _listed(messages)
            shown = _body(self, before, tools)

            async def answer(body: Body) -> Any:
                sent = _messages(before, shown, body)
                return await own.run_async(self, sent, *rest, tools=tools, **named)

            result = await port.asend(shown.body, answer)
            await port.abilled(shown.body, _bill(result))
            return result

        methods.append(run_async)
    return model_copy_with(generator, port, *methods)


def read_back_tools(generator: Any) -> list[Tool]:
    """The tools with which an agent's model reads back what was shortened; none where its context
    was not made with `read_back=True`.

    Args:
        generator: that `context_generator` made.
    """
    port = port_of(generator)
    return [_reading_tool(port, tool) for tool in port.tools()]


def _reading_tool(port: ContextPort, tool: ReadingTool) -> Tool:
    def read(**arguments: Any) -> str:
        return port.answer(tool.name, arguments)

    return Tool(
        name=tool.name,
        description=tool.description,
        parameters=dict(tool.parameters),
        function=read,
    )


def _listed(messages: Any) -> list[ChatMessage]:
    return [ChatMessage.from_user(messages)] if isinstance(messages, str) else list(messages)


def _body(generator: Any, messages: Sequence[ChatMessage], tools: Any) -> ForeignBody:
    """A request of Haystack's as a body."""
    functions = flatten_tools_or_toolsets(tools or getattr(generator, "tools", None))
    return foreign_body(
        _MAPPING,
        messages,
        model=str(getattr(generator, "model", "")),
        tools=(
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in functions
        ),
    )


def _messages(messages: Sequence[ChatMessage], shown: ForeignBody, body: Body) -> list[ChatMessage]:
    """The messages of a compiled body."""
    return framework_messages(_MAPPING, messages, shown, body["messages"])[1]


def _bill(result: Any) -> Usage | None:
    """What an answer cost."""
    replies: list[ChatMessage] = result.get("replies") or []
    usages = (usage_of(reply.meta.get("usage")) for reply in replies)
    return next((usage for usage in usages if usage is not None), None)
