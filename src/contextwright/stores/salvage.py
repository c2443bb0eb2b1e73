"""What can still be read of a session that is damaged."""

from typing import Any

import msgspec

from contextwright.errors import CorruptData, SessionError
from contextwright.session.event import Event, Tool
from contextwright.session.session import Session, StateChange
from contextwright.stores.session_rows import StoredSession, is_whole
from contextwright.typed_decoding import decoder


class Salvage(msgspec.Struct, frozen=True):
    """What can still be read of a session.

    Args:
        damage: what is wrong with it; empty where nothing is.
        session: its longest beginning that is what was written, with the state of then; tools and
            metadata if they are what was written, else none.
        text: all of it as it lies there, damaged or not: to look for refs and names in.
        lost_events, lost_changes: how many rows are not in `session`.
    """

    damage: str
    session: Session
    text: str
    lost_events: int = 0
    lost_changes: int = 0


def salvage(stored: StoredSession) -> Salvage:
    """What can still be read of these rows."""
    damage = ""
    try:
        stored.load()
    except CorruptData as error:
        damage = f"{error.what}: {error.where}"
    row = stored.row
    about = row.about is not None and row.about == row.about_hash
    session = Session(
        str(row.id),
        tools=_decoded(row.tools, tuple[Tool, ...], ()) if about else (),
        metadata=_decoded(row.metadata, dict[str, Any], {}) if about else {},
    )
    raw = {table: stored.raw(table) for table in ("events", "changes")}
    for seq, body, digest in raw["events"]:
        event = _decoded(body, Event, None) if is_whole(body, digest) else None
        if seq != len(session.log) or event is None:
            break
        try:
            session.append(event)
        except SessionError:
            break
    for seq, body, digest in raw["changes"]:
        change = _decoded(body, StateChange, None) if is_whole(body, digest) else None
        if seq != len(session.changes) or change is None or change.position > len(session.log):
            break
        session.restore(change)
    bodies = [body for rows in raw.values() for _, body, _ in rows]
    return Salvage(
        damage=damage,
        session=session,
        text="\n".join(map(_readable, (row.id, row.metadata, row.tools, *bodies))),
        lost_events=max(len(raw["events"]), _count(row.events)) - len(session.log),
        lost_changes=max(len(raw["changes"]), _count(row.changes)) - len(session.changes),
    )


def _decoded(body: Any, kind: Any, otherwise: Any) -> Any:
    try:
        return decoder(kind).decode(body)
    except (msgspec.DecodeError, TypeError, UnicodeError):
        return otherwise


def _readable(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value).encode("utf-8", "replace").decode()


def _count(value: Any) -> int:
    """A stored number of rows; a damaged one may be anything."""
    return value if isinstance(value, int) and 0 <= value < 1 << 32 else 0
