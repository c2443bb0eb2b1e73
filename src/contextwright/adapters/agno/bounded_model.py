"""A model of Agno's whose requests are compiled, one by one inside its loop of calls; the agent's
own messages stay whole. Tested with agno 3.1."""

from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any, TypeVar

from agno.models.base import Model
from agno.models.message import Message
from agno.tools.function import Function

from contextwright.adapters.agno.message_fields import MessageFields
from contextwright.adapters.answered_tools import reading_tools
from contextwright.adapters.bills import bill_of
from contextwright.adapters.mapped_calls import MappedCall
from contextwright.adapters.message_mapping import MappedRequest
from contextwright.adapters.message_parts import PartedMessages
from contextwright.adapters.model_copies import model_copy_with, port_of
from contextwright.adapters.port import Body, ContextPort, context_of
from contextwright.adapters.response_chains import AGNO
from contextwright.adapters.turn_taking import behind_results, in_turns
from contextwright.tokens.usage import Usage

ModelT = TypeVar("ModelT", bound=Model)
_FIELDS = MessageFields()
_MAPPING = PartedMessages(_FIELDS, of_tool=_FIELDS.is_media_of_tool)
_SCHEMA = ("name", "description", "parameters")


def context_model(model: ModelT, spec: Any = None, **options: Any) -> ModelT:
    """A model of the same type, whose requests hold what the spec says.

    Args:
        model: for an agent or a team; it stays as it is.
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given: `model=...` and others.
    """
    port = ContextPort(context_of(spec, options))
    own: Any = type(model)

    def call(self: Any, messages: list[Message], rest: dict[str, Any]) -> MappedCall[Message]:
        tools = (tool["function"] for tool in rest.get("tools") or () if "function" in tool)
        shown = ({key: tool[key] for key in _SCHEMA if tool.get(key)} for tool in tools)
        output, options = rest.get("response_format"), {"tools": rest.get("tools")}
        request = MappedRequest(
            _MAPPING, messages, model=self.id, tools=shown, output=output, options=options
        )

        def sent(body: Body) -> dict[str, Any]:
            shown = AGNO.unchained(request, body)
            turns = in_turns(_FIELDS, model, request.messages, shown, behind_results)
            return {**request.arguments_of(body, rest), "messages": turns}

        return MappedCall(port, request, partial(_bill, model), sent=sent)

    def invoke(self: Any, messages: list[Message], **rest: Any) -> Any:
        return call(self, messages, rest).answer(lambda sent: own.invoke(self, **sent))

    async def ainvoke(self: Any, messages: list[Message], **rest: Any) -> Any:
        return await call(self, messages, rest).aanswer(lambda sent: own.ainvoke(self, **sent))

    def invoke_stream(self: Any, messages: list[Message], **rest: Any) -> Iterator[Any]:
        return call(self, messages, rest).pieces(lambda sent: own.invoke_stream(self, **sent))

    def ainvoke_stream(self: Any, messages: list[Message], **rest: Any) -> AsyncIterator[Any]:
        return call(self, messages, rest).apieces(lambda sent: own.ainvoke_stream(self, **sent))

    return model_copy_with(model, port, invoke, ainvoke, invoke_stream, ainvoke_stream)


def read_back_tools(model: Model) -> list[Function]:
    """The tools with which an agent's model reads back what was shortened; none where its context
    was not made with `read_back=True`.

    Args:
        model: that `context_model` made.
    """
    return [
        Function(
            name=tool.name,
            description=tool.description,
            parameters=tool.parameters,
            entrypoint=tool.aread,
            skip_entrypoint_processing=True,
        )
        for tool in reading_tools(port_of(model))
    ]


def _bill(model: Model, answer: Any) -> Usage | None:
    """What an answer cost; Anthropic's input is without what is cached."""
    if (metrics := answer.response_usage) is None:
        return None
    return bill_of(
        metrics.input_tokens,
        metrics.output_tokens,
        cached=metrics.cache_read_tokens,
        written=metrics.cache_write_tokens,
        is_apart=any("anthropic" in kind.__module__ for kind in type(model).__mro__),
    )
