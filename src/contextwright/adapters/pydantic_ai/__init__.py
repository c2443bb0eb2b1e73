"""pydantic-ai: what each request of an agent holds, by a capability.

from contextwright.adapters.pydantic_ai import ContextCapability

agent = Agent("openai:gpt-5", capabilities=[ContextCapability(C.compaction(100_000))])
"""

from contextwright.optional_imports import optional_imports

with optional_imports("pydantic-ai", "pydantic-ai-slim", "pydantic_ai"):
    from contextwright.adapters.pydantic_ai.capability import ContextCapability

__all__ = ["ContextCapability"]
