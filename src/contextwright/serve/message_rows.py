"""Messages that are rows, not a conversation: each result is shortened by itself, and each row
stays in its place.

LiteLLM's guardrail holds back what must stay, the calls among it, and puts what it gets back into
the places of what it sent. A row is always shortened to the same bytes, so nothing that a provider
has cached changes.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from contextwright.formats.fields import Json, object_if
from contextwright.text.content_router import shorten

ROW_TOKENS = 800
"""Tokens of a result above which it is shortened to them."""
_RESULTS = ("tool", "function")


class ShortenedRows(msgspec.Struct, frozen=True):
    """Rows, as many as there were.

    Args:
        messages: those that are as they were are the same objects.
        tokens_before, tokens_after: of their texts.
    """

    messages: list[Any]
    tokens_before: int
    tokens_after: int


def are_rows(messages: Sequence[Any]) -> bool:
    """Whether messages can be no conversation: nobody asks, or results stand without calls."""
    roles = [object_if(message).get("role") for message in messages]
    called = {
        object_if(call).get("id")
        for message in messages
        for call in object_if(message).get("tool_calls") or ()
    }
    results = [one for one in map(object_if, messages) if one.get("role") == "tool"]
    return "user" not in roles or any(one.get("tool_call_id") not in called for one in results)


def shortened_rows(
    messages: Sequence[Any], count: Callable[[str], int], clean: Callable[[str], str]
) -> ShortenedRows:
    """Rows with their results shortened.

    Args:
        count: tokens of a text.
        clean: takes out of every text what is redacted.
    """
    made: list[Any] = []
    before = after = 0
    for message in messages:
        row = object_if(message)
        text = row.get("content")
        if not isinstance(text, str):
            made.append(message)
            continue
        new = clean(text)
        if row.get("role") in _RESULTS:
            new = shorten(new, ROW_TOKENS, count).text
        before, after = before + count(text), after + count(new)
        made.append(message if new == text else _with_text(row, new))
    return ShortenedRows(made, before, after)


def _with_text(row: Json, text: str) -> Json:
    return {key: text if key == "content" else value for key, value in row.items()}
