"""Agno: what each request of an agent holds, by its model.

from contextwright.adapters.agno import context_model

agent = Agent(model=context_model(OpenAIChat("gpt-5"), C.compaction(100_000)))
"""

from contextwright.errors import MissingExtra

try:
    from contextwright.adapters.agno.bounded_model import context_model, read_back_tools
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "agno":
        raise
    raise MissingExtra("agno", "agno") from error

__all__ = ["context_model", "read_back_tools"]
