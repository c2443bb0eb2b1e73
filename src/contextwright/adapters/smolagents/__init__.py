"""smolagents: what each request of an agent holds, by its model.

from contextwright.adapters.smolagents import context_model

agent = ToolCallingAgent(tools, context_model(OpenAIModel("gpt-5"), C.compaction(100_000)))
"""

from contextwright.errors import MissingExtra

try:
    from contextwright.adapters.smolagents.step_model import context_model, read_back_tools
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "smolagents":
        raise
    raise MissingExtra("smolagents", "smolagents") from error

__all__ = ["context_model", "read_back_tools"]
