"""What a session says of the model that it was made with, and the format of its requests."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

from contextwright.formats.part_places import FORMS
from contextwright.formats.request_body import AROUND
from contextwright.render.providers import DEFAULTS
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.tokens.models import known_model

_REQUESTS = {"claude-code": "anthropic", "codex": "openai-responses", "adk": "gemini"}
"""The format of the requests behind a log."""
_WITHIN = (
    "beside", AROUND,  # of a body
    "message", "response_metadata", "payload", "data", "kwargs",  # of a message
)  # fmt: skip
LATEST = 40
"""Messages that are looked at for a model's name, the newest first."""


class OwnReceiver(msgspec.Struct, frozen=True):
    """The model and the request format of a session; empty where it says nothing."""

    model: str
    format: str


def own_receiver(session: Session) -> OwnReceiver:
    """What a session says of its model and its format."""
    return OwnReceiver(next(_models(session), ""), own_format(session))


def own_format(session: Session | Snapshot) -> str:
    """The format of the requests that a session is of: a body's, a list's, those behind a log;
    empty where it is of none."""
    first = session.log[0].extra if len(session.log) else {}
    read_from = (_REQUESTS.get(name, name) for name in (*first, *session.metadata))
    return next((name for name in read_from if name in FORMS), "")


def request_format(session: Session | Snapshot, model: str) -> str | None:
    """The format of a request for a model where nobody says it: what came in the words of a
    provider leaves in them, where the model takes them, as the one does that the session names.

    Returns:
        None for the format of the model's maker.
    """
    own = own_format(session)
    if own and (_takes(model, own) or model == next(_models(session), "")):
        return own
    return None


def _takes(model: str, format: str) -> bool:
    """Whether a model takes requests of a format: those of its maker; of an unknown one nobody
    knows better."""
    info = known_model(model)
    if info is None:
        return True
    default = DEFAULTS.get(info.provider, "")
    return default.split("-")[0] == format.split("-")[0] if default else format == "openai-chat"


def _models(session: Session | Snapshot) -> Iterator[str]:
    return (name for source in _sources(session) for name in _named(source))


def _sources(session: Session | Snapshot) -> Iterator[Any]:
    """Where a model may be named: the session's own data, the newest messages' own."""
    yield from list(session.metadata.values())
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
    for key in _WITHIN:
        yield from _named(fields.get(key))
