"""pydantic-ai: what each request of an agent holds, by a capability.

from contextwright.adapters.pydantic_ai import ContextCapability

agent = Agent("openai:gpt-5", capabilities=[ContextCapability(C.compaction(100_000))])
"""

from contextwright.errors import MissingExtra

try:
    from contextwright.adapters.pydantic_ai.capability import ContextCapability
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "pydantic_ai":
        raise
    raise MissingExtra("pydantic-ai", "pydantic-ai") from error

__all__ = ["ContextCapability"]
