"""Stored sessions as an erasable store: a policy takes notes, facts and working notes out of their
states; an erasure deletes whole sessions, or takes a data subject out of them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any, Literal, NamedTuple

import msgspec

from contextwright.errors import CorruptData
from contextwright.retention.data_subject import owner_of
from contextwright.retention.erasable_store import ErasureCount
from contextwright.retention.failpoint import failpoint
from contextwright.retention.session_scrub import is_owned, scrubbed_if_named
from contextwright.retention.subject_matcher import SubjectMatcher, unused
from contextwright.session.session import Session
from contextwright.session.state import FACTS_PREFIX, NOTES_PREFIX
from contextwright.stored_record import StoredRecord, StoreTraits
from contextwright.stores.artifact_retention import refs_in
from contextwright.stores.store import SessionStore
from contextwright.tasks.plan_step import WORKING
from contextwright.typed_decoding import decoder

OPEN_ITEM = "an open item of a checklist"
_encode = msgspec.json.Encoder(order="sorted").encode


class SessionNote(msgspec.Struct, frozen=True):
    """A note of a session's state.

    Args:
        form: whether the key's value is a list of notes, notes by section, or one note.
        positions: where it stands in a list of notes; one that stands there twice is one note.
    """

    session: str
    key: str
    form: Literal["list", "sections", "one"]
    positions: tuple[int, ...] = ()
    section: str = ""
    value: Any = None

    @property
    def id(self) -> str:
        """Session, key and digest of the content."""
        named = sha256(_encode((self.section, self.value))).hexdigest()[:12]
        return f"{self.session}/{self.key}/{named}"


_decode = decoder(SessionNote).decode


class SessionRecords:
    """The sessions of a store. A note that a policy takes leaves the newest state; the history
    keeps it, for replays."""

    traits = StoreTraits(
        name="sessions",
        unreached="sessions in the memory of running agents: `scrub_session(session, subject)` "
        "gives their copies; file formats that sessions were exported to",
    )

    def __init__(self, sessions: SessionStore, *, name: str = "") -> None:
        self._sessions = sessions
        self.traits = self.traits.renamed(name)
        self.path = str(getattr(sessions, "path", ""))

    def records(self) -> list[StoredRecord]:
        return [record for each in self._sessions_read() for record in each.records()]

    def export(self, ids: Collection[str]) -> list[StoredRecord]:
        wanted = set(ids)
        return [
            record
            for id in self._sessions.ids()
            if any(each.startswith(f"{id}/") for each in wanted)
            for record in self._read(id).records()
            if record.id in wanted and not record.container
        ]

    def remove(self, records: Sequence[StoredRecord]) -> None:
        """Take notes out; those of a session that is damaged by now stay in it."""
        for id, notes in _by_session(records).items():
            with suppress(CorruptData):
                self._sessions.rewrite(
                    id, lambda session, notes=notes: _without_notes(session, notes)
                )
            failpoint("session")

    def restore(self, records: Sequence[StoredRecord]) -> list[str]:
        """Put notes back where they were, as far as their lists still reach."""
        back: list[str] = []
        there = set(self._sessions.ids())
        for id, notes in _by_session(records).items():
            if id not in there:
                continue
            with suppress(CorruptData):
                self._sessions.rewrite(id, lambda session, notes=notes: _with_notes(session, notes))
                held = {note.id for note in _notes(id, self._sessions.load(id).state)}
                back += [note.id for note in notes if note.id in held]
            failpoint("session")
        return back

    def affected(self, matcher: SubjectMatcher) -> list[StoredRecord]:
        """The data subject's sessions and those that name the data subject, and all notes in
        them."""
        return [
            record
            for each in self._sessions_read()
            if each.is_owned(matcher) or each.is_named(matcher)
            for record in each.records()
        ]

    def by_owner(self, matcher: SubjectMatcher) -> tuple[list[str], list[str]]:
        """The ids of the sessions that are the data subject's own, and those of the others."""
        owned = {each.id: each.is_owned(matcher) for each in self._sessions_read()}
        return [id for id in owned if owned[id]], [id for id in owned if not owned[id]]

    def erase(self, matcher: SubjectMatcher) -> ErasureCount:
        """Delete the data subject's sessions, take the data subject out of the others."""
        removed = rewritten = 0
        damaged: list[str] = []
        for id in self._sessions.ids():
            taken, own = set(self._sessions.ids()) - {id}, list[str]()

            def change(
                session: Session, taken: set[str] = taken, own: list[str] = own
            ) -> Session | None:
                if is_owned(session, matcher):
                    own.append(session.id)
                    return None
                new = scrubbed_if_named(session, matcher)
                if new is not None:
                    new.id = unused(new.id, taken, "-")
                return new

            try:
                rewritten += self._sessions.rewrite(id, change)
            except CorruptData:
                (own if self._read(id).is_owned(matcher) else damaged).append(id)
            removed += sum(map(self._sessions.delete, own))
            failpoint("session")
        return ErasureCount(removed, rewritten, tuple(damaged))

    def _sessions_read(self) -> Iterator["_ReadSession"]:
        return map(self._read, self._sessions.ids())

    def _read(self, id: str) -> "_ReadSession":
        try:
            return _ReadSession(id, self._sessions.load(id))
        except CorruptData as error:
            damage = f"{error.what}: {error.where}"
        try:
            rest = self._sessions.salvage(id)
        except CorruptData:
            return _ReadSession(id, Session(id), damage)
        return _ReadSession(id, rest.session, damage, rest.text)

    def scrub(self) -> None:
        self._sessions.scrub()


class _ReadSession(NamedTuple):
    """A stored session; of a damaged one, what can still be read: its whole beginning, and all of
    it as text."""

    id: str
    session: Session
    damage: str = ""
    text: str = ""

    def is_owned(self, matcher: SubjectMatcher) -> bool:
        return self.id in matcher.sessions or is_owned(self.session, matcher)

    def is_named(self, matcher: SubjectMatcher) -> bool:
        if self.damage:
            return matcher.data(self.text.encode())
        return scrubbed_if_named(self.session, matcher) is not None

    def records(self) -> Iterator[StoredRecord]:
        if not self.damage:
            yield from _records(self.session)
            return
        yield StoredRecord(
            id=self.id,
            kind="session",
            container=True,
            refs=tuple(sorted(refs_in(self.text))),
            protected_by="damaged",
            damage=self.damage,
        )


def _records(session: Session) -> Iterator[StoredRecord]:
    owner = next(iter(owner_of(session.metadata)), "")
    whole = _encode((list(session.log), session.changes, session.metadata)).decode()
    refs = tuple(sorted(refs_in(whole)))
    yield StoredRecord(id=session.id, kind="session", scope=owner, container=True, refs=refs)
    times = _times(session)
    for note in _notes(session.id, session.state):
        entry: Mapping[str, Any] = note.value if isinstance(note.value, Mapping) else {}
        content: Any = entry.get("text", entry.get("item", note.value))
        text = content if isinstance(content, str) else _encode(content).decode()
        time_ms, tier = entry.get("time_ms"), entry.get("tier")
        yield StoredRecord(
            id=note.id,
            text=f"{note.section}: {text}" if note.section else text,
            kind=_kind(note.key),
            scope=owner,
            part_of=session.id,
            time_ms=time_ms if isinstance(time_ms, int) else times.get(note.id),
            tier=tier if isinstance(tier, int) and 1 <= tier <= 4 else 0,
            pinned=bool(entry.get("pinned")),
            protected_by=OPEN_ITEM if _is_open(entry, text) else "",
            size=len(_encode(note.value)),
            body=_encode(note),
        )


def _notes(session: str, values: Mapping[str, Any]) -> list[SessionNote]:
    """The different notes of a state."""
    notes: dict[str, SessionNote] = {}
    for key, value in values.items():
        if value is None or not (key.startswith((NOTES_PREFIX, FACTS_PREFIX)) or key == WORKING):
            continue
        for note in _of_value(session, key, value):
            known = notes.get(note.id)
            if known is not None:
                positions = (*known.positions, *note.positions)
                note = msgspec.structs.replace(note, positions=positions)
            notes[note.id] = note
    return list(notes.values())


def _of_value(session: str, key: str, value: Any) -> Iterator[SessionNote]:
    if isinstance(value, list):
        for at, entry in enumerate(value):
            yield SessionNote(session, key, "list", value=entry, positions=(at,))
    elif isinstance(value, Mapping) and key != WORKING:
        for section, entry in value.items():
            yield SessionNote(session, key, "sections", value=entry, section=section)
    else:
        yield SessionNote(session, key, "one", value=value)


def _times(session: Session) -> dict[str, int]:
    """The times at which notes first stood in the state: those of the events before."""
    times: dict[str, int] = {}
    clock: list[int | None] = [None]
    for event in session.log:
        clock.append(event.time_ms if event.time_ms is not None else clock[-1])
    before: dict[str, Any] = {}
    for change in session.changes:
        then = clock[min(change.position, len(clock) - 1)]
        if then is None:
            continue
        new = {key: _changed(value, before.get(key)) for key, value in change.values.items()}
        for note in _notes(session.id, new):
            times.setdefault(note.id, then)
        before |= change.values
    return times


def _changed(value: Any, before: Any) -> Any:
    """A value without the entries that stood in the same position before: of a list that grows by
    a note at a time, the hashes of all would be as many as the square of it."""
    if not isinstance(value, list) or not isinstance(before, list):
        return value
    return [entry for n, entry in enumerate(value) if n >= len(before) or before[n] != entry]


def _updated(session: Session, values: Mapping[str, Any]) -> Session | None:
    """The session with these in its newest state; None where there are none."""
    if not values:
        return None
    session.update(values)
    return session


def _without_notes(session: Session, notes: Sequence[SessionNote]) -> Session | None:
    """The session with a newest state that has none of these notes."""
    removed = {note.id for note in notes}
    values: dict[str, Any] = {}
    for key in {note.key for note in notes} & set(session.state):
        before = list(_of_value(session.id, key, session.state[key]))
        left = [note for note in before if note.id not in removed]
        if len(left) != len(before):
            values[key] = _value(session.state[key], left, key)
    return _updated(session, values)


def _value(before: Any, left: Sequence[SessionNote], key: str) -> Any:
    """A key's value of these notes; a list that is empty stays a list, for a reader that finds
    no notes would take the facts of that key."""
    if isinstance(before, Mapping):
        return {note.section: note.value for note in left}
    if isinstance(before, list) and (left or key != WORKING):
        return [note.value for note in left]
    return None


def _with_notes(session: Session, notes: Sequence[SessionNote]) -> Session | None:
    """The session with a newest state that has these notes again."""
    held = {note.id for note in _notes(session.id, session.state)}
    values: dict[str, Any] = {}
    # the first of a list first: what stood behind it has its position only then
    missing = [(at, n) for n in notes if n.id not in held for at in n.positions or (0,)]
    for position, note in sorted(missing, key=lambda each: each[0]):
        value = values.get(note.key, session.state.get(note.key))
        if note.form == "list" and (value is None or isinstance(value, list)):
            entries = list(value or [])
            entries.insert(position, note.value)
            values[note.key] = entries
        elif note.form == "sections" and (value is None or isinstance(value, Mapping)):
            values[note.key] = {note.section: note.value} | dict(value or {})
        elif note.form == "one" and value is None:
            values[note.key] = note.value
    return _updated(session, values)


def _by_session(records: Sequence[StoredRecord]) -> dict[str, list[SessionNote]]:
    by_session: dict[str, list[SessionNote]] = {}
    for note in (_decode(record.body) for record in records):
        by_session.setdefault(note.session, []).append(note)
    return by_session


def _kind(key: str) -> str:
    if key == WORKING:
        return "working"
    return "note" if key.startswith(NOTES_PREFIX) else "fact"


def _is_open(entry: Mapping[str, Any], text: str) -> bool:
    return entry.get("done") is False or text.lstrip("-* ").startswith("[ ]")
