"""What the suite needs to drive an agent of some framework; written once a framework."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

MODELS = {
    "openai-chat": "gpt-5",
    "openai-responses": "gpt-5",
    "anthropic": "claude-opus-4-5",
    "gemini": "gemini-3.1-pro-preview",
}
"""A model of each provider, which the agents of the suite ask for."""
OTHER_MODELS = {
    "openai-chat": "gpt-4.1",
    "openai-responses": "gpt-5-mini",
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-3-flash-preview",
}
"""Another one of each, for an agent that goes on with it."""
BINDING_MODELS = {"anthropic": "claude-opus-5-5"}
"""A model of each provider whose reasoning holds only behind the prefix that it was made behind."""

ToolFunction = Callable[..., Any]
"""A tool: a function with annotations and a docstring."""


class AgentSetup(msgspec.Struct, frozen=True, kw_only=True):
    """The agent that a scenario wants.

    Args:
        url: of the strict server; OpenAI's paths begin with `/v1` behind it.
        model: that it asks for.
        tools: what it may call.
        instructions: its system text.
        context: the `Context` that the adapter stands on; None is the same agent without one.
        denied: a tool that asks for approval, which is denied.
        structured: whether it answers with an object that has the text field `answer`.
        helper: another agent, which it can hand a task to; the tool's name has `helper` in it.
        temperature: a setting that must arrive.
        look: a PNG that a tool `look(path)` gives, in the framework's own form; none without.
        api: one of `MODELS` that the requests go to; by default the driver's.
    """

    url: str
    model: str
    tools: tuple[ToolFunction, ...] = ()
    instructions: str = "You are the operator's careful reader."
    context: Any = None
    denied: str = ""
    structured: bool = False
    helper: "AgentSetup | None" = None
    temperature: float | None = None
    look: bytes = b""
    api: str = ""


class SuiteAgent(Protocol):
    """An agent of a framework; it keeps the history of each conversation as the framework does."""

    async def run(self, question: str, *, conversation: str = "main", picture: bytes = b"") -> str:
        """Answer one user message, the framework's own loop; the text, or the object as JSON.

        Args:
            question: the user's words.
            conversation: which history it goes on with.
            picture: a PNG beside the words.
        """
        ...

    def run_sync(self, question: str) -> str:
        """The same without an event loop, by the framework's synchronous interface."""
        ...

    async def stream(self, question: str, most: int | None = None) -> list[str]:
        """The same as a stream: the pieces of the last text, as they came.

        Args:
            question: the user's words.
            most: after so many pieces the caller turns away, by whatever way the framework has.
        """
        ...

    def trim(self, turns: int) -> None:
        """Leave out the old turns of `main`, by the framework's own means.

        Args:
            turns: how many of the newest stay, each from the user's words on.
        """
        ...

    def history(self, conversation: str = "main") -> str:
        """All that the framework itself keeps of a conversation, as text."""
        ...

    def restarted(self, setup: AgentSetup) -> "SuiteAgent":
        """The agent in another process: of this one only what the framework stores is left."""
        ...


class AgentDriver(Protocol):
    """Makes agents of one framework, with our adapter where a context is given.

    Attributes:
        name: the framework, as the table shows it.
        api: the provider's interface that its requests go to, one of `MODELS`.
        moves_to: other interfaces that a conversation can go on with.
        cannot: scenarios that the framework can not do, and why.
    """

    name: str
    api: str
    moves_to: Sequence[str]
    cannot: Mapping[str, str]

    def agent(self, setup: AgentSetup) -> SuiteAgent:
        """A new agent."""
        ...
