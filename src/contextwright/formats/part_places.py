"""Where the parts of events stand in a provider's own message, in the order in which its reader
takes them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import msgspec

from contextwright.formats import anthropic, gemini, openai_chat, openai_responses
from contextwright.formats.fields import Json, list_if, object_if
from contextwright.formats.provenance import ToMessage

Place = tuple[str | int, ...]
"""Keys and indices from a message to the JSON of one part of it; empty for the message itself."""


class MessageForm(msgspec.Struct, frozen=True):
    """A provider's message, for what reads and writes parts of it.

    Args:
        write: makes it of the events that it stands for.
        places: of its parts, as its reader gives them.
        result: the key of a tool's result that holds what the tool said.
        recorded: the keys of a message in a record of a conversation that are no part of what is
            sent; empty where there are none.
        of_answer: those of an answer that was put into the list whole.
    """

    write: ToMessage
    places: Callable[[Any], Sequence[Place]]
    result: str
    recorded: frozenset[str] = frozenset()
    of_answer: frozenset[str] = frozenset()

    def sent(self, message: Any) -> Any:
        """A message of a record without what only its record needs."""
        if not isinstance(message, dict):
            return message
        whole = cast(Json, message)
        own = self.recorded
        if whole.get("type") == "message" and "role" in whole:
            own |= self.of_answer
        return whole if own.isdisjoint(whole) else {k: whole[k] for k in whole if k not in own}


def _chat(message: Any) -> Iterator[Place]:
    fields = object_if(message)
    if fields.get("role") in ("tool", "function"):
        yield ()
        return
    thinking = fields.get("thinking") or fields.get("reasoning_content")
    if isinstance(thinking, str):
        yield ("thinking" if fields.get("thinking") else "reasoning_content",)
    yield from _content(fields, "content")
    for number in range(len(list_if(fields.get("tool_calls")))):
        yield ("tool_calls", number)
    if fields.get("function_call") is not None and not fields.get("tool_calls"):
        yield ("function_call",)


def _responses(message: Any) -> Iterator[Place]:
    items = message["items"]
    if isinstance(items, str):
        yield ("items",)
        return
    for number, item in enumerate(items):
        if item.get("type", "message") != "message":
            yield ("items", number)
            continue
        for place in _content(item, "content"):
            yield ("items", number, *place)


def _claude(message: Any) -> list[Place]:
    places = list(_content(object_if(message), "content"))
    if message.get("role") != "user":
        return places
    return _results_first(places, message, lambda part: part.get("type") == "tool_result")


def _gemini(message: Any) -> list[Place]:
    if isinstance(message, str):
        return [()]
    places: list[Place] = [("parts", n) for n in range(len(list_if(message.get("parts"))))]
    if message.get("role") in ("model", "system"):
        return places
    return _results_first(places, message, _answers)


def _answers(part: Json) -> bool:
    names = ("functionResponse", "function_response")
    return any(part.get(name) is not None for name in names)


def _results_first(
    places: list[Place], message: Json, is_result: Callable[[Json], bool]
) -> list[Place]:
    """As the readers have a user's message: what tools gave, then what the user said."""
    return sorted(places, key=lambda place: not is_result(object_if(at_place(message, place))))


def _content(message: Json, key: str) -> Iterator[Place]:
    content = message.get(key)
    if isinstance(content, list):
        yield from ((key, number) for number in range(len(list_if(content))))
    elif content:
        yield (key,)


def at_place(message: Any, place: Place) -> Any:
    """What stands there."""
    for step in place:
        message = message[step]
    return message


_RECORDED = frozenset({"id", "pinned", "metadata", "ts"})
"""What our readers take from the message of a record, and no provider does."""
_OF_ANSWER = frozenset(
    {"type", "model", "stop_reason", "stop_sequence", "stop_details", "usage", "container",
     "context_management"}
)  # fmt: skip
"""What Anthropic's answers have and its requests refuse."""
_RECORDED_CHAT = _RECORDED | {
    "action", "agent", "conversation", "created_at", "date", "finish_reason", "is_demo", "is_error",
    "kind", "message_type", "model", "speaker", "stop_reason", "thinking", "thought", "timestamp",
    "tool_call_ids", "usage",
}  # fmt: skip
"""What recorders of chats write beside a message. OpenAI refuses a field that it does not know."""
FORMS = {
    openai_chat.NAME: MessageForm(
        openai_chat.message_of, lambda m: list(_chat(m)), "content", _RECORDED_CHAT
    ),
    openai_responses.NAME: MessageForm(
        openai_responses.group_of, lambda m: list(_responses(m)), "output"
    ),
    anthropic.NAME: MessageForm(anthropic.message_of, _claude, "content", _RECORDED, _OF_ANSWER),
    gemini.NAME: MessageForm(gemini.message_of, _gemini, "response", _RECORDED),
}
"""By the name of the format."""
