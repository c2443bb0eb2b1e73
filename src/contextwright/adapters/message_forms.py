"""How a framework's messages look as chat messages: what each framework says once."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from contextwright.adapters.message_sources import Wire

MessageT = TypeVar("MessageT")


class MessageMapping(Protocol[MessageT]):
    """How a framework's messages look as chat messages, and back."""

    def wires(self, message: MessageT) -> list[Wire]:
        """The chat messages that a message is; none where it has nothing that a context reads."""
        ...

    def is_of_tool(self, message: MessageT) -> bool:
        """Whether what a message says as a user's, behind a result, is what the tool said beside
        that."""
        ...

    def changed(self, message: MessageT, wires: Mapping[int, Wire]) -> MessageT:
        """A copy of a message with new contents.

        Args:
            message: the framework's own.
            wires: what is left of its chat messages, by their places in `wires(message)`.
        """
        ...

    def made(self, wire: Wire) -> MessageT:
        """A message of the framework's for a chat message that the context added."""
        ...

    def annex(self, message: MessageT) -> list[Any]:
        """What a message says that no chat message shows, each as data: what a model thought, and
        the names, addresses and texts of pictures and files in a result."""
        ...

    def with_annex(self, message: MessageT, values: list[Any]) -> MessageT:
        """A copy of a message that says this instead, or left a thought out where it is signed.

        Args:
            values: as `annex` had them, with other texts.
        """
        ...

    def without_thinking(self, message: MessageT) -> MessageT:
        """A message without what is signed for its place; itself where it has none."""
        ...


class NoReasoning:
    """What a mapping says of reasoning whose messages hold none: the framework drops it, or has it
    elsewhere; nor do they say anything else that no chat message shows, or that a tool said."""

    def is_of_tool(self, message: Any) -> bool:
        """No message."""
        return False

    def annex(self, message: Any) -> list[Any]:
        """None."""
        return []

    def with_annex(self, message: Any, values: list[Any]) -> Any:
        """The message."""
        return message

    def without_thinking(self, message: Any) -> Any:
        """The message."""
        return message
