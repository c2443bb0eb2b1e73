"""Agno: what each request of an agent holds, by its model.

from contextwright.adapters.agno import context_model

agent = Agent(model=context_model(OpenAIChat("gpt-5"), C.compaction(100_000)))
"""

from contextwright.optional_imports import optional_imports

with optional_imports("agno", "agno", "agno"):
    from contextwright.adapters.agno.bounded_model import context_model, read_back_tools

__all__ = ["context_model", "read_back_tools"]
