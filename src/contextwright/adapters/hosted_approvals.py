"""Requests of a provider for an approval of what its own tools are to do, and the answers to them,
as contents of a message: the one is a call, the other its result."""

from typing import Any

from contextwright.adapters.part_view import PartView
from contextwright.formats.record_copies import copy_with

_REQUEST, _ANSWER = "function_approval_request", "function_approval_response"
_IDS = "mcpr_"
"""What ids of OpenAI's requests begin with."""


def is_approval(id: str) -> bool:
    """Whether an id is that of a request."""
    return id.startswith(_IDS)


def approval_view(content: Any) -> PartView | None:
    """What a request or an answer is; None of any other content, and of what is approved where the
    agent runs: no provider hears of it."""
    call = content.function_call if content.type in (_REQUEST, _ANSWER) else None
    if call is None or not call.hosted:
        return None
    if content.type == _REQUEST:
        return PartView.call(content.id, call.name, call.arguments)
    return PartView.result("approved" if content.approved else "not approved", content.id)


def approval_with(content: Any, text: str) -> Any:
    """A copy of a request with other arguments. An answer says what it says."""
    if content.type == _ANSWER:
        return content
    return copy_with(
        content, {"function_call": copy_with(content.function_call, {"arguments": text})}
    )
