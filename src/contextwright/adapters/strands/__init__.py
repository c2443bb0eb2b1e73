"""Strands Agents: what each request of an agent holds, by a plugin.

from contextwright.adapters.strands import ContextStage

agent = Agent(
    plugins=[ContextStage(C.compaction(100_000))],
    conversation_manager=NullConversationManager(),
)
"""

from contextwright.errors import MissingExtra

try:
    from contextwright.adapters.strands.context_stage import ContextStage
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "strands":
        raise
    raise MissingExtra("strands", "strands") from error

__all__ = ["ContextStage"]
