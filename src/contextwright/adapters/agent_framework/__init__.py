"""Microsoft Agent Framework: what each request of an agent holds, by a chat middleware.

from contextwright.adapters.agent_framework import ContextChatMiddleware

agent = Agent(client, middleware=[ContextChatMiddleware(C.compaction(100_000))])
"""

from contextwright.errors import MissingExtra

try:
    from contextwright.adapters.agent_framework.chat_middleware import ContextChatMiddleware
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "agent_framework":
        raise
    raise MissingExtra("agent-framework", "agent-framework") from error

__all__ = ["ContextChatMiddleware"]
