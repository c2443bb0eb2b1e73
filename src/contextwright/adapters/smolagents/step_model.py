"""A model of smolagents' whose requests are compiled, one by one; the agent's memory keeps all
steps. Tested with smolagents 1.26."""

from collections.abc import Iterator
from typing import Any, TypeVar

from smolagents.models import ChatMessage, Model, get_tool_json_schema
from smolagents.tools import Tool

from contextwright.adapters.message_mapping import foreign_body, framework_messages
from contextwright.adapters.model_copies import model_copy_with, port_of
from contextwright.adapters.port import Body, ContextPort, context_of
from contextwright.adapters.smolagents.step_messages import StepMessages
from contextwright.adapters.streams import stream
from contextwright.session.event import Tool as ReadingTool
from contextwright.tokens.usage import Usage

ModelT = TypeVar("ModelT", bound=Model)


def context_model(model: ModelT, spec: Any = None, **options: Any) -> ModelT:
    """A model of the same type, whose requests hold what the spec says.

    Args:
        model: for an agent; it stays as it is.
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given: `model=...` and others.
    """
    port = ContextPort(context_of(spec, options))
    own: Any = type(model)

    def generate(self: Any, messages: list[Any], *rest: Any, **named: Any) -> ChatMessage:
        request = _Request(self, messages, named)
        answer = port.send(
            request.foreign.body,
            lambda body: own.generate(self, request.messages_of(body), *rest, **named),
        )
        port.billed(request.foreign.body, _bill(answer))
        return answer

    def generate_stream(self: Any, messages: list[Any], *rest: Any, **named: Any) -> Iterator[Any]:
        request = _Request(self, messages, named)
        return stream(
            port,
            request.foreign.body,
            lambda body: own.generate_stream(self, request.messages_of(body), *rest, **named),
            _bill,
        )

    methods = [generate, *([generate_stream] if hasattr(own, "generate_stream") else ())]
    return model_copy_with(model, port, *methods)


def read_back_tools(model: Model) -> list[Tool]:
    """The tools with which an agent's model reads back what was shortened; none where its context
    was not made with `read_back=True`.

    Args:
        model: that `context_model` made.
    """
    port = port_of(model)
    return [_reading_tool(port, tool) for tool in port.tools()]


class _Request:
    """A request of smolagents' as a body."""

    def __init__(self, model: Any, messages: list[Any], named: dict[str, Any]) -> None:
        self.messages = [
            ChatMessage.from_dict(dict(each)) if isinstance(each, dict) else each
            for each in messages
        ]
        self.mapping = StepMessages(self.messages)
        tools = named.get("tools_to_call_from") or ()
        self.foreign = foreign_body(
            self.mapping,
            self.messages,
            model=str(model.model_id or ""),
            tools=(get_tool_json_schema(tool)["function"] for tool in tools),
        )

    def messages_of(self, body: Body) -> list[ChatMessage]:
        """The messages of a compiled body."""
        return framework_messages(self.mapping, self.messages, self.foreign, body["messages"])[1]


def _bill(answer: Any) -> Usage | None:
    """What an answer, or a piece of one, cost."""
    usage = answer.token_usage
    if usage is None:
        return None
    return Usage(input=usage.input_tokens, output=usage.output_tokens, context=usage.input_tokens)


def _reading_tool(port: ContextPort, tool: ReadingTool) -> Tool:
    """A tool of the port's as the framework's."""
    schema = dict(tool.parameters)
    needed = schema.get("required", ())

    class StepReading(Tool):
        name = tool.name
        description = tool.description
        inputs = {
            key: {"description": key, **each, **({} if key in needed else {"nullable": True})}
            for key, each in schema["properties"].items()
        }
        output_type = "string"
        skip_forward_signature_validation = True

        def forward(self, **arguments: Any) -> str:
            values = {key: each for key, each in arguments.items() if each is not None}
            return port.answer(tool.name, values)

    return StepReading()
