"""A filter on what each call of a run sends to the model; the run's own items, and its session,
stay whole. Tested with openai-agents 0.24."""

from typing import Any

from agents import Agent, Handoff, RunHooks, handoff
from agents.items import ModelResponse
from agents.run_config import CallModelData, ModelInputData
from agents.run_context import RunContextWrapper

from contextwright.adapters.context_owner import ContextOwner
from contextwright.adapters.openai_agents.function_tools import (
    answer_format,
    function_tools,
    port_for,
    tool_fields,
)
from contextwright.adapters.port import Body, ContextPort, context_of, refuse_unredacted
from contextwright.adapters.redacted_tools import expect_same_tools
from contextwright.errors import SpecError

_ASKS = frozenset({"user", "system", "developer"})
_FIX = "ContextProvider(spec), or context_model(model, spec)"
MOST = 4096
"""Calls of which the answer is remembered that made them; the oldest goes first."""


class ContextFilter(ContextOwner):
    """A `call_model_input_filter` that compiles: items, instructions and tools are one budget.

    Args:
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given: `model=...` and others; with `read_back=True`
            the model reads back what was shortened, by `tools`.

    Attributes:
        tools: for an agent's `tools`: they read back what was shortened. Empty without `read_back`.
        hooks: for `Runner.run(hooks=...)`: bills calibrate the counter, and say what of this run
            the provider keeps.
    """

    def __init__(self, spec: Any = None, **options: Any) -> None:
        self.port = ContextPort(context_of(spec, options))
        self.hooks = _BillHooks(self.port)
        self.tools = function_tools(self.port)

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        """What the model is sent.

        Raises:
            SpecError: the spec says something else of the tools, of a stored prompt, or of the
                shape of the answer, which a filter can not change.
        """
        items, instructions = data.model_data.input, data.model_data.instructions
        shown = tool_fields(data.agent.tools, _handoffs(data.agent))
        body: Body = {"input": items, **shown}
        body |= answer_format(data.agent.output_type)
        if instructions:
            body["instructions"] = instructions
        if isinstance(data.agent.prompt, dict):
            body["prompt"] = data.agent.prompt
        elif data.agent.prompt is not None:
            refuse_unredacted(self.port, "the agent's prompt, a function", _FIX)
        model = data.agent.model
        name = model if isinstance(model, str) else getattr(model, "model", None)
        if name:
            body["model"] = str(name)
        if _goes_on(items):
            body["previous_response_id"] = self.hooks.answer_to(items) or "kept by the provider"
        new = await port_for(self.port, data.agent.tools).compiled(body)
        _expect_items_alone(body, new)
        return ModelInputData(input=new["input"], instructions=new.get("instructions"))


def _expect_items_alone(body: Body, new: Body) -> None:
    """Refuse what is not sent as the spec has it."""
    expect_same_tools(body, new, _FIX)
    if new.get("text") != body.get("text"):
        what = "the spec redacts something of the answer's shape, which a filter can not change"
        raise SpecError(what, where="the agent's output_type", fix=_FIX)
    if new.get("prompt") != body.get("prompt"):
        what = "the spec redacts variables of a stored prompt, which a filter can not change"
        raise SpecError(what, where="the agent's prompt", fix=_FIX)


def _handoffs(agent: Agent[Any]) -> list[Handoff[Any, Any]]:
    """The agent's handoffs, as the framework makes them of agents."""
    return [each if isinstance(each, Handoff) else handoff(each) for each in agent.handoffs]


def _goes_on(items: Any) -> bool:
    """Whether the provider keeps what came before, which a filter is not told: a result stands
    there without its call, and nothing that the model said."""
    shown = [dict(item) for item in items] if isinstance(items, list) else []
    is_new = all(_is_output(item) or item.get("role", "") in _ASKS for item in shown)
    return is_new and any(map(_is_output, shown))


def _is_output(item: dict[str, Any]) -> bool:
    return str(item.get("type", "")).endswith("_output")


class _BillHooks(RunHooks[Any]):
    """Hears what each call of a run cost."""

    def __init__(self, port: ContextPort) -> None:
        self._port = port
        self._answers: dict[str, str] = {}

    def answer_to(self, items: list[Any]) -> str:
        """The id of the answer that called for one of these results; empty where none did."""
        ids = (str(dict(item).get("call_id")) for item in items)
        return next((self._answers[id] for id in ids if id in self._answers), "")

    async def on_llm_end(
        self, context: RunContextWrapper[Any], agent: Any, response: ModelResponse
    ) -> None:
        """The bill of one call, to the context."""
        body = self._port.body_of()
        if body is not None and response.usage.requests:
            await self._port.abilled(body, response)
        calls = (str(getattr(item, "call_id", None) or "") for item in response.output)
        self._answers |= {id: response.response_id or "" for id in calls if id}
        while len(self._answers) > MOST:
            self._answers.pop(next(iter(self._answers)), None)
