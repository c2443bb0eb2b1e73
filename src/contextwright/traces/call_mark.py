"""Where in a session the model was called, and what it was sent and billed then."""

from typing import Any

import msgspec

from contextwright.errors import SessionError
from contextwright.formats.fields import Json, object_if
from contextwright.session.event import Event
from contextwright.session.session import Session
from contextwright.tokens.usage import Usage, usage_of
from contextwright.typed_decoding import converted

TRACE = "trace"
"""Key of a session's metadata: what the export says of its calls."""
_NO_CALLS = {"copied", "demo"}
"""Tags of messages that no model made in this session."""


class CallMark(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call of a session's model.

    Args:
        at: events in front of it: what had happened by then.
        id: of the call in the export; of the answer's event where the session itself was exported.
        usage: what was billed; None where it is not there.
        shared: messages at its beginning that the call before began with too; None where its
            request was everything so far.
        sent: where the request was not everything so far: its messages, each as it is, or as its
            place among the messages of the session.
        lost: whether it did not begin with the whole request before it.
    """

    at: int
    id: str = ""
    model: str = ""
    time_ms: int | None = None
    usage: Usage | None = None
    shared: int | None = None
    sent: list[Any] | None = None
    lost: bool = False


class TraceRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a session keeps of the export that it came from.

    Args:
        source: the kind of export. conversation: the id that it had there.
        model: of the newest call; empty where nothing says it.
        messages: of the body that the session was read from: what `CallMark.sent` has places in.
        gaps: what the export lacks, in words.
    """

    source: str
    conversation: str = ""
    model: str = ""
    calls: list[CallMark] = []
    messages: list[Any] = []
    gaps: list[str] = []


def trace_record(session: Session) -> TraceRecord | None:
    """What a session keeps of its export; None for one that was not made of calls.

    Raises:
        SessionError: its metadata was changed.
    """
    stored = session.metadata.get(TRACE)
    if stored is None:
        return None
    try:
        return converted(stored, TraceRecord)
    except msgspec.ValidationError as error:
        raise SessionError(
            f"what the session keeps of its trace is damaged: {error}",
            where=f"session {session.id!r}, metadata[{TRACE!r}]",
            fix="read the export again, or remove this key",
        ) from error


def call_marks(session: Session) -> list[CallMark]:
    """The calls of a session's model, in order: as its export marks them, or before each message of
    the assistant's. Those of sub-agents that stand among its messages are left out."""
    record = trace_record(session)
    if record is not None:
        return record.calls
    return [
        CallMark(at=at, id=event.id, time_ms=event.time_ms, usage=event_usage(event))
        for at, event in enumerate(session.log)
        if at and event.role == "assistant" and _is_call(event)
    ]


def _is_call(event: Event) -> bool:
    return "branch" not in event.metadata and _NO_CALLS.isdisjoint(event.tags)


def has_summary(session: Session) -> bool:
    """Whether a summary stands in its log for what came before."""
    return any(event.metadata.get("kind") == "summary" for event in session.log)


def event_usage(event: Event) -> Usage | None:
    """What the file of a session says was billed for an answer."""
    for extra in event.extra.values():
        for record in object_if(extra).get("records", ()):
            rest = object_if(object_if(record).get("rest"))
            message = object_if(rest.get("message"))
            for place in (rest.get("metrics"), message.get("usage"), rest.get("usage")):
                usage = usage_in(object_if(place))
                if usage is not None:
                    return usage
    return None


def usage_in(fields: Json) -> Usage | None:
    """Usage in the fields of a provider, of ATIF's metrics, or of pi."""
    read = fields.get("cacheRead")
    if isinstance(read, int) and isinstance(fields.get("input"), int):
        written = fields.get("cacheWrite", 0)
        total = fields["input"] + read + written
        output = fields.get("output", 0)
        return Usage(input=total, cached=read, cache_write=written, output=output, context=total)
    usage = usage_of(fields) if fields else None
    cached = fields.get("cached_tokens")
    if usage is not None and isinstance(cached, int) and not usage.cached:
        usage = msgspec.structs.replace(usage, cached=cached)
    return usage if usage is not None and usage.input else None
