"""A user and an assistant in turn: Bedrock's Converse refuses two messages of one role behind each
other, as they are where what stood between them was left out, and some frameworks send them so."""

from collections.abc import Callable, Sequence
from itertools import pairwise
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


def _stands_behind(access: SpokenTurns[MessageT], sent: Sequence[MessageT]) -> bool:
    """Whether a user speaks behind a result of a message of its own, which is a user's there."""
    roles = pairwise(map(access.role, sent))
    return ("tool", "user") in roles


def in_turns(
    access: SpokenTurns[MessageT],
    model: object,
    own: Sequence[MessageT],
    sent: list[MessageT],
    behind: Callable[[list[MessageT], MessageT], MessageT] | None = None,
) -> list[MessageT]:
    """What is sent, neighbours of one role as one, where the model is one of Bedrock's. What is
    sent as it came stays so, but for a user who speaks behind a result, as a framework puts the
    pictures of one.

    Args:
        own: the framework's messages.
        behind: makes one of results and of what a user says behind them, where results are
            messages of their own.
    """
    is_bedrock = any("bedrock" in kind.__module__ for kind in type(model).__mro__)
    is_same = len(own) == len(sent) and all(map(is_, own, sent))
    if not is_bedrock or (is_same and not (behind and _stands_behind(access, sent))):
        return sent
    turns: list[MessageT] = []
    for message in sent:
        role = access.role(message)
        if role == "user" and behind is not None:
            results: list[MessageT] = []
            while turns and access.role(turns[-1]) == "tool":
                results.insert(0, turns.pop())
            message = behind(results, message) if results else message
        if turns and role in _SPEAKERS and access.role(turns[-1]) == role:
            both = [*access.parts(turns[-1]), *access.parts(message)]
            turns[-1] = access.with_parts(turns[-1], both)
        else:
            turns.append(message)
    return turns


def behind_results(results: Sequence[Any], message: Any) -> Any:
    """A user's message of Agno's with results in front, in the form of Converse."""
    blocks: list[Any] = [
        {"toolResult": {"toolUseId": one.tool_call_id, "content": [_data(one)]}} for one in results
    ]
    content = message.content
    blocks += content if isinstance(content, list) else [{"text": content}] if content else []
    return message.model_copy(update={"content": blocks})


def _data(result: Any) -> dict[str, Any]:
    return {"json": {"result": result.get_content()}}
