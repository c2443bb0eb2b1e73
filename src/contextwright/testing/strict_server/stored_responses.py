"""What OpenAI Responses keeps of a conversation: a request that goes on from it is read with what
stands before."""

import json
from typing import Any

from contextwright.testing.strict_server.api import Issued
from contextwright.testing.strict_server.refusal import RefusedRequest

_CHAIN, _CONVERSATION = "previous_response_id", "conversation"


def whole_body(body: dict[str, Any], issued: Issued) -> dict[str, Any]:
    """A request with the items that the provider has of it, in front of its own.

    Args:
        issued: what was stored, by the id of a response or of a conversation.

    Raises:
        RefusedRequest: it goes on from what is not stored.
    """
    place = link_of(body)
    if not place:
        return body
    stored = issued.get(place, "[]" if place != body.get(_CHAIN) else "")
    if not stored:
        words = f"Previous response with id '{place}' not found."
        raise RefusedRequest(words, _CHAIN, "previous_response_not_found")
    own = body.get("input") or []
    items = [{"role": "user", "content": own}] if isinstance(own, str) else own
    return {**body, "input": [*json.loads(stored), *items]}


def link_of(body: dict[str, Any]) -> str:
    """The response, or the conversation, that a request goes on from; empty where it is the first.

    Raises:
        RefusedRequest: it names both.
    """
    chain, conversation = body.get(_CHAIN), body.get(_CONVERSATION)
    if chain and conversation:
        words = f"Mutually exclusive parameters: '{_CHAIN}' and '{_CONVERSATION}'."
        raise RefusedRequest(words, _CHAIN, "mutually_exclusive_parameters")
    if isinstance(conversation, dict):
        conversation = conversation.get("id")
    return str(chain or conversation or "")


def keep(body: dict[str, Any], answer: dict[str, Any], items: list[Any], issued: Issued) -> None:
    """Store an answer with the items before it, unless the request says otherwise."""
    if body.get("store") is False:
        return
    stored = json.dumps([*items, *answer["output"]], ensure_ascii=False)
    issued[answer["id"]] = stored
    if body.get(_CONVERSATION):
        issued[link_of(body)] = stored
