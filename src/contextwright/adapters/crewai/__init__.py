"""CrewAI: what each request of an agent holds, by its LLM.

from contextwright.adapters.crewai import context_llm

agent = Agent(llm=context_llm(LLM("openai/gpt-5"), C.compaction(100_000)), ...)
"""

from contextwright.errors import MissingExtra

try:
    from contextwright.adapters.crewai.crew_llm import context_llm, read_back_tools
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "crewai":
        raise
    raise MissingExtra("crewai", "crewai") from error

__all__ = ["context_llm", "read_back_tools"]
