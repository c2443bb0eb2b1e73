"""Our session beside an ADK one: its events are the messages of a conversation."""

import math
import threading
from collections.abc import Mapping
from typing import Any

from google.adk.events import Event
from google.adk.sessions import Session as AdkSession

from contextwright.adapters.adk.visible_events import VisibleEvents, call_ids, live
from contextwright.engine.conversation import Conversation
from contextwright.session.session import Session
from contextwright.worker_threads import off_loop

PUBLISHED = ("temp:_summary_", "temp:_relevance_")
"""Where google-adk's agents look for what models prepared, before the agent's name
(context-algebra.md#prepared-state)."""
EVERYTHING = VisibleEvents()
MOST = 1_000
"""Sessions that are kept beside theirs; the one used longest ago goes first."""


class Mirror:
    """One ADK session, as some of its agents see it: a conversation whose messages are its events.
    Their ids never change, so those that are known are not compared; where a rewind took some back,
    what is left in common is kept.
    """

    def __init__(self, id: str, view: VisibleEvents) -> None:
        self._view = view
        self._conversation = Conversation(id, "adk")
        self._lock = threading.Lock()
        self._called: set[str] = set()
        self._taken = 0
        self._last = ""

    def sync(self, events: list[Event], state: Mapping[str, Any]) -> Session:
        """Our session, with new events and what is different in the state.

        Where the events are not a continuation (a rewind, a session that was written anew), it is
        another one, without what a rewind took back.
        """
        with self._lock:
            if self._continues(events):
                session = self._conversation.append(self._dumped(events[self._taken :]))
            else:
                self._called = set()
                session = self._conversation.update(self._dumped(live(events)))
            self._taken = len(events)
            self._last = events[-1].id if events else ""
            _take_state(session, state)
            return session

    def _dumped(self, events: list[Event]) -> list[dict[str, Any]]:
        """What the agents see of further events, as data."""
        dumped: list[dict[str, Any]] = []
        for event in events:
            self._called |= call_ids(event)
            if self._view.shows(event, self._called):
                dumped.append(event.model_dump(mode="json", by_alias=True, exclude_none=True))
        return dumped

    def _continues(self, events: list[Event]) -> bool:
        if self._taken == 0:
            return False
        if len(events) < self._taken or events[self._taken - 1].id != self._last:
            return False
        new = events[self._taken :]
        return not any(event.actions.rewind_before_invocation_id for event in new)


def _take_state(session: Session, state: Mapping[str, Any]) -> None:
    """Take over what is different in the state."""
    ours = session.state
    changed = {key: value for key, value in state.items() if ours.get(key) != value}
    removals = {key: None for key in ours if key not in state}
    if changed or removals:
        session.update({**changed, **removals})


class Mirrors:
    """The sessions of an application, by app, user, session and view."""

    def __init__(self) -> None:
        self._mirrors: dict[tuple[str, str, str, VisibleEvents], Mirror] = {}
        self._lock = threading.Lock()

    def session(
        self, adk_session: AdkSession, state: Mapping[str, Any], view: VisibleEvents = EVERYTHING
    ) -> Session:
        """Our session, brought up to date.

        Args:
            state: the state as the running agent sees it, pending changes included.
            view: from where the running agent looks.
        """
        key = (adk_session.app_name, adk_session.user_id, adk_session.id, view)
        with self._lock:
            mirror = self._mirrors.pop(key, None) or Mirror(adk_session.id, view)
            self._mirrors[key] = mirror
            while len(self._mirrors) > MOST:
                del self._mirrors[next(iter(self._mirrors))]
        return mirror.sync(adk_session.events, _plain(state))

    async def asession(
        self, adk_session: AdkSession, state: Mapping[str, Any], view: VisibleEvents = EVERYTHING
    ) -> Session:
        """`session`, letting the event loop run."""
        key = (adk_session.app_name, adk_session.user_id, adk_session.id, view)
        return await off_loop(self.session, adk_session, state, view, long=key not in self._mirrors)


def _plain(state: Mapping[str, Any]) -> dict[str, Any]:
    """What is JSON data, as JSON would give it back: an application may keep anything else in
    `temp:` for itself. What was published of our own answers is no news to us."""
    plain: dict[str, Any] = {}
    for key, value in state.items():
        if key and value is not None and not key.startswith(PUBLISHED):
            try:
                plain[key] = _data(value)
            except TypeError:
                continue
    return plain


def _data(value: Any) -> Any:
    """The value with lists for tuples.

    Raises:
        TypeError: it is no JSON data.
    """
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, list | tuple):
        items: Any = value
        return [_data(item) for item in items]
    if isinstance(value, Mapping):
        pairs: Any = value
        if all(isinstance(key, str) for key in pairs):
            return {key: _data(item) for key, item in pairs.items()}
    raise TypeError(type(value).__name__)
