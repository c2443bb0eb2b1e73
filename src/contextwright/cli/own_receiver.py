"""What a session says of the model that it was made with, and the format of its requests."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

from contextwright.errors import ModelError
from contextwright.session.session import Session
from contextwright.tokens.models import model_info

MODEL = "gpt-5"
"""The model where neither the command nor the session names one."""
USUAL_MODELS = {
    "openai-chat": MODEL,
    "openai-responses": MODEL,
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-2.5-pro",
}
"""The model for a format whose session names none; its maker's models take such requests."""
_REQUESTS = {"claude-code": "anthropic", "codex": "openai-responses", "adk": "gemini"}
"""The format of the requests behind a log."""
LATEST = 40
"""Messages that are looked at for a model's name, the newest first."""


class OwnReceiver(msgspec.Struct, frozen=True):
    """The model and the request format of a session; empty where it says nothing."""

    model: str
    format: str


def own_receiver(session: Session) -> OwnReceiver:
    """What a session says of its model and its format."""
    first = session.log[0].extra if len(session) else {}
    read_from = next(iter((*first, *session.metadata)), "")
    names = (name for source in _sources(session) for name in _named(source))
    return OwnReceiver(next(names, ""), _REQUESTS.get(read_from, read_from))


def _sources(session: Session) -> Iterator[Any]:
    """Where a model may be named: the session's own data, the newest messages' own."""
    yield from session.metadata.values()
    for event in reversed(session.log[-LATEST:]):
        for stored in event.extra.values():
            records = stored.get("records", ()) if isinstance(stored, Mapping) else ()
            for record in cast("list[Any]", records):
                yield record.get("rest", {})


def _named(source: Any) -> Iterator[str]:
    if not isinstance(source, Mapping):
        return
    fields = cast("Mapping[str, Any]", source)
    for key in ("model", "model_name", "modelVersion", "modelId"):
        if isinstance(fields.get(key), str) and fields[key]:
            yield fields[key]
    for key in ("message", "response_metadata", "payload", "data", "kwargs"):
        yield from _named(fields.get(key))


def maker_of(model: str) -> str:
    """Who makes a model; empty for an unknown one."""
    try:
        return model_info(model).provider
    except ModelError:
        return ""
