"""pydantic-ai: what each request of an agent holds, by a capability.

from contextwright.adapters.pydantic_ai import ContextCapability

agent = Agent("openai:gpt-5", capabilities=[ContextCapability(C.compaction(100_000))])
"""

from contextwright.adapters.framework_imports import framework_imports

with framework_imports("pydantic-ai", "pydantic-ai-slim", "pydantic_ai"):
    from contextwright.adapters.pydantic_ai.capability import ContextCapability

__all__ = ["ContextCapability"]
