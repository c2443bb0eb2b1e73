"""A model of OpenAI Agents whose requests are compiled, which hears what a filter does not: that a
request was refused. Tested with openai-agents 0.24."""

from collections.abc import AsyncIterator, Iterable
from itertools import chain, repeat
from typing import Any, TypeVar

from agents import FunctionTool, Model, ModelProvider
from agents.models.multi_provider import MultiProvider

from contextwright.adapters.answer_schemas import AnswerSchema, with_schema
from contextwright.adapters.context_owner import ContextOwner
from contextwright.adapters.model_copies import model_copy_with, port_of
from contextwright.adapters.openai_agents.function_tools import (
    answer_format,
    function_tools,
    port_for,
    tool_fields,
)
from contextwright.adapters.port import Body, ContextPort, context_of
from contextwright.adapters.redacted_tools import redacted_tools
from contextwright.adapters.streams import astream
from contextwright.tokens.usage import usage_of

ModelT = TypeVar("ModelT", bound=Model)
_PLACES = ("model_settings", "tools", "output_schema", "handoffs")
"""Arguments behind the instructions and items."""
_KEYS = {name: name for name in ("previous_response_id", "prompt")}
_KEYS["conversation_id"] = "conversation"


def context_model(model: ModelT, spec: Any = None, **options: Any) -> ModelT:
    """A model of the same type, whose requests hold what the spec says: items, instructions, tools
    and handoffs are one budget, those of MCP servers too. A request that the provider calls too
    long goes out once more, smaller; bills calibrate the counter.

    Args:
        model: for an agent; it stays as it is.
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given: `model=...` and others.
    """
    return _model_with(model, ContextPort(context_of(spec, options)))


def _model_with(model: ModelT, port: ContextPort) -> ModelT:
    own: Any = type(model)

    async def get_response(
        self: Any, system_instructions: Any, input: Any, *rest: Any, **named: Any
    ) -> Any:
        arguments = _arguments(rest, named)
        body = _body(self, system_instructions, input, arguments)

        async def answer(new: Body) -> Any:
            others, by_name = _others(body, new, rest, named)
            instructions, items = new.get("instructions"), new["input"]
            return await own.get_response(self, instructions, items, *others, **by_name)

        return await port_for(port, arguments.get("tools")).asend(body, answer)

    def stream_response(
        self: Any, system_instructions: Any, input: Any, *rest: Any, **named: Any
    ) -> AsyncIterator[Any]:
        arguments = _arguments(rest, named)
        body = _body(self, system_instructions, input, arguments)

        def answer(new: Body) -> AsyncIterator[Any]:
            others, by_name = _others(body, new, rest, named)
            instructions, items = new.get("instructions"), new["input"]
            return own.stream_response(self, instructions, items, *others, **by_name)

        return astream(port_for(port, arguments.get("tools")), body, answer, usage_of)

    return model_copy_with(model, port, get_response, stream_response)


class ContextProvider(ContextOwner, ModelProvider):
    """A provider for `RunConfig(model_provider=...)`: the models of all agents of a run that name
    theirs compile their requests.

    Args:
        spec, options: as `context_model` takes them.
        provider: who knows the models by name; by default the framework's own.

    Attributes:
        tools: for an agent's `tools`: they read back what was shortened. Empty without `read_back`.
    """

    def __init__(
        self, spec: Any = None, *, provider: ModelProvider | None = None, **options: Any
    ) -> None:
        self.port = ContextPort(context_of(spec, options))
        self.tools = function_tools(self.port)
        self._provider = provider or MultiProvider()

    def get_model(self, model_name: str | None) -> Model:
        """The model of this name, with the context."""
        return _model_with(self._provider.get_model(model_name), self.port)

    async def aclose(self) -> None:
        """Close the provider's connections."""
        await self._provider.aclose()


def read_back_tools(model: Model) -> list[FunctionTool]:
    """The tools with which an agent's model reads back what was shortened; none where its context
    was not made with `read_back=True`.

    Args:
        model: that `context_model` made.
    """
    return function_tools(port_of(model))


def _arguments(rest: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """What stands behind a request's instructions and items: its settings, tools, output schema
    and handoffs, by place or by name, and by name alone a stored prompt, and the response or
    conversation that it goes on from, of which the items are what is new."""
    return {**dict(zip(_PLACES, rest, strict=False)), **named}


def _body(model: Any, instructions: Any, items: Any, arguments: dict[str, Any]) -> Body:
    """A request of the framework's as a body."""
    shown = tool_fields(arguments.get("tools"), arguments.get("handoffs"))
    body: Body = {"input": items, **shown}
    if instructions:
        body["instructions"] = instructions
    body |= answer_format(arguments.get("output_schema"))
    if name := getattr(model, "model", None):
        body["model"] = str(name)
    body |= {key: arguments[name] for name, key in _KEYS.items() if arguments.get(name)}
    return body


def _others(
    body: Body, new: Body, rest: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Iterable[Any], dict[str, Any]]:
    """The other arguments of a request, by place and by name: its tools as the context has them."""

    def argument(name: str, own: Any) -> Any:
        if name == "output_schema" and new.get("text") != body.get("text"):
            shape = new["text"]["format"]
            return with_schema(own, AnswerSchema(shape["name"], None, shape["schema"]))
        if name == "prompt" and own:
            return new["prompt"]
        is_tools = own and name in ("tools", "handoffs")
        return redacted_tools(own, body, new) if is_tools else own

    others = map(argument, chain(_PLACES, repeat("")), rest)
    return others, {name: argument(name, own) for name, own in named.items()}
