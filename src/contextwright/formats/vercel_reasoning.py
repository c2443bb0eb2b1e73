"""Reasoning of the Vercel AI SDK: a text, and by its provider's name what proves or seals it."""

from typing import Any

from contextwright.formats.fields import Json, object_if, text_if
from contextwright.session.event import Thinking

_SEALS = {
    "anthropic": {"signature": "signature", "redacted": "redactedData"},
    "openai": {"redacted": "reasoningEncryptedContent"},
    "google": {"signature": "thoughtSignature"},
}
"""By provider, the names of a thought's fields in its metadata."""
_FIELDS = ("signature", "redacted")


def thinking_of(text: str, metadata: Any) -> Thinking:
    """A thought.

    Args:
        metadata: of the part, by the provider's name.
    """
    for provider, names in _SEALS.items():
        own = object_if(object_if(metadata).get(provider))
        signature, redacted = (text_if(own.get(names.get(key, ""))) for key in _FIELDS)
        if signature or redacted:
            return Thinking(text=text, signature=signature, redacted=redacted, provider=provider)
    return Thinking(text=text)


def reasoning_json(part: Thinking, key: str) -> Json:
    """The part of a thought.

    Args:
        key: under which the SDK's form has what is the provider's.
    """
    names = _SEALS.get(part.provider, {})
    seals = {name: value for ours, name in names.items() if (value := getattr(part, ours))}
    made: Json = {"type": "reasoning", "text": part.text}
    return {**made, key: {part.provider: seals}} if seals else made
