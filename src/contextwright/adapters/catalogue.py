"""Which adapters there are: for which package, tested with which versions, and what to write."""

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import msgspec


class AdapterEntry(msgspec.Struct, frozen=True):
    """An adapter.

    Args:
        package: the framework's, as it is installed.
        name: of what a user writes.
        tested: versions that it was tested with.
        module: the adapter's own, beneath `contextwright.adapters`.
        extra: of contextwright that brings the framework.
        home: where it acts, in a few words.
    """

    package: str
    name: str
    tested: str
    module: str
    extra: str
    home: str

    @property
    def installed(self) -> str:
        """The version that is installed; empty where none is."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return ""

    @property
    def is_tested(self) -> bool:
        """Whether the version that is installed begins like one that it was tested with."""
        known = self.tested.split(", ")
        return any(f"{self.installed}.".startswith(f"{each}.") for each in known)


_WRAP = "wrap(client, spec)"
_ENTRIES = (
    AdapterEntry("openai", _WRAP, "2.54, 3.54", "wrapped_client", "openai", "each request"),
    AdapterEntry("anthropic", _WRAP, "2.12", "wrapped_client", "anthropic", "each request"),
    AdapterEntry("google-genai", _WRAP, "2.34, 3.4", "wrapped_client", "google", "each request"),
    AdapterEntry("litellm", "ContextCallback", "1.106", "litellm", "litellm", "SDK, router, proxy"),
    AdapterEntry(
        "pydantic-ai-slim", "ContextCapability", "2.68", "pydantic_ai", "pydantic-ai", "capability"
    ),
    AdapterEntry("langchain", "ContextMiddleware", "1.4", "langchain", "langchain", "middleware"),
    AdapterEntry("deepagents", "ContextMiddleware", "0.7", "langchain", "langchain", "middleware"),
    AdapterEntry(
        "openai-agents",
        "ContextProvider",
        "0.24",
        "openai_agents",
        "openai-agents",
        "model provider",
    ),
    AdapterEntry("google-adk", "ContextPlugin", "2.13", "adk", "adk", "plugin of an app"),
    AdapterEntry(
        "agent-framework-core",
        "ContextChatMiddleware",
        "1.20, 1.23",
        "agent_framework",
        "agent-framework",
        "chat middleware",
    ),
    AdapterEntry("strands-agents", "ContextStage", "1.62", "strands", "strands", "middleware"),
    AdapterEntry("agno", "context_model", "3.1", "agno", "agno", "model"),
    AdapterEntry("llama-index-core", "context_llm", "0.14", "llama_index", "llama-index", "model"),
    AdapterEntry("smolagents", "context_model", "1.26", "smolagents", "smolagents", "model"),
    AdapterEntry("haystack-ai", "context_generator", "3.4", "haystack", "haystack", "generator"),
    AdapterEntry("crewai", "context_llm", "1.15", "crewai", "crewai", "model"),
    AdapterEntry(
        "inspect-ai", "ContextCompaction", "0.3.285", "inspect_ai", "inspect-ai", "compaction"
    ),
    AdapterEntry(
        "claude-agent-sdk", "TranscriptStore", "0.2.187", "claude_agent", "claude-agent", "store"
    ),
)


def adapters() -> tuple[AdapterEntry, ...]:
    """All adapters of this version."""
    return tuple(each for each in _ENTRIES if find_spec(f"{__package__}.{each.module}"))
