"""A session: the log, the state with its history, the tools. The one place that grows."""

import threading
from collections.abc import Callable, Iterable, Mapping
from copy import copy, deepcopy
from typing import Any

import msgspec

from contextwright.argument_types import expect_lists, expect_types
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
from contextwright.session.event_json import readable
from contextwright.session.exchange import Exchange
from contextwright.session.lineage import (
    FORK,
    LINEAGES,
    OWN_KEYS,
    ForkOrigin,
    fork_origin,
    lineage_record,
    position_before,
    position_of_turn,
    root_id,
    saved_lineages,
    whole_cut,
)
from contextwright.session.log import Log
from contextwright.session.snapshot import Snapshot
from contextwright.session.state import NOTES_PREFIX, RESOLVED_PREFIX, State, StateChange

MessagePart = AnyPart | str | Mapping[str, Any] | list[Any]
"""What a message is made of: text, our parts, an SDK's content blocks or message."""


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
        expect_types("Session(id)", SessionError, id=(id, str))
        expect_types("Session(metadata=...)", SessionError, metadata=(metadata or {}, Mapping))
        expect_lists("Session(...)", SessionError, events=events, tools=tools)
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
        self._newest: Snapshot | None = None
        if state:
            self.update(state)

    def __len__(self) -> int:
        return len(self.log)

    def __repr__(self) -> str:
        return f"<Session {self.id!r}: {len(self.log)} events, {len(self.state)} state keys>"

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:  # the log and the state of one moment
            own = {k: v for k, v in vars(self).items() if k not in ("_lock", "_newest")}
            lists = {"log": copy(self.log), "changes": list(self.changes)}
            return {**own, **lists, "metadata": dict(self.metadata)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.Lock(), _newest=None)

    def append(self, event: Event) -> Event:
        """Append an event.

        Raises:
            SessionError: its id is taken.
        """
        return self.log[self.log.append(event)]

    def extend(self, events: Iterable[Event]) -> None:
        """Append several events."""
        if not isinstance(events, list | tuple):
            expect_types("session.extend(events)", SessionError, events=(events, Iterable))
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
            event, body = readable(event)
            return self.log[self.log.append(event, body=body)]

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
        expect_types("session.update(values)", SessionError, values=(values, Mapping))
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

    def revise_metadata(self, key: str, change: Callable[[Any], Any]) -> None:
        """Set a key of the metadata to what `change` makes of its value, None where there is none:
        nobody sets it in between. It must not touch the session."""
        with self._lock:
            self.metadata[key] = change(self.metadata.get(key))

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
        expect_types("session.note(key, notes)", SessionError, key=(key, str))
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
            settled = snapshot.exchanges_at(sorted(snapshot.open_failures))
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
        open_ids = [one.first.id for one in snapshot.exchanges_at(snapshot.open_failures)]
        what = "an execution that did not fail" if matches else "no event or call of this session"
        raise SessionError(
            f"expected the id of a failed execution, got {id!r}: {what}",
            where=f"session {self.id!r}, resolve()",
            fix=f"open failures are {', '.join(map(repr, sorted(open_ids))) or 'none'}",
        )

    def snapshot(self) -> Snapshot:
        """The session as it stands now, one value for as long as it does. O(1)."""
        with self._lock:
            newest, position = self._newest, len(self.log)
            if (
                newest is None
                or newest.position != position
                or newest.log is not self.log
                or newest.state is not self.state
                or newest.tools is not self.tools
                or newest.metadata is not self.metadata
                or newest.session_id != self.id
            ):
                newest = self._newest = Snapshot(
                    self.id, self.log, position, self.state, self.tools, self.metadata
                )
            return newest

    def snapshot_at(self, position: int, state_version: int) -> Snapshot:
        """The session as it stood then; what a manifest names.

        Raises:
            SessionError: it has not come so far.
        """
        expect_types(
            "session.snapshot_at(position, state_version)",
            SessionError,
            position=(position, int),
            state_version=(state_version, int),
        )
        if position > len(self.log) or state_version > len(self.changes):
            raise SessionError(
                f"session {self.id!r} has {len(self.log)} events and {len(self.changes)} state "
                f"changes; event {position} and change {state_version} were asked for",
                where=f"session {self.id!r}",
                fix="use the session file that the pack was compiled from, or a later one",
            )
        state = _state_after(self.changes[:state_version])
        return Snapshot(self.id, self.log, position, state, self.tools, self.metadata)

    def fork(self, at: str | int | None = None, *, turn: int | None = None, id: str) -> "Session":
        """Another session that begins as this one did, with the events in front of a cut and the
        state of that moment. Neither sees what is appended to the other; their requests begin with
        the same bytes.

        Args:
            at: the first event that is left out, by its id or its position; None takes all. In
                the middle of calls and their results the cut moves in front of the calls.
            turn: the first turn that is left out, counted from 0, or from the newest as -1.
            id: of the fork, by which stores tell it from this one.

        Raises:
            SessionError: no such event or turn; the id is none, or this session's own.
        """
        where = f"session {self.id!r}, fork()"
        if not isinstance(id, str) or id in {"", self.id}:
            raise SessionError(
                f"expected an id of its own for the fork, got {id!r}",
                where=where,
                fix=f'session.fork(at, id="{self.id}-2")',
            )
        with self._lock:
            position, version = self._cut(at, turn, where)
            root = root_id(self.metadata, self.id)
            origin = ForkOrigin(
                session=self.id, root=root, position=position, state_version=version
            )
            fork = Session(id, tools=self.tools, metadata=deepcopy(dict(self.metadata)))
            for key in OWN_KEYS:
                fork.metadata.pop(key, None)
            fork.metadata[FORK] = msgspec.to_builtins(origin)
            fork.log = self.log.before(position)
            fork.changes = self.changes[:version]
            fork.state = _state_after(fork.changes)
            return fork

    def rewind(self, to: str | int | None = None, *, turn: int | None = None) -> int:
        """Go back to in front of a cut, with the state of that moment, and go on from there. What
        lies behind it stays in `lineages`; snapshots and packs that were taken keep what they saw.

        Args:
            to: the first event that is left, by its id or its position. In the middle of calls
                and their results the cut moves in front of the calls.
            turn: the first turn that is left, counted from 0, or from the newest as -1.

        Returns:
            How many events the session has now.

        Raises:
            SessionError: no such event or turn, or neither was named.
        """
        where = f"session {self.id!r}, rewind()"
        if to is None and turn is None:
            raise SessionError(
                "no place to go back to", where=where, fix="rewind(ID or POSITION), rewind(turn=-1)"
            )
        with self._lock:
            position, version = self._cut(to, turn, where)
            if (position, version) == (len(self.log), len(self.changes)):
                return position
            left = lineage_record(self.log, self.changes, position, version)
            self.metadata[LINEAGES] = [*self.metadata.get(LINEAGES, ()), left]
            self.log = self.log.before(position)
            self.changes = self.changes[:version]
            self.state = _state_after(self.changes)
            return position

    @property
    def lineages(self) -> tuple["Session", ...]:
        """What rewinds left behind, oldest first: each a session of its own, to look at, compile
        or fork. What is appended to one is not kept here."""
        lineages: list[Session] = []
        after = self
        metadata = {key: value for key, value in dict(self.metadata).items() if key != LINEAGES}
        for saved in reversed(saved_lineages(self.metadata)):
            lineage = Session(self.id, tools=self.tools, metadata=metadata)
            lineage.log = after.log.before(saved.position)
            lineage.log.extend(saved.events, decoded=True)
            for change in (*after.changes[: saved.state_version], *saved.changes):
                lineage.restore(change)
            lineages.append(lineage)
            after = lineage
        return tuple(reversed(lineages))

    @property
    def forked_from(self) -> ForkOrigin | None:
        """Where it was forked from; None for a session that was not."""
        return fork_origin(self.metadata)

    def _cut(self, at: str | int | None, turn: int | None, where: str) -> tuple[int, int]:
        """The events and state changes in front of a cut."""
        if at is not None and turn is not None:
            raise SessionError("two places to cut at", where=where, fix="name an event or a turn")
        position = len(self.log)
        if turn is not None:
            position = position_of_turn(self.log, turn, where)
        elif at is not None:
            position = position_before(self.log, at, where)
        position = whole_cut(self.log, position)
        return position, sum(change.position <= position for change in self.changes)


def _state_after(changes: Iterable[StateChange]) -> State:
    """The state that changes lead to, one after the other."""
    state = State()
    for change in changes:
        state = state.with_values(change.values)
    return state


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
