"""A chat generator of Haystack's whose requests are compiled, one by one inside an agent's loop;
the agent's state keeps all messages. Tested with haystack-ai 3.4."""

from functools import wraps
from typing import Any, TypeVar

from haystack.dataclasses import ChatMessage, TextContent
from haystack.tools import flatten_tools_or_toolsets
from haystack.tools.tool import Tool

from contextwright.adapters.answered_tools import reading_tools
from contextwright.adapters.haystack.chat_contents import ChatContents
from contextwright.adapters.mapped_calls import MappedCall
from contextwright.adapters.message_mapping import MappedRequest, function_schema
from contextwright.adapters.message_parts import PartedMessages
from contextwright.adapters.model_copies import expect_model, model_copy_with, port_of
from contextwright.adapters.port import ContextPort, context_of
from contextwright.tokens.usage import Usage, usage_of

GeneratorT = TypeVar("GeneratorT")
_MAPPING = PartedMessages(ChatContents(), TextContent)


def context_generator(generator: GeneratorT, spec: Any = None, **options: Any) -> GeneratorT:
    """A chat generator of the same type, whose requests hold what the spec says.

    Args:
        generator: for an agent or a pipeline; it stays as it is.
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given: `model=...` and others.
    """
    expect_model(generator, "run")
    port = ContextPort(context_of(spec, options))
    own: Any = type(generator)

    def call(self: Any, messages: Any, tools: Any) -> MappedCall[ChatMessage]:
        is_text = isinstance(messages, str)
        listed = [ChatMessage.from_user(messages)] if is_text else list(messages)
        known = flatten_tools_or_toolsets(tools or getattr(self, "tools", None))
        schemas = (function_schema(each.name, each.description, each.parameters) for each in known)
        model = str(getattr(self, "model", ""))
        return MappedCall(port, MappedRequest(_MAPPING, listed, model=model, tools=schemas), _bill)

    @wraps(own.run)
    def run(self: Any, messages: Any, *rest: Any, tools: Any = None, **named: Any) -> Any:
        return call(self, messages, tools).answer(
            lambda sent: own.run(self, sent, *rest, tools=tools, **named)
        )

    if not hasattr(own, "run_async"):
        return model_copy_with(generator, port, run)

    @wraps(own.run_async)
    async def run_async(
        self: Any, messages: Any, *rest: Any, tools: Any = None, **named: Any
    ) -> Any:
        return await call(self, messages, tools).aanswer(
            lambda sent: own.run_async(self, sent, *rest, tools=tools, **named)
        )

    return model_copy_with(generator, port, run, run_async)


def read_back_tools(generator: Any) -> list[Tool]:
    """The tools with which an agent's model reads back what was shortened; none where its context
    was not made with `read_back=True`.

    Args:
        generator: that `context_generator` made.
    """
    return [
        Tool(
            name=tool.name,
            description=tool.description,
            parameters=tool.parameters,
            function=tool.read,
        )
        for tool in reading_tools(port_of(generator))
    ]


def _bill(result: Any) -> Usage | None:
    """What an answer cost."""
    replies: list[ChatMessage] = result.get("replies") or []
    usages = (usage_of(reply.meta.get("usage")) for reply in replies)
    return next((usage for usage in usages if usage is not None), None)
