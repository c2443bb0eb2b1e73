"""Strands Agents: what each request of an agent holds, by a plugin.

from contextwright.adapters.strands import ContextStage

agent = Agent(
    plugins=[ContextStage(C.compaction(100_000))],
    conversation_manager=NullConversationManager(),
)
"""

from contextwright.optional_imports import optional_imports

with optional_imports("strands", "strands-agents", "strands"):
    from contextwright.adapters.strands.context_stage import ContextStage

__all__ = ["ContextStage"]
