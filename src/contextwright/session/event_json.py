"""An event as JSON: the bytes that a log's digest covers and that a store keeps."""

import math
import re
from typing import Any

import msgspec

from contextwright.errors import SessionError
from contextwright.session.event import NO_FIELDS, ROLES, AnyPart, Event, ToolResult
from contextwright.typed_decoding import converted, decoder

event_json = msgspec.json.Encoder(order="sorted").encode
"""An event as JSON; one that came through `encodable` has no fault."""
_decode = decoder(Event).decode


class _Named(msgspec.Struct):
    """What is read of an event's JSON for its id."""

    id: str


_decode_id = decoder(_Named).decode
_EXTRA, _METADATA, _EMPTY, _STATUS = b'"extra":{}', b'"metadata":{}', b'":{}', b'"status":"ok"'
"""What the encoder leaves out where it is the very object that stands for it."""
_OK = ToolResult(call_id="").status
_SURROGATE = re.compile("[\ud800-\udfff]")


def opened(event: Event | bytes) -> Event:
    """An event that is one, or its JSON."""
    return _decode(event) if isinstance(event, bytes) else event


def event_id_in(body: bytes) -> str:
    """The id of an event in its JSON."""
    return _decode_id(body).id


def _says_all(body: bytes, event: Event) -> bool:
    """Whether an event is what its JSON says."""
    try:
        return _decode(body) == event
    except msgspec.ValidationError:
        return False


def portable(event: Event | bytes) -> tuple[bytes, Event | None]:
    """The JSON of an event, and the event where that does not say all of it. An event that is
    pickled by itself has other JSON: a field that says the default is written then."""
    if isinstance(event, bytes):
        return event, None
    body = event_json(event)
    return body, None if _says_all(body, event) else event


def encodable(event: Event) -> tuple[Event, bytes]:
    """The event and its bytes; with U+FFFD for lone surrogates, and None for numbers that JSON
    does not have, which nothing can store.

    Raises:
        SessionError: it is no event of a known role, or has something else that is no JSON.
    """
    if not isinstance(event, Event) or event.role not in ROLES:
        raise SessionError(
            f"not an event with a known role: {event!r}"[:200],
            where=f"event {getattr(event, 'id', '')!r}",
            fix=f"give an Event of role {', '.join(ROLES)}",
        )
    try:
        body = event_json(event)
        if _STATUS in body or (_EMPTY in body and (_EXTRA in body or _METADATA in body)):
            event = _without_defaults(event)
            body = event_json(event)
        # NaN and the infinities are encoded as null
        if b"null" not in body or _all_finite(event):
            return event, body
    except UnicodeEncodeError:
        pass
    except (TypeError, ValueError, RecursionError) as error:
        raise _no_json(event, error) from error
    try:
        clean = converted(_cleaned(msgspec.to_builtins(event)), Event)
        return clean, event_json(clean)
    except (TypeError, ValueError, RecursionError) as error:
        raise _no_json(event, error) from error


def readable(event: Event) -> tuple[Event, bytes]:
    """`encodable`, of an event that every store can read again.

    Raises:
        SessionError: a field is of another type.
    """
    event, body = encodable(event)
    try:
        _decode(body)
    except msgspec.ValidationError as error:
        raise SessionError(
            f"a field of another type: {error}",
            where=f"event {event.id!r}",
            fix="ids, names, authors and texts are texts, time_ms a whole number",
        ) from error
    return event, body


def _without_defaults(event: Event) -> Event:
    """The event with the objects that stand for no fields and for success where it has its own:
    two events that say the same are the same bytes."""
    replace = msgspec.structs.replace
    parts = tuple(_without_extra(part) for part in event.parts)
    return replace(
        event,
        parts=parts,
        metadata=event.metadata or NO_FIELDS,
        extra=event.extra or NO_FIELDS,
    )


def _without_extra(part: AnyPart) -> AnyPart:
    inner: dict[str, Any] = {}
    if isinstance(part, ToolResult):
        inner["content"] = tuple(map(_without_extra, part.content))
        inner["status"] = _OK if part.status == _OK else part.status
    return msgspec.structs.replace(part, **inner, extra=part.extra or NO_FIELDS)


def _no_json(event: Event, error: Exception) -> SessionError:
    return SessionError(
        f"an event that is no JSON data: {error}"[:300],
        where=f"event {event.id!r}",
        fix="give strings, numbers, booleans, lists and dicts in metadata and parts",
    )


def _all_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, msgspec.Struct):
        return all(_all_finite(getattr(value, name)) for name in value.__struct_fields__)
    if isinstance(value, dict):
        return all(map(_all_finite, value.values()))
    return not isinstance(value, (list, tuple)) or all(map(_all_finite, value))


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    return [_cleaned(item) for item in value] if isinstance(value, (list, tuple)) else value
