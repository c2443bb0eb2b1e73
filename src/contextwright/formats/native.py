"""Our own JSON Lines: a header, then events and state changes in the order of the session."""

from collections import deque
from collections.abc import Iterator
from typing import Any

import msgspec

from contextwright.errors import MalformedRecord
from contextwright.formats.decode import expect_flat
from contextwright.formats.document import Document, Record
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import Json, an_object
from contextwright.session.event import Event, Tool
from contextwright.session.session import Session, StateChange
from contextwright.typed_decoding import converted, decoder

NAME = "contextwright"
LINES = True
VERSION = 1


class Header(msgspec.Struct, forbid_unknown_fields=True):
    """The first line."""

    contextwright: int
    session: str
    tools: tuple[Tool, ...] = ()
    metadata: dict[str, Any] = {}


class Line(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Any other line: an event, or state keys that were set (null removes one)."""

    event: Event | None = None
    state: dict[str, Any] | None = None


def sniff(document: Document) -> bool:
    """The header names us."""
    value = document.records[0].value
    return isinstance(value, dict) and "contextwright" in value


def read(document: Document) -> Session:
    """The session, with its state's history."""
    first = document.records[0]
    version = an_object(first.value, first.where).get("contextwright")
    if version != VERSION:
        raise MalformedRecord(
            f"the file has version {version!r} and this package reads {VERSION}",
            where=first.where,
            fix="upgrade contextwright",
        )
    header = _convert(first, Header)
    session = Session(header.session, tools=header.tools, metadata=header.metadata)
    for record in document.records[1:]:
        line = _line(record)
        if line.event is not None:
            session.log.append(line.event, decoded=True)
        elif line.state is not None:
            session.restore(StateChange(len(session.log), line.state))
        else:
            raise MalformedRecord(
                "a line with neither event nor state", where=record.where, fix="remove the line"
            )
    return session


_decode = decoder(Line).decode


def _line(record: Record) -> Line:
    """The line; one with a fault is decoded in the way that names and repairs it."""
    try:
        if record.text:
            return _decode(record.text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    return _convert(record, Line)


def _convert(record: Record, kind: Any) -> Any:
    try:
        return converted(record.value, kind)
    except msgspec.ValidationError as error:
        raise MalformedRecord(
            str(error), where=record.where, fix="mend the field that is named"
        ) from error


@exporter(NAME, single_results=False)
def write(session: Session) -> list[Json]:
    """The lines.

    Raises:
        SizeLimit: the metadata nests deeper than what is read.
    """
    header = Header(VERSION, session.id, session.tools, session.metadata)
    lines: list[Any] = [msgspec.to_builtins(header)]
    expect_flat(lines, f"session {session.id!r}, metadata")  # as it could not be read again
    changes = deque(session.changes)
    for position, event in enumerate(session.log):
        lines += _states(changes, position)
        lines.append({"event": msgspec.to_builtins(event)})
    return [*lines, *_states(changes, len(session.log))]


def _states(changes: deque[StateChange], position: int) -> Iterator[Json]:
    """The lines of the next changes, up to those of a position."""
    while changes and changes[0].position <= position:
        yield {"state": changes.popleft().values}
