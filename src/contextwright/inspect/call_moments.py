"""The model calls of a session: the moments at which its messages were asked for, and the session
as it grew to them."""

from collections.abc import Iterator

import msgspec

from contextwright.session.log import Log
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot


class CallMoment(msgspec.Struct, frozen=True):
    """A moment.

    Args:
        position: events that had happened. time_ms: when the newest of them did, if it says so.
        version: changes of the state that had been made.
    """

    position: int
    version: int
    time_ms: int | None

    def snapshot(self, session: Session) -> Snapshot:
        """The session as it stood then."""
        return session.snapshot_at(self.position, self.version)


def call_moments(session: Session) -> list[CallMoment]:
    """Before every message of the assistant's that follows a user's; and the next one, where the
    session ends with something to answer."""
    return list(_calls(session))


def _calls(session: Session) -> Iterator[CallMoment]:
    log, users = session.log, False
    changes = sorted(change.position for change in session.changes)
    version = 0
    for position in range(len(session) + 1):
        end = position == len(session)
        due = end or log[position].role == "assistant"
        if due and users and position and not (end and log[position - 1].role == "assistant"):
            while version < len(changes) and changes[version] <= position:
                version += 1
            yield CallMoment(position, version, log[position - 1].time_ms)
        users = users or (not end and log[position].role == "user")


class GrownSession:
    """A session as it stood at one call after the other. A look into the past looks at all that had
    happened by then; what a live session has worked out goes on, and so it does here."""

    def __init__(self, session: Session) -> None:
        self._session, self._source, self._log = session, session.log, Log()

    def at(self, call: CallMoment) -> Snapshot:
        """As it stood then. A moment before the one that was asked for last is a look into the
        past."""
        session, position = self._session, call.position
        then = call.snapshot(session)
        if session.log is not self._source:
            self._source, self._log = session.log, Log()
        if position < len(self._log):
            return then
        grown = self._log
        for event in session.log[len(grown) : position]:
            grown.append(event)
        return Snapshot(then.session_id, grown, position, then.state, then.tools, then.metadata)
