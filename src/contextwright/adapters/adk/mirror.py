"""Our session beside an ADK one: its events are the messages of a conversation."""

import threading
from collections.abc import Mapping
from typing import Any, TypeVar

from google.adk.events import Event
from google.adk.sessions import Session as AdkSession

from contextwright.adapters.adk.contents_mirror import ContentsMirror
from contextwright.adapters.adk.rearrangement import Rearrangement
from contextwright.adapters.adk.session_state import plain_state, take_state
from contextwright.adapters.adk.visible_events import VisibleEvents, call_ids, live
from contextwright.engine.conversation import Conversation
from contextwright.session.session import Session
from contextwright.worker_threads import off_loop

K = TypeVar("K")
M = TypeVar("M")
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
        self._rearrangement = Rearrangement()
        self._taken = 0
        self._last = ""

    @property
    def is_rearranged(self) -> bool:
        """Whether ADK tells some of the events in another way than they stand in."""
        return self._rearrangement.is_due

    def sync(self, events: list[Event], state: Mapping[str, Any]) -> Session:
        """Our session, with new events and what is different in the state.

        Where the events are not a continuation (a rewind, a session that was written anew), it is
        another one, without what a rewind took back.
        """
        with self._lock:
            if self._continues(events):
                session = self._conversation.append(self._dumped(events[self._taken :]))
            else:
                self._called, self._rearrangement = set(), Rearrangement()
                session = self._conversation.update(self._dumped(live(events)))
            self._taken = len(events)
            self._last = events[-1].id if events else ""
            take_state(session, state)
            return session

    def _dumped(self, events: list[Event]) -> list[dict[str, Any]]:
        """What the agents see of further events, as data."""
        dumped: list[dict[str, Any]] = []
        for event in events:
            self._called |= call_ids(event)
            if self._view.shows(event, self._called):
                self._rearrangement.add(event)
                dumped.append(event.model_dump(mode="json", by_alias=True, exclude_none=True))
        return dumped

    def _continues(self, events: list[Event]) -> bool:
        if self._taken == 0:
            return False
        if len(events) < self._taken or events[self._taken - 1].id != self._last:
            return False
        new = events[self._taken :]
        return not any(event.actions.rewind_before_invocation_id for event in new)


class Mirrors:
    """The sessions of an application, by app, user, session and view; and where an agent's requests
    hold what its events do not say, by its name too."""

    def __init__(self) -> None:
        self._mirrors: dict[tuple[str, str, str, VisibleEvents], Mirror] = {}
        self._contents: dict[tuple[str, str, str, VisibleEvents, str], ContentsMirror] = {}
        self._lock = threading.Lock()

    def session(
        self, adk_session: AdkSession, state: Mapping[str, Any], view: VisibleEvents = EVERYTHING
    ) -> Session:
        """Our session, brought up to date.

        Args:
            state: the state as the running agent sees it, pending changes included.
            view: from where the running agent looks.
        """
        key = _key(adk_session, view)
        with self._lock:
            mirror = self._mirrors.pop(key, None) or Mirror(adk_session.id, view)
            _put_last(self._mirrors, key, mirror)
        return mirror.sync(adk_session.events, plain_state(state))

    async def asession(
        self, adk_session: AdkSession, state: Mapping[str, Any], view: VisibleEvents = EVERYTHING
    ) -> Session:
        """`session`, letting the event loop run."""
        is_new = _key(adk_session, view) not in self._mirrors
        return await off_loop(self.session, adk_session, state, view, long=is_new)

    def is_rearranged(self, adk_session: AdkSession, view: VisibleEvents) -> bool:
        """Whether ADK tells events of a session in another way than they stand in."""
        mirror = self._mirrors.get(_key(adk_session, view))
        return mirror is not None and mirror.is_rearranged

    def contents(
        self, adk_session: AdkSession, view: VisibleEvents, agent: str
    ) -> ContentsMirror | None:
        """The contents that an agent's requests were made of, if any were."""
        return self._contents.get((*_key(adk_session, view), agent))

    def add_contents(
        self, adk_session: AdkSession, view: VisibleEvents, agent: str
    ) -> ContentsMirror:
        """The same, from now on."""
        key = (*_key(adk_session, view), agent)
        with self._lock:
            mirror = self._contents.pop(key, None) or ContentsMirror(adk_session.id)
            _put_last(self._contents, key, mirror)
            return mirror


def _key(adk_session: AdkSession, view: VisibleEvents) -> tuple[str, str, str, VisibleEvents]:
    return adk_session.app_name, adk_session.user_id, adk_session.id, view


def _put_last(mirrors: dict[K, M], key: K, mirror: M) -> None:
    """Keep one as the one used last; of too many, those used longest ago go."""
    mirrors[key] = mirror
    while len(mirrors) > MOST:
        del mirrors[next(iter(mirrors))]
