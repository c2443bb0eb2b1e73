"""The model of a `react` agent, which compiles each request; the agent's state keeps all messages.
Tested with inspect_ai 0.3.285."""

from typing import Any

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import Model, ModelOutput, get_model
from inspect_ai.tool import Tool, ToolDef, ToolInfo

from contextwright.adapters.bills import bill_of
from contextwright.adapters.inspect_ai.agent_tools import tools_of
from contextwright.adapters.inspect_ai.chat_content import mapped
from contextwright.adapters.mapped_calls import MappedCall
from contextwright.adapters.port import ContextPort, context_of
from contextwright.errors import ContextOverflowError, SpecError
from contextwright.tokens.usage import Usage

_PORT = "context_port"


@agent
def context_model(spec: Any = None, *, model: str | Model | None = None, **options: Any) -> Agent:
    """What `react(model=...)` takes: the model, whose requests hold what the spec says.

    Args:
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        model: by default the one that is evaluated.
        options: of `Context`, where none is given.
    """
    port = ContextPort(context_of(spec, options))

    async def generate(state: AgentState, tools: list[Tool]) -> AgentState:
        """Answer the messages of an agent.

        Args:
            state: of the agent.
            tools: that it may call.
        """
        target = get_model(model)
        request = mapped(target, state.messages, [_info(tool) for tool in tools])

        async def answer(sent: list[Any]) -> ModelOutput:
            output = await target.generate(sent, tools)
            if output.stop_reason == "model_length" and not output.message.tool_calls:
                refusal = output.error or output.completion
                raise ContextOverflowError(refusal, where=f"model {target.name!r}", fix="send less")
            return output

        state.output = await MappedCall(port, request, _bill).aanswer(answer)
        state.messages.append(state.output.message)
        return state

    setattr(generate, _PORT, port)
    return generate


def read_back_tools(model: Agent) -> list[Tool]:
    """The tools with which an agent's model reads back what was shortened; none where its context
    was not made with `read_back=True`.

    Args:
        model: that `context_model` made.

    Raises:
        SpecError: it is another's.
    """
    port = getattr(model, _PORT, None)
    if port is None:
        raise SpecError(
            "an agent of the framework's own has no context",
            where="read_back_tools(model)",
            fix="give what context_model(...) made",
        )
    return tools_of(port)


def _bill(output: ModelOutput) -> Usage | None:
    """What an answer cost; the framework counts what is cached apart."""
    usage = output.usage
    if usage is None:
        return None
    return bill_of(
        usage.input_tokens,
        usage.output_tokens,
        cached=usage.input_tokens_cache_read,
        written=usage.input_tokens_cache_write,
        is_apart=True,
    )


def _info(tool: Tool) -> ToolInfo:
    """What the model is told of a tool."""
    known = ToolDef(tool)
    return ToolInfo(name=known.name, description=known.description, parameters=known.parameters)
