"""smolagents: what each request of an agent holds, by its model.

from contextwright.adapters.smolagents import context_model

agent = ToolCallingAgent(tools, context_model(OpenAIModel("gpt-5"), C.compaction(100_000)))
"""

from contextwright.optional_imports import optional_imports

with optional_imports("smolagents", "smolagents", "smolagents"):
    from contextwright.adapters.smolagents.step_model import context_model, read_back_tools

__all__ = ["context_model", "read_back_tools"]
