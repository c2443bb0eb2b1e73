"""What tells one call of a model from all others by the messages of a graph's state."""

from collections.abc import Sequence
from typing import Any


def run_of(messages: Sequence[Any]) -> str:
    """The run of these messages, by their ids when the call was made and what the last says. An
    application that gives ids may count in each conversation from one."""
    ids = [message.id for message in messages]
    return repr((messages[-1].text, ids)) if any(ids[-1:]) else ""


def run_of_call(messages: Sequence[Any], id: str | None) -> str:
    """The run whose answer holds a call.

    Args:
        id: of the call.
    """
    for place in reversed(range(len(messages))):
        if any(call["id"] == id for call in getattr(messages[place], "tool_calls", ())):
            return run_of(messages[:place])
    return ""
