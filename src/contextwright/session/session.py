"""A session: the log, the state with its history, the tools. The one place that grows."""

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from contextwright.errors import SessionError
from contextwright.session.content import parts_of
from contextwright.session.event import (
    ROLES,
    AnyPart,
    Event,
    Role,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from contextwright.session.exchange import Exchange
from contextwright.session.log import Log
from contextwright.session.snapshot import Snapshot
from contextwright.session.state import NOTES_PREFIX, RESOLVED_PREFIX, State

MessagePart = AnyPart | str | Mapping[str, Any] | list[Any]
"""What a message is made of: text, our parts, an SDK's content blocks or message."""


class StateChange(msgspec.Struct, frozen=True):
    """Keys set when the log had `position` events; None removes a key."""

    position: int
    values: dict[str, Any]


class Session:
    """What an agent has been through.

    Args:
        id: the session's id.
        events: what happened before.
        state: what is remembered before; its keys become the first state change.
        tools: what the agent may call.
        metadata: the application's own data.
    """

    def __init__(
        self,
        id: str = "session",
        events: Iterable[Event] = (),
        *,
        state: Mapping[str, Any] | None = None,
        tools: Iterable[Tool] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self.id = id
        self.log = Log(events)
        self.state = State()
        self.tools = tuple(tools)
        for place, tool in enumerate(self.tools):
            if not isinstance(tool, Tool):
                raise SessionError(
                    f"expected a Tool, got {type(tool).__name__}",
                    where=f"Session(tools=...), tools[{place}]",
                    fix="Tool(name=..., parameters=...); schemas of an SDK are read by "
                    "compile(..., tools=[...]), or with their session: "
                    'session_from({"messages": [...], "tools": [...]})',
                )
        self.metadata: dict[str, Any] = dict(metadata or {})
        self.changes: list[StateChange] = []
        self._lock = threading.Lock()
        if state:
            self.update(state)

    def __len__(self) -> int:
        return len(self.log)

    def __repr__(self) -> str:
        return f"<Session {self.id!r}: {len(self.log)} events, {len(self.state)} state keys>"

    def append(self, event: Event) -> Event:
        """Append an event.

        Raises:
            SessionError: its id is taken.
        """
        return self.log[self.log.append(event)]

    def extend(self, events: Iterable[Event]) -> None:
        """Append several events."""
        self.log.extend(events)

    def add(self, role: Role, *parts: MessagePart, **fields: Any) -> Event:
        """Append a message of these parts; a string is a text part, and an SDK's content block or
        message what it says. The id is the position.

        Raises:
            SessionError: its id is taken; a tool call that is not the assistant's, or a result
                that is not a tool's.
        """
        with self._lock:  # no other thread takes the position meanwhile
            fields.setdefault("id", f"e{len(self.log)}")
            where = f"event {fields['id']}"
            _check_fields(role, fields, where)
            event = Event(role=role, parts=tuple(parts_of(parts, role, where)), **fields)
            _check_roles(event)
            return self.append(event)

    def user(self, *parts: MessagePart, **fields: Any) -> Event:
        """The user says something; a new turn begins."""
        return self.add("user", *parts, **fields)

    def assistant(self, *parts: MessagePart, **fields: Any) -> Event:
        """The assistant says something or calls tools."""
        return self.add("assistant", *parts, **fields)

    def call(
        self, name: str, arguments: str | Mapping[str, Any] = "{}", *, id: str, **fields: Any
    ) -> Event:
        """The assistant calls one tool. `arguments` is JSON text, or the object itself."""
        if not isinstance(arguments, str):
            arguments = _json_text(arguments, f"call {id!r}")
        return self.assistant(ToolCall(id=id, name=name, arguments=arguments), **fields)

    def result(self, call_id: str, text: str, *, error: bool = False, **fields: Any) -> Event:
        """A tool answers a call.

        Raises:
            SessionError: no call of this id was made, or the answer is no text.
        """
        if not self.log.has_call(call_id):
            raise SessionError(
                f"no call has the id {call_id!r}",
                where=f"session {self.id!r}, event e{len(self.log)}",
                fix="session.call(name, arguments, id=...) first, with the same id",
            )
        text = text if isinstance(text, str) else _json_text(text, f"result of {call_id!r}")
        result = ToolResult(
            call_id=call_id,
            name=fields.pop("name", ""),
            content=(Text(text=text),),
            status="error" if error else "ok",
        )
        return self.add("tool", result, **fields)

    def update(self, values: Mapping[str, Any]) -> None:
        """Set state keys; None removes one. The change is kept with its place in the log."""
        with self._lock:
            self._set(values)

    def revise(self, change: Callable[[State], Mapping[str, Any]]) -> None:
        """Set the keys that `change` makes of the state as it is: nobody sets others in between.

        Args:
            change: must not touch the session; nothing is set where it gives nothing.
        """
        with self._lock:
            values = change(self.state)
            if values:
                self._set(values)

    def _set(self, values: Mapping[str, Any]) -> None:
        plain = _plain(values)
        self.state = self.state.with_values(plain)
        self.changes.append(StateChange(len(self.log), plain))

    def restore(self, change: StateChange) -> None:
        """Take a state change that was stored, with its place in the log."""
        with self._lock:
            self.state = self.state.with_values(change.values)
            self.changes.append(change)

    def note(self, key: str, notes: Any) -> None:
        """Set the notes that `C.notes(key)` reads."""
        self.update({NOTES_PREFIX + key: notes})

    def resolve(self, *ids: str, why: str = "resolved") -> tuple[str, ...]:
        """Say that failed executions are settled, though no later call shows it: they are history
        from now on. The log stays; the word is kept in the state, with its place.

        Args:
            ids: of their events or of their calls; without any, all that are open.
            why: how it was settled, for `C.failures()`.

        Returns:
            The ids of the first event of each execution.

        Raises:
            SessionError: an id of nothing that failed.
        """
        snapshot = self.snapshot()
        settled = [self._failed(id, snapshot) for id in ids]
        if not ids:
            settled = [snapshot.exchanges(n, n + 1)[0] for n in sorted(snapshot.open_failures)]
        firsts = tuple(dict.fromkeys(exchange.first.id for exchange in settled))
        if firsts:
            self.update({RESOLVED_PREFIX + first: why or "resolved" for first in firsts})
        return firsts

    def _failed(self, id: str, snapshot: Snapshot) -> Exchange:
        position = self.log.position_of(id)
        index = self.log.owner_of(id) if position is None else self.log.exchange_index(position)
        matches = snapshot.exchanges(index, index + 1) if index is not None else []
        if matches and matches[0].failed:
            return matches[0]
        open_ids = [snapshot.exchanges(n, n + 1)[0].first.id for n in snapshot.open_failures]
        what = "an execution that did not fail" if matches else "no event or call of this session"
        raise SessionError(
            f"expected the id of a failed execution, got {id!r}: {what}",
            where=f"session {self.id!r}, resolve()",
            fix=f"open failures are {', '.join(map(repr, sorted(open_ids))) or 'none'}",
        )

    def snapshot(self) -> Snapshot:
        """The session as it stands now. O(1)."""
        with self._lock:
            return Snapshot(self.id, self.log, len(self.log), self.state, self.tools, self.metadata)

    def snapshot_at(self, position: int, state_version: int) -> Snapshot:
        """The session as it stood then; what a manifest names.

        Raises:
            SessionError: it has not come so far.
        """
        if position > len(self.log) or state_version > len(self.changes):
            raise SessionError(
                f"session {self.id!r} has {len(self.log)} events and {len(self.changes)} state "
                f"changes; event {position} and change {state_version} were asked for",
                where=f"session {self.id!r}",
                fix="use the session file that the pack was compiled from, or a later one",
            )
        state = State()
        for change in self.changes[:state_version]:
            state = state.with_values(change.values)
        return Snapshot(self.id, self.log, position, state, self.tools, self.metadata)


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """A deep copy as JSON data: what the caller keeps in hand must not reach into the state."""
    try:
        return msgspec.json.decode(msgspec.json.encode(dict(values)))
    except (TypeError, ValueError, RecursionError) as error:
        raise SessionError(
            f"a state value is not JSON data: {error}",
            where=", ".join(map(repr, values)),
            fix="give strings, numbers, booleans, lists and dicts",
        ) from error


def _check_fields(role: Any, fields: Mapping[str, Any], where: str) -> None:
    """Refuse a role or a field that no event has, before Python does it in its own words."""
    if role not in ROLES:
        raise SessionError(
            f"expected a role, got {role!r}", where=where, fix=f"one of {', '.join(ROLES)}"
        )
    unknown = [name for name in fields if name not in Event.__struct_fields__]
    if unknown:
        raise SessionError(
            f"an event has no field {unknown[0]!r}",
            where=where,
            fix=f"one of {', '.join(Event.__struct_fields__)}; what is your own goes into "
            "metadata={...}",
        )


def _json_text(value: Any, where: str) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError) as error:
        raise SessionError(
            f"not JSON data: {error}", where=where, fix="give text, or a dict of plain values"
        ) from error


def _check_roles(event: Event) -> None:
    for role, parts, name in (
        ("assistant", event.calls, "call"),
        ("tool", event.results, "result"),
    ):
        if parts and event.role != role:
            raise SessionError(
                f"a tool {name} in a message of role {event.role!r}",
                where=f"event {event.id!r}",
                fix=f"put it into a message of its own with role {role!r}",
            )
