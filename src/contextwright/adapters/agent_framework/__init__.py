"""Microsoft Agent Framework: what each request of an agent holds, by a chat middleware.

from contextwright.adapters.agent_framework import ContextChatMiddleware

agent = Agent(client, middleware=[ContextChatMiddleware(C.compaction(100_000))])
"""

from contextwright.optional_imports import optional_imports

with optional_imports("agent-framework", "agent-framework-core", "agent_framework"):
    from contextwright.adapters.agent_framework.chat_middleware import ContextChatMiddleware

__all__ = ["ContextChatMiddleware"]
