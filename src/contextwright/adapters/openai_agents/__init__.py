"""OpenAI Agents: what each request of a run holds, by its models, or by the run's filter.

from contextwright.adapters.openai_agents import ContextProvider

config = RunConfig(model_provider=ContextProvider(C.compaction(100_000)))
session = StoreSession("alice", SQLiteSessions("sessions.db"))
result = await Runner.run(agent, "...", run_config=config, session=session)
"""

from contextwright.optional_imports import optional_imports

with optional_imports("openai-agents", "openai-agents", "agents"):
    from contextwright.adapters.openai_agents.context_filter import ContextFilter
    from contextwright.adapters.openai_agents.context_model import (
        ContextProvider,
        context_model,
        read_back_tools,
    )
    from contextwright.adapters.openai_agents.store_session import StoreSession

__all__ = [
    "ContextFilter",
    "ContextProvider",
    "StoreSession",
    "context_model",
    "read_back_tools",
]
