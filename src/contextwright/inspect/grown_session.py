"""A session that grows from call to call, as it once did."""

from contextwright.inspect.call_moments import CallMoment
from contextwright.session.log import Log
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot


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
