"""An LLM of CrewAI's whose requests are compiled, one by one inside an agent's loop; the agent's
own messages stay whole. Tested with crewai 1.15.

Its hook before a call only edits the agent's own list in place, so what it shortens is gone from
the history and from every later request: it can not hold what is promised here.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from crewai import BaseLLM
from crewai.tools import BaseTool
from crewai.types.usage_metrics import UsageMetrics

from contextwright.adapters.answered_tools import ReadingTool, reading_tools
from contextwright.adapters.argument_models import arguments_model
from contextwright.adapters.bills import bill_of
from contextwright.adapters.mapped_calls import MappedCall
from contextwright.adapters.message_forms import NoReasoning
from contextwright.adapters.message_mapping import MappedRequest
from contextwright.adapters.message_sources import Wire
from contextwright.adapters.model_copies import model_copy_with, port_of
from contextwright.adapters.port import ContextPort, context_of
from contextwright.tokens.usage import Usage

LlmT = TypeVar("LlmT", bound=BaseLLM)
_FIELDS = ("role", "content", "tool_calls", "tool_call_id")
_SCHEMA = ("name", "description", "parameters")
_Bills = list[UsageMetrics | None]
_BILLS: ContextVar[_Bills] = ContextVar("bills of a call")


class CrewMessages(NoReasoning):
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

    def request(llm: Any, messages: Any, tools: Any, bills: _Bills) -> MappedCall[Any]:
        is_text = isinstance(messages, str)
        listed = [{"role": "user", "content": messages}] if is_text else messages
        functions = (tool.get("function", tool) for tool in tools or ())
        shown = ({key: tool[key] for key in _SCHEMA if key in tool} for tool in functions)
        mapped = MappedRequest(_MAPPING, listed, model=llm.model, tools=shown)
        return MappedCall(port, mapped, lambda _: _newest(bills))

    def call(self: Any, messages: Any, tools: Any = None, *rest: Any, **named: Any) -> Any:
        with _hearing() as bills:
            return request(self, messages, tools, bills).answer(
                lambda sent: own.call(self, sent, tools, *rest, **named)
            )

    async def acall(self: Any, messages: Any, tools: Any = None, *rest: Any, **named: Any) -> Any:
        with _hearing() as bills:
            return await request(self, messages, tools, bills).aanswer(
                lambda sent: own.acall(self, sent, tools, *rest, **named)
            )

    def _track_token_usage_internal(self: Any, usage_data: dict[str, Any]) -> None:
        own._track_token_usage_internal(self, usage_data)
        _BILLS.get([]).append(UsageMetrics.from_provider_dict(usage_data))

    return model_copy_with(llm, port, call, acall, _track_token_usage_internal)


def read_back_tools(llm: BaseLLM) -> list[BaseTool]:
    """The tools with which an agent's LLM reads back what was shortened; none where its context was
    not made with `read_back=True`.

    Args:
        llm: that `context_llm` made.
    """
    return [_tool(tool) for tool in reading_tools(port_of(llm))]


def _tool(tool: ReadingTool) -> BaseTool:
    class CrewReading(BaseTool):
        def _run(self, **arguments: Any) -> str:
            return tool.read(**arguments)

    schema = arguments_model(tool.tool)
    return CrewReading(name=tool.name, description=tool.description, args_schema=schema)


@contextmanager
def _hearing() -> Generator[_Bills]:
    """What a call cost, which its answer does not say."""
    bills: _Bills = []
    token = _BILLS.set(bills)
    try:
        yield bills
    finally:
        _BILLS.reset(token)


def _newest(bills: _Bills) -> Usage | None:
    metrics = next((each for each in reversed(bills) if each is not None), None)
    if metrics is None:
        return None
    return bill_of(
        metrics.prompt_tokens,
        metrics.completion_tokens,
        cached=metrics.cached_prompt_tokens,
        written=metrics.cache_creation_tokens,
    )
