"""A model of Agno's whose requests are compiled, one by one inside its loop of calls; the agent's
own messages stay whole. Tested with agno 3.1."""

from collections.abc import AsyncIterator, Iterator
from typing import Any, TypeVar

from agno.models.base import Model
from agno.models.message import Message
from agno.tools.function import Function

from contextwright.adapters.agno.message_fields import MessageFields
from contextwright.adapters.message_mapping import ForeignBody, foreign_body, framework_messages
from contextwright.adapters.message_parts import PartedMessages
from contextwright.adapters.model_copies import model_copy_with, port_of
from contextwright.adapters.port import Body, ContextPort, context_of
from contextwright.adapters.streams import astream, stream
from contextwright.tokens.usage import Usage

ModelT = TypeVar("ModelT", bound=Model)
_MAPPING = PartedMessages(MessageFields())


def context_model(model: ModelT, spec: Any = None, **options: Any) -> ModelT:
    """A model of the same type, whose requests hold what the spec says.

    Args:
        model: for an agent or a team; it stays as it is.
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given: `model=...` and others.
    """
    port = ContextPort(context_of(spec, options))
    own: Any = type(model)

    def bill(answer: Any) -> Usage | None:
        return _bill(model, answer)

    def invoke(self: Any, messages: list[Message], **rest: Any) -> Any:
        shown = _body(self, messages, rest)

        def answer(body: Body) -> Any:
            return own.invoke(self, messages=_messages(messages, shown, body), **rest)

        response = port.send(shown.body, answer)
        port.billed(shown.body, bill(response))
        return response

    async def ainvoke(self: Any, messages: list[Message], **rest: Any) -> Any:
        shown = _body(self, messages, rest)

        async def answer(body: Body) -> Any:
            return await own.ainvoke(self, messages=_messages(messages, shown, body), **rest)

        response = await port.asend(shown.body, answer)
        await port.abilled(shown.body, bill(response))
        return response

    def invoke_stream(self: Any, messages: list[Message], **rest: Any) -> Iterator[Any]:
        shown = _body(self, messages, rest)

        def answer(body: Body) -> Iterator[Any]:
            return own.invoke_stream(self, messages=_messages(messages, shown, body), **rest)

        return stream(port, shown.body, answer, bill)

    def ainvoke_stream(self: Any, messages: list[Message], **rest: Any) -> AsyncIterator[Any]:
        shown = _body(self, messages, rest)

        def answer(body: Body) -> AsyncIterator[Any]:
            return own.ainvoke_stream(self, messages=_messages(messages, shown, body), **rest)

        return astream(port, shown.body, answer, bill)

    return model_copy_with(model, port, invoke, ainvoke, invoke_stream, ainvoke_stream)


def read_back_tools(model: Model) -> list[Function]:
    """The tools with which an agent's model reads back what was shortened; none where its context
    was not made with `read_back=True`.

    Args:
        model: that `context_model` made.
    """
    port = port_of(model)

    def function(name: str, description: str, parameters: dict[str, Any]) -> Function:
        async def read(**arguments: Any) -> str:
            return await port.aanswer(name, arguments)

        return Function(
            name=name,
            description=description,
            parameters=parameters,
            entrypoint=read,
            skip_entrypoint_processing=True,
        )

    return [function(tool.name, tool.description, dict(tool.parameters)) for tool in port.tools()]


def _bill(model: Model, answer: Any) -> Usage | None:
    """What an answer cost; Anthropic's input is without what is cached."""
    metrics = answer.response_usage
    if metrics is None or not metrics.input_tokens:
        return None
    cached, written = metrics.cache_read_tokens, metrics.cache_write_tokens
    is_without = any("anthropic" in kind.__module__ for kind in type(model).__mro__)
    whole = metrics.input_tokens + (cached + written if is_without else 0)
    return Usage(
        input=whole,
        cached=cached,
        cache_write=written,
        output=metrics.output_tokens,
        context=whole,
    )


def _body(model: Model, messages: list[Message], rest: dict[str, Any]) -> ForeignBody:
    """A request of Agno's as a body."""
    tools = [tool["function"] for tool in rest.get("tools") or () if "function" in tool]
    return foreign_body(
        _MAPPING,
        messages,
        model=model.id,
        tools=(
            {key: tool[key] for key in ("name", "description", "parameters") if tool.get(key)}
            for tool in tools
        ),
    )


def _messages(messages: list[Message], shown: ForeignBody, body: Body) -> list[Message]:
    """The messages of a compiled body."""
    return framework_messages(_MAPPING, messages, shown, body["messages"])[1]
