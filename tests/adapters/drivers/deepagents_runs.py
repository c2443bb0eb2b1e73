"""Agents of deepagents: LangChain's, with its own middleware and tools."""

from deepagents import create_deep_agent
from tests.adapters.drivers.langchain_agents import (
    LangChainAgent,
    LangChainDriver,
    anthropic_model,
    openai_model,
)


class DeepAgent(LangChainAgent):
    made = staticmethod(create_deep_agent)


class DeepDriver(LangChainDriver):
    def agent(self, setup):
        return DeepAgent(setup, self.model)


NO_THINKING = "OpenAI's chat interface gives no signed reasoning"
CANNOT = {
    "thinking": NO_THINKING,
    "pictures-in-results": "the framework sends pictures in a result, which the interface does not take",
    "thinking-bound-to-its-prefix": NO_THINKING,
    "an-overflow-is-mended-once": "its own instructions and tools fill this scenario's window",
}
DRIVERS = [
    DeepDriver("deepagents, openai", "openai-chat", openai_model, CANNOT),
    DeepDriver("deepagents, anthropic", "anthropic", anthropic_model),
]
