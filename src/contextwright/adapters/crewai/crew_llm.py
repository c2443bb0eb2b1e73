"""An LLM of CrewAI's whose requests are compiled, one by one inside an agent's loop; the agent's
own messages stay whole. Tested with crewai 1.15.

Its hook before a call only edits the agent's own list in place, so what it shortens is gone from
the history and from every later request: it can not hold what is promised here.
"""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar

from crewai import BaseLLM
from crewai.tools import BaseTool
from crewai.types.usage_metrics import UsageMetrics

from contextwright.adapters.argument_models import arguments_model
from contextwright.adapters.message_mapping import foreign_body, framework_messages
from contextwright.adapters.message_sources import Wire
from contextwright.adapters.model_copies import model_copy_with, port_of
from contextwright.adapters.port import Body, ContextPort, context_of
from contextwright.session.event import Tool
from contextwright.tokens.usage import Usage

LlmT = TypeVar("LlmT", bound=BaseLLM)
_FIELDS = ("role", "content", "tool_calls", "tool_call_id")
_BILLS: ContextVar[list[Usage]] = ContextVar("bills of a call")


class CrewMessages:
    """The mapping of CrewAI's messages, which are chat messages with fields beside."""

    def wires(self, message: Mapping[str, Any]) -> list[Wire]:
        """The chat message that it is."""
        wire = {key: message[key] for key in _FIELDS if message.get(key) is not None}
        return [{"content": None, **wire}]

    def changed(self, message: Mapping[str, Any], wires: Mapping[int, Wire]) -> Mapping[str, Any]:
        """A copy with another content, other calls."""
        return {key: each for key, each in message.items() if key not in _FIELDS} | wires[0]

    def made(self, wire: Wire) -> Mapping[str, Any]:
        """A message for what was added."""
        return wire

    def without_reasoning(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """The message: reasoning stands elsewhere, with the LLM."""
        return message


_MAPPING = CrewMessages()


def context_llm(llm: LlmT, spec: Any = None, **options: Any) -> LlmT:
    """An LLM of the same type, whose requests hold what the spec says.

    Args:
        llm: for an agent or a crew; it stays as it is.
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given: `model=...` and others.
    """
    port = ContextPort(context_of(spec, options))
    own: Any = type(llm)

    def call(self: Any, messages: Any, tools: Any = None, *rest: Any, **named: Any) -> Any:
        request = _Request(self, messages, tools)

        def answer(body: Body) -> Any:
            return own.call(self, request.messages_of(body), tools, *rest, **named)

        bills: list[Usage] = []
        token = _BILLS.set(bills)
        try:
            return port.send(request.foreign.body, answer)
        finally:
            _BILLS.reset(token)
            port.billed(request.foreign.body, bills[-1] if bills else None)

    async def acall(self: Any, messages: Any, tools: Any = None, *rest: Any, **named: Any) -> Any:
        request = _Request(self, messages, tools)

        async def answer(body: Body) -> Any:
            return await own.acall(self, request.messages_of(body), tools, *rest, **named)

        bills: list[Usage] = []
        token = _BILLS.set(bills)
        try:
            return await port.asend(request.foreign.body, answer)
        finally:
            _BILLS.reset(token)
            await port.abilled(request.foreign.body, bills[-1] if bills else None)

    def _track_token_usage_internal(self: Any, usage_data: dict[str, Any]) -> None:
        own._track_token_usage_internal(self, usage_data)
        metrics = UsageMetrics.from_provider_dict(usage_data)
        if metrics is not None:
            _BILLS.get([]).append(_bill(metrics))

    return model_copy_with(llm, port, call, acall, _track_token_usage_internal)


class _Request:
    """A request of CrewAI's."""

    def __init__(self, llm: BaseLLM, messages: Any, tools: Any) -> None:
        is_text = isinstance(messages, str)
        self.messages = [{"role": "user", "content": messages}] if is_text else list(messages)
        functions = [tool.get("function", tool) for tool in tools or ()]
        keys = ("name", "description", "parameters")
        self.foreign = foreign_body(
            _MAPPING,
            self.messages,
            model=llm.model,
            tools=({key: tool[key] for key in keys if key in tool} for tool in functions),
        )

    def messages_of(self, body: Body) -> Sequence[Mapping[str, Any]]:
        """The messages of a compiled body."""
        return framework_messages(_MAPPING, self.messages, self.foreign, body["messages"])[1]


def read_back_tools(llm: BaseLLM) -> list[BaseTool]:
    """The tools with which an agent's LLM reads back what was shortened; none where its context was
    not made with `read_back=True`.

    Args:
        llm: that `context_llm` made.
    """
    port = port_of(llm)
    return [_reading_tool(port, tool) for tool in port.tools()]


def _reading_tool(port: ContextPort, tool: Tool) -> BaseTool:
    class CrewReading(BaseTool):
        def _run(self, **arguments: Any) -> str:
            values = {key: each for key, each in arguments.items() if each is not None}
            return port.answer(tool.name, values)

    schema = arguments_model(tool)
    return CrewReading(name=tool.name, description=tool.description, args_schema=schema)


def _bill(metrics: UsageMetrics) -> Usage:
    """What a call cost."""
    return Usage(
        input=metrics.prompt_tokens,
        cached=metrics.cached_prompt_tokens,
        cache_write=metrics.cache_creation_tokens,
        output=metrics.completion_tokens,
        context=metrics.prompt_tokens,
    )
