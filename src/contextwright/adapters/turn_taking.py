"""A user and an assistant in turn: Bedrock's Converse refuses two messages of one role behind each
other, as they are where what stood between them was left out, and some frameworks send them so."""

from collections.abc import Sequence
from operator import is_
from typing import Any, Protocol, TypeVar

MessageT = TypeVar("MessageT")
_SPEAKERS = ("user", "assistant")


class SpokenTurns(Protocol[MessageT]):
    """What is needed of a framework's messages."""

    def role(self, message: MessageT) -> str:
        """The role, as OpenAI Chat names it."""
        ...

    def parts(self, message: MessageT) -> Sequence[Any]:
        """Its parts."""
        ...

    def with_parts(self, message: MessageT, parts: list[Any]) -> MessageT:
        """A copy with other parts."""
        ...


def in_turns(
    access: SpokenTurns[MessageT], model: object, own: Sequence[MessageT], sent: list[MessageT]
) -> list[MessageT]:
    """What is sent, neighbours of one role as one, where the model is one of Bedrock's. What is
    sent as it came stays so.

    Args:
        own: the framework's messages.
    """
    is_bedrock = any("bedrock" in kind.__module__ for kind in type(model).__mro__)
    is_same = len(own) == len(sent) and all(map(is_, own, sent))
    if not is_bedrock or is_same:
        return sent
    turns: list[MessageT] = []
    for message in sent:
        role = access.role(message)
        if turns and role in _SPEAKERS and access.role(turns[-1]) == role:
            both = [*access.parts(turns[-1]), *access.parts(message)]
            turns[-1] = access.with_parts(turns[-1], both)
        else:
            turns.append(message)
    return turns
