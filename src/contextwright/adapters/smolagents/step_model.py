"""A model of smolagents' whose requests are compiled, one by one; the agent's memory keeps all
steps. Tested with smolagents 1.26."""

from collections.abc import Iterator
from typing import Any, TypeVar

from smolagents.models import ChatMessage, Model, get_tool_json_schema
from smolagents.tools import Tool

from contextwright.adapters.answered_tools import ReadingTool, reading_tools
from contextwright.adapters.bills import bill_of
from contextwright.adapters.mapped_calls import MappedCall
from contextwright.adapters.message_mapping import MappedRequest
from contextwright.adapters.model_copies import model_copy_with, port_of
from contextwright.adapters.port import Body, ContextPort, context_of
from contextwright.adapters.smolagents.step_messages import StepMessages
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

    def call(self: Any, messages: list[Any], named: dict[str, Any]) -> MappedCall[ChatMessage]:
        listed = (ChatMessage.from_dict(dict(m)) if isinstance(m, dict) else m for m in messages)
        steps, output = StepMessages(listed), named.get("response_format")
        schemas = map(get_tool_json_schema, named.get("tools_to_call_from") or ())
        tools, model = (each["function"] for each in schemas), str(self.model_id or "")
        request = MappedRequest(steps, steps.messages, model=model, tools=tools, output=output)

        def sent(body: Body) -> Any:
            return steps.as_memory(request.messages_alone(body)), request.arguments_of(body, named)

        return MappedCall(port, request, _bill, sent=sent)

    def generate(self: Any, messages: list[Any], *rest: Any, **named: Any) -> ChatMessage:
        return call(self, messages, named).answer(
            lambda sent: own.generate(self, sent[0], *rest, **sent[1])
        )

    def generate_stream(self: Any, messages: list[Any], *rest: Any, **named: Any) -> Iterator[Any]:
        return call(self, messages, named).pieces(
            lambda sent: own.generate_stream(self, sent[0], *rest, **sent[1])
        )

    methods = [generate, *([generate_stream] if hasattr(own, "generate_stream") else ())]
    return model_copy_with(model, port, *methods)


def read_back_tools(model: Model) -> list[Tool]:
    """The tools with which an agent's model reads back what was shortened; none where its context
    was not made with `read_back=True`.

    Args:
        model: that `context_model` made.
    """
    return [_tool(tool) for tool in reading_tools(port_of(model))]


def _bill(answer: Any) -> Usage | None:
    """What an answer, or a piece of one, cost."""
    usage = answer.token_usage
    return None if usage is None else bill_of(usage.input_tokens, usage.output_tokens)


def _tool(tool: ReadingTool) -> Tool:
    """A tool of the port's as the framework's."""
    schema = tool.parameters
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
            return tool.read(**arguments)

    return StepReading()
