"""Calls that are no turn of a conversation: they leave as they came."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import msgspec

from contextwright.formats.fields import Json, object_if
from contextwright.serve.http_headers import Header, value_of

MESSAGES = {
    "openai-chat": "messages",
    "openai-responses": "input",
    "anthropic": "messages",
    "gemini": "contents",
}
"""Where the body of a format has its messages."""
_SHORT = 2
"""Messages up to which a call without tools is one beside the conversation: a title, a probe."""
_SYSTEM = ("system", "developer")


def why_aside(format: str, body: Json, headers: Sequence[Header]) -> str:
    """Why a call is left as it came; empty for a turn of a conversation."""
    listed: Any = body.get(MESSAGES[format])
    if not isinstance(listed, list):
        return "one text, no conversation" if isinstance(listed, str) else "no messages"
    if _is_compaction(headers, listed):
        return "the agent's own compaction"
    if body.get("previous_response_id") or body.get("conversation"):
        return "goes on from what the provider has"
    turns = (one for one in listed if object_if(one).get("role") not in _SYSTEM)
    if not body.get("tools") and len(list(islice(turns, _SHORT + 1))) <= _SHORT:
        return "a call beside the conversation"
    return ""


def _is_compaction(headers: Sequence[Header], listed: list[Any]) -> bool:
    """Whether the agent, or the provider for it, makes its history anew in this call."""
    if any(object_if(one).get("type") == "compaction_trigger" for one in listed[-2:]):
        return True
    telling = value_of(headers, b"x-codex-turn-metadata")
    if not telling:
        return False
    try:
        turn = object_if(msgspec.json.decode(telling))
    except msgspec.DecodeError:
        return False
    return turn.get("request_kind") == "compaction"
