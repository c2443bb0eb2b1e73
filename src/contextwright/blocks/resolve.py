"""What a ref names, read out of the snapshot at hand and nothing else."""

from collections.abc import Callable

import msgspec

from contextwright.blocks.ref import Ref, parse_ref
from contextwright.errors import RefError
from contextwright.session.event import Event, Text, ToolResult
from contextwright.session.snapshot import Snapshot

ReadArtifact = Callable[[str], str | None]


def resolve(text: str, snapshot: Snapshot, read_artifact: ReadArtifact | None = None) -> str | None:
    """The text behind a ref, or None: what is absent and what may not be read look the same.

    `file` and `https` refs are not followed here.
    """
    try:
        ref = parse_ref(text)
    except RefError:
        return None
    if ref.scheme == "event":
        return _event(ref, snapshot)
    if ref.scheme == "state":
        value = snapshot.state.get(ref.path)
        if value is None:
            return None
        return value if isinstance(value, str) else msgspec.json.encode(value).decode()
    if ref.scheme == "artifact" and read_artifact is not None:
        return read_artifact(ref.path)
    return None


def _event(ref: Ref, snapshot: Snapshot) -> str | None:
    event = snapshot.event(ref.path)
    if event is None:
        return None
    if ref.part.startswith(".."):
        return _range(event, snapshot.event(ref.part[2:]), snapshot)
    if ref.part:
        return _result(ref.part, event, snapshot)
    if event.parts and all(isinstance(part, Text) for part in event.parts):
        return event.text
    position = snapshot.log.position_of(event.id) or 0
    exchange = snapshot.exchanges_of([position])[0]
    return msgspec.json.encode(exchange.events).decode()


def _range(first: Event, last: Event | None, snapshot: Snapshot) -> str | None:
    if last is None:
        return None
    start = snapshot.log.position_of(first.id) or 0
    stop = snapshot.log.position_of(last.id) or 0
    exchanges = snapshot.exchanges_of(range(start, stop + 1))
    return msgspec.json.encode([event for e in exchanges for event in e.events]).decode()


def _result(place: str, event: Event, snapshot: Snapshot) -> str | None:
    position = snapshot.log.position_of(event.id) or 0
    exchange = snapshot.exchanges_of([position])[0]
    calls = exchange.calls
    if not place.isascii() or not place.isdigit() or int(place) >= len(calls):
        return None
    result: ToolResult | None = exchange.results.get(calls[int(place)].id)
    if result is None:
        return None
    if all(isinstance(part, Text) for part in result.content):
        return result.text
    return msgspec.json.encode(result.content).decode()
