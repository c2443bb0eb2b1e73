"""A filter on what each call of a run sends to the model; the run's own items, and its session,
stay whole. Tested with openai-agents 0.24."""

from collections.abc import Awaitable, Callable
from typing import Any

from agents import FunctionTool, Handoff
from agents.run_config import CallModelData, ModelInputData

from contextwright.adapters.port import Body, ContextPort, context_of

InputFilter = Callable[[CallModelData[Any]], Awaitable[ModelInputData]]
"""What `RunConfig(call_model_input_filter=...)` takes."""


def input_filter(spec: Any = None, **options: Any) -> InputFilter:
    """A `call_model_input_filter` that compiles: items, instructions and tools are one budget.

    Args:
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given: `model=...` and others.
    """
    port = ContextPort(context_of(spec, options))

    async def compiled(data: CallModelData[Any]) -> ModelInputData:
        items, instructions = data.model_data.input, data.model_data.instructions
        body: Body = {"input": items, "tools": _tools(data.agent)}
        if instructions:
            body["instructions"] = instructions
        model = data.agent.model
        name = model if isinstance(model, str) else getattr(model, "model", None)
        if name:
            body["model"] = str(name)
        new = await port.compiled(body)
        return ModelInputData(input=new["input"], instructions=new.get("instructions"))

    return compiled


def _tools(agent: Any) -> list[dict[str, Any]]:
    """The tools of an agent whose schemas are known before they are asked for, and its handoffs."""
    functions = [tool for tool in agent.tools if isinstance(tool, FunctionTool)]
    handoffs = [each for each in agent.handoffs if isinstance(each, Handoff)]
    return [
        *(
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.params_json_schema,
            }
            for tool in functions
        ),
        *(
            {
                "type": "function",
                "name": handoff.tool_name,
                "description": handoff.tool_description,
                "parameters": handoff.input_json_schema,
            }
            for handoff in handoffs
        ),
    ]
