"""smolagents: what each request of an agent holds, by its model.

from contextwright.adapters.smolagents import context_model

agent = ToolCallingAgent(tools, context_model(OpenAIModel("gpt-5"), C.compaction(100_000)))
"""

from contextwright.adapters.framework_imports import framework_imports

with framework_imports("smolagents", "smolagents", "smolagents"):
    from contextwright.adapters.smolagents.step_model import context_model, read_back_tools

__all__ = ["context_model", "read_back_tools"]
