"""CrewAI: what each request of an agent holds, by its LLM.

from contextwright.adapters.crewai import context_llm

agent = Agent(llm=context_llm(LLM("openai/gpt-5"), C.compaction(100_000)), ...)
"""

from contextwright.optional_imports import optional_imports

with optional_imports("crewai", "crewai", "crewai"):
    from contextwright.adapters.crewai.crew_llm import context_llm, read_back_tools

__all__ = ["context_llm", "read_back_tools"]
