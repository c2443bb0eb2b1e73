"""Our session beside an ADK one: takes over only what is new."""

import threading
from collections.abc import Mapping
from typing import Any

from google.adk.events import Event
from google.adk.sessions import Session as AdkSession

from contextwright.session.formats.adk import Feed
from contextwright.session.session import Session

PUBLISHED = ("temp:_summary_", "temp:_relevance_")
"""Where document 000 §9.4 looks for what models prepared, before the agent's name."""
MOST = 1_000
"""Sessions that are kept beside theirs; the one used longest ago goes first."""


class Mirror:
    """One ADK session, as seen from one branch of its agents.

    Attributes:
        session: ours.
    """

    def __init__(self, id: str, branch: str | None) -> None:
        self._id, self._branch = id, branch
        self._lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        self.session = Session(self._id)
        self._feed = Feed()
        self._taken = 0
        self._last = ""

    def sync(self, events: list[Event], state: Mapping[str, Any]) -> Session:
        """Take over new events and what is different in the state.

        Where the events are not a continuation (a rewind, a session that was written anew), it
        begins afresh.
        """
        with self._lock:
            if not self._continues(events):
                self._begin()
            for event in events[self._taken :]:
                if seen_from(self._branch, event):
                    dumped = event.model_dump(mode="json", by_alias=True, exclude_none=True)
                    self._feed.add(dumped, self.session)
            self._taken = len(events)
            self._last = events[-1].id if events else ""
            self._take_state(state)
            return self.session

    def _continues(self, events: list[Event]) -> bool:
        if self._taken == 0:
            return True
        if len(events) < self._taken or events[self._taken - 1].id != self._last:
            return False
        new = events[self._taken :]
        return not any(event.actions.rewind_before_invocation_id for event in new)

    def _take_state(self, state: Mapping[str, Any]) -> None:
        ours = self.session.state
        changed = {key: value for key, value in state.items() if ours.get(key) != value}
        gone = {key: None for key in ours if key not in state}
        if changed or gone:
            self.session.update({**changed, **gone})


def seen_from(branch: str | None, event: Event) -> bool:
    """ADK's rule: an agent of a branch sees the events of that branch and of those above."""
    if not branch or not event.branch:
        return True
    return branch == event.branch or branch.startswith(f"{event.branch}.")


class Mirrors:
    """The sessions of an application, by app, user, session and branch."""

    def __init__(self) -> None:
        self._mirrors: dict[tuple[str, str, str, str], Mirror] = {}
        self._lock = threading.Lock()

    def session(
        self, theirs: AdkSession, state: Mapping[str, Any], branch: str | None = None
    ) -> Session:
        """Our session, brought up to date.

        Args:
            state: the state as the running agent sees it, pending changes included.
            branch: the running agent's branch.
        """
        key = (theirs.app_name, theirs.user_id, theirs.id, branch or "")
        with self._lock:
            mirror = self._mirrors.pop(key, None) or Mirror(theirs.id, branch)
            self._mirrors[key] = mirror
            while len(self._mirrors) > MOST:
                del self._mirrors[next(iter(self._mirrors))]
        return mirror.sync(theirs.events, _plain(state))


def _plain(state: Mapping[str, Any]) -> dict[str, Any]:
    """What is JSON data: an application may keep anything else in `temp:` for itself. What was
    published of our own answers is no news to us."""
    return {
        key: value
        for key, value in state.items()
        if key and not key.startswith(PUBLISHED) and _is_data(value)
    }


def _is_data(value: Any) -> bool:
    if value is None:
        return False
    if isinstance(value, str | int | float | bool):
        return True
    if isinstance(value, list | tuple):
        items: Any = value
        return all(item is None or _is_data(item) for item in items)
    if isinstance(value, Mapping):
        pairs: Any = value.items()
        return all(isinstance(key, str) and (v is None or _is_data(v)) for key, v in pairs)
    return False
