"""A `SessionStore` of the Claude Agent SDK's over a store of sessions: each line of a transcript is
an event, as it came. Tested with claude-agent-sdk 0.2.187."""

import json
import time
from collections.abc import Sequence
from typing import Any, cast

from claude_agent_sdk.types import (
    SessionKey,
    SessionListSubkeysKey,
    SessionStoreEntry,
    SessionStoreListEntry,
)

from contextwright.errors import SessionError, WriteConflict
from contextwright.formats import read_session
from contextwright.session.event import Event, Opaque
from contextwright.session.session import Session
from contextwright.stores.store import SessionStore
from contextwright.worker_threads import off_loop

_FORMAT = "claude-code"
_TRIES = 8
"""Appends that are tried again where another process was faster."""


class TranscriptStore:
    """What `ClaudeAgentOptions(session_store=...)` takes.

    Args:
        store: where the transcripts lie: `SQLiteSessions("agents.db")`, say. They are sessions of
            their own there, by the SDK's keys.

    Attributes:
        newest: the key of the main transcript that was written to last.
    """

    def __init__(self, store: SessionStore) -> None:
        self.store = store
        self.newest: SessionKey | None = None

    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        """Add lines to a transcript; one whose `uuid` is there already is not added again."""
        if entries:
            await off_loop(self._append, _id(key), entries)
        if "subpath" not in key:
            self.newest = key

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        """All lines of a transcript; None where there is none."""
        return await off_loop(self._lines, _id(key))

    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        """The main transcripts of a project, and when each was written to last."""
        return await off_loop(self._listed, project_key)

    async def list_subkeys(self, key: SessionListSubkeysKey) -> list[str]:
        """The transcripts of a session's subagents."""
        ids = await off_loop(self.store.ids)
        parts = [_parts(id) for id in ids]
        return [p[2] for p in parts if p[:2] == [key["project_key"], key["session_id"]] and p[2]]

    async def delete(self, key: SessionKey) -> None:
        """Remove a transcript; with a main one those of its subagents."""
        keys: list[Any] = [key]
        if "subpath" not in key:
            subpaths = await self.list_subkeys(cast(SessionListSubkeysKey, key))
            keys += [{**key, "subpath": subpath} for subpath in subpaths]
        for each in keys:
            await off_loop(self.store.delete, _id(each))

    def session(self, key: SessionKey | None = None) -> Session:
        """A transcript as a session, to compile, to read back from, to look at.

        Args:
            key: by default the one that was written to last.

        Raises:
            SessionError: there is none, or it is no transcript of Claude Code's.
        """
        key = key or self.newest
        lines = self._lines(_id(key)) if key is not None else None
        if lines is None:
            raise SessionError(
                "there is no such transcript",
                where="TranscriptStore.session(key)",
                fix='session_store_flush="eager" writes it while the agent runs',
            )
        return read_session({"loglines": lines}, format=_FORMAT)

    def _append(self, id: str, entries: Sequence[SessionStoreEntry]) -> None:
        for attempt in range(_TRIES):
            known = self._events(id)
            ids = {event.id for event in known}
            events: list[Event] = []
            for entry in entries:
                name = entry.get("uuid") or f"line_{len(known) + len(events)}"
                if name not in ids:
                    ids.add(name)
                    events.append(_event(name, entry))
            try:
                self.store.append(id, events, expected=len(known))
                return
            except WriteConflict:
                if attempt == _TRIES - 1:
                    raise

    def _events(self, id: str) -> Sequence[Event]:
        return list(self.store.load(id).log) if self.store.length(id) else []

    def _lines(self, id: str) -> list[SessionStoreEntry] | None:
        events = self._events(id)
        lines: list[Any] = [
            part.value for e in events for part in e.parts if isinstance(part, Opaque)
        ]
        return lines or None

    def _listed(self, project: str) -> list[SessionStoreListEntry]:
        parts = [_parts(id) for id in self.store.ids()]
        names = [p[1] for p in parts if p[0] == project and not p[2]]
        return [
            {
                "session_id": name,
                "mtime": self._events(_id({"project_key": project, "session_id": name}))[-1].time_ms
                or 0,
            }
            for name in names
        ]


def _event(id: str, entry: SessionStoreEntry) -> Event:
    """A line of a transcript."""
    part = Opaque(format=_FORMAT, kind=entry["type"], value=dict(entry))
    return Event(id=id, role="user", parts=(part,), time_ms=time.time_ns() // 1_000_000)


def _id(key: SessionKey) -> str:
    """A transcript's key as the id of a session."""
    return json.dumps([key["project_key"], key["session_id"], key.get("subpath", "")])


def _parts(id: str) -> list[str]:
    """The project, the session and the subpath; none of them where it is another's session."""
    try:
        parts = json.loads(id)
    except ValueError:
        parts = None
    return parts if isinstance(parts, list) and len(cast(list[Any], parts)) == 3 else ["", "", ""]
