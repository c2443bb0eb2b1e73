"""The fields of an agent's JSON reply, under their state keys."""

import json
from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.events import Event


def spread_reply(agent: str, keys: tuple[str, ...]) -> Any:
    """A callback that puts the fields of an agent's JSON reply under their state keys. A reply
    that is no such object is kept whole under the first."""

    def spread(callback_context: CallbackContext) -> None:
        text = _reply(callback_context.session.events, agent)
        if not text:
            return
        reply = _object(text)
        fields = reply if any(key in reply for key in keys) else {keys[0]: text}
        for key in keys:
            if key in fields:
                callback_context.state[key] = fields[key]

    return spread


def _reply(events: list[Event], agent: str) -> str:
    for event in reversed(events):
        if event.author == agent and event.content and event.content.parts and not event.partial:
            text = "".join(p.text or "" for p in event.content.parts if not p.thought)
            if text:
                return text
        if event.author == "user":
            return ""
    return ""


def _object(text: str) -> dict[str, Any]:
    """The JSON object that a text holds; a code fence around it is no mistake."""
    start, end = text.find("{"), text.rfind("}")
    try:
        value = json.loads(text[start : end + 1]) if start >= 0 else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
