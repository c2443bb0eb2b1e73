"""Stored sessions as a place: a policy takes notes, facts and working notes out of their states;
an erasure takes whole sessions, or a person out of them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal

import msgspec

from contextwright.retention.data_subject import owner_of
from contextwright.retention.failpoint import reached
from contextwright.retention.place import Record, Row, Touched
from contextwright.retention.scrub_session import is_theirs, without_if_named
from contextwright.retention.subject_matcher import Theirs
from contextwright.session.session import Session
from contextwright.session.state import FACTS_PREFIX, NOTES_PREFIX
from contextwright.stores.artifact_retention import refs_in
from contextwright.stores.store import SessionStore
from contextwright.tasks.plan_step import WORKING

OPEN = "an open item of a checklist"
_encode = msgspec.json.Encoder(order="sorted").encode


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """A note out of a state.

    Args:
        at: its places in a list of notes, or the section of notes with sections, or nothing
            where it is the key's whole value.
    """

    session: str
    key: str
    form: Literal["list", "sections", "one"]
    at: tuple[int, ...] = ()
    section: str = ""
    value: Any = None

    @property
    def id(self) -> str:
        """Session, key and digest of the content."""
        named = sha256(_encode((self.section, self.value))).hexdigest()[:12]
        return f"{self.session}/{self.key}/{named}"


_note = msgspec.json.Decoder(Note).decode


class Sessions:
    """The sessions of a store.

    A note that a policy takes leaves the newest state; the history keeps it, for replays.

    Args:
        sessions: the store.
        name: of the place.
    """

    beyond = (
        "sessions in the memory of running agents: `erased(session, person)` gives their copies; "
        "file formats that sessions were exported to"
    )

    def __init__(self, sessions: SessionStore, *, name: str = "sessions") -> None:
        self._sessions, self.name = sessions, name
        self.path = str(getattr(sessions, "path", ""))

    def rows(self) -> list[Row]:
        """A row a session, and a row a note."""
        return [row for id in self._sessions.ids() for row in _rows(self._sessions.load(id))]

    def take(self, ids: Collection[str]) -> list[Record]:
        """Notes, whole."""
        wanted = set(ids)
        return [
            Record(note.id, _encode(note))
            for id in self._sessions.ids()
            if any(each.startswith(f"{id}/") for each in wanted)
            for note in _notes(self._sessions.load(id))
            if note.id in wanted
        ]

    def remove(self, records: Sequence[Record]) -> None:
        """Take notes out of the newest states."""
        for id, notes in _by_session(records).items():
            self._sessions.rewrite(id, lambda session, notes=notes: _less(session, notes))
            reached("session")

    def put_back(self, records: Sequence[Record]) -> list[str]:
        """Put notes back where they were, as far as their lists still reach."""
        back: list[str] = []
        there = set(self._sessions.ids())
        for id, notes in _by_session(records).items():
            if id in there:
                self._sessions.rewrite(id, lambda session, notes=notes: _more(session, notes))
                held = {note.id for note in _notes(self._sessions.load(id))}
                back += [note.id for note in notes if note.id in held]
                reached("session")
        return back

    def touched(self, theirs: Theirs) -> list[Row]:
        """The person's sessions and those that name the person, and all notes in them."""
        found: list[Row] = []
        for id in self._sessions.ids():
            session = self._sessions.load(id)
            if is_theirs(session, theirs) or without_if_named(session, theirs):
                found += _rows(session)
        return found

    def own(self, theirs: Theirs) -> tuple[list[str], list[str]]:
        """The ids of the sessions that are the person's own, and those of the others."""
        own: list[str] = []
        others: list[str] = []
        for id in self._sessions.ids():
            (own if is_theirs(self._sessions.load(id), theirs) else others).append(id)
        return own, others

    def erase(self, theirs: Theirs) -> Touched:
        """Delete the person's sessions; take the person out of the others, history and all."""
        removed = rewritten = 0
        for id in self._sessions.ids():
            taken, own = set(self._sessions.ids()) - {id}, list[str]()

            def change(
                session: Session, taken: set[str] = taken, own: list[str] = own
            ) -> Session | None:
                if is_theirs(session, theirs):
                    own.append(session.id)
                    return None
                return _erased(session, theirs, taken)

            rewritten += self._sessions.rewrite(id, change)
            removed += sum(map(self._sessions.delete, own))
            reached("session")
        return Touched(removed, rewritten)

    def scrub(self) -> None:
        """Write the store's file anew, where it has one."""
        scrub: Any = getattr(self._sessions, "scrub", None)
        if scrub is not None:
            scrub()


def _rows(session: Session) -> Iterator[Row]:
    owner = next(iter(owner_of(session.metadata)), "")
    said = _encode((list(session.log), session.changes, session.metadata)).decode()
    yield Row(
        id=session.id, kind="session", scope=owner, whole=True, refs=tuple(sorted(refs_in(said)))
    )
    times = _times(session)
    for note in _notes(session):
        entry: Mapping[str, Any] = note.value if isinstance(note.value, Mapping) else {}
        text = _text(entry.get("text", entry.get("item", note.value)))
        used: Any = entry.get("time_ms")
        yield Row(
            id=note.id,
            text=f"{note.section}: {text}" if note.section else text,
            kind=_kind(note.key),
            scope=owner,
            part_of=session.id,
            time_ms=used if isinstance(used, int) else times.get(note.id),
            tier=_tier(entry.get("tier")),
            pinned=bool(entry.get("pinned")),
            stays=OPEN if _is_open(entry, text) else "",
            size=len(_encode(note.value)),
        )


def _notes(session: Session, values: Mapping[str, Any] | None = None) -> list[Note]:
    """The different notes of a state: one that stands there twice is one."""
    found: dict[str, Note] = {}
    for key, value in (session.state if values is None else values).items():
        if value is None or not (key.startswith((NOTES_PREFIX, FACTS_PREFIX)) or key == WORKING):
            continue
        for note in _of_value(session.id, key, value):
            known = found.get(note.id)
            if known is not None:
                note = msgspec.structs.replace(note, at=(*known.at, *note.at))
            found[note.id] = note
    return list(found.values())


def _of_value(session: str, key: str, value: Any) -> Iterator[Note]:
    if isinstance(value, list):
        for place, entry in enumerate(value):
            yield Note(session=session, key=key, form="list", at=(place,), value=entry)
    elif isinstance(value, Mapping) and key != WORKING:
        for section, entry in value.items():
            yield Note(session=session, key=key, form="sections", section=section, value=entry)
    else:
        yield Note(session=session, key=key, form="one", value=value)


def _times(session: Session) -> dict[str, int]:
    """When a note first stood in the state: the time of the event before."""
    found: dict[str, int] = {}
    clock: list[int | None] = [None]
    for event in session.log:
        clock.append(event.time_ms if event.time_ms is not None else clock[-1])
    before: dict[str, Any] = {}
    for change in session.changes:
        then = clock[min(change.position, len(clock) - 1)]
        if then is None:
            continue
        for note in _notes(session, _new(change.values, before)):
            found.setdefault(note.id, then)
        before |= change.values
    return found


def _new(values: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """What did not stand in the same place before: of a list that grows by a note at a time, the
    hashes of all would be as many as the square of it."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        known: Any = before.get(key)
        if isinstance(value, list) and isinstance(known, list):
            first: list[Any] = known
            same = [n < len(first) and first[n] == entry for n, entry in enumerate(value)]
            found[key] = [entry for entry, old in zip(value, same, strict=True) if not old]
        else:
            found[key] = value
    return found


def _less(session: Session, notes: Sequence[Note]) -> Session | None:
    """The session with a newest state that has none of these notes."""
    gone = {note.id for note in notes}
    values: dict[str, Any] = {}
    for key in {note.key for note in notes} & set(session.state):
        value = session.state[key]
        left = [note for note in _of_value(session.id, key, value) if note.id not in gone]
        if len(left) == len(list(_of_value(session.id, key, value))):
            continue
        values[key] = _value(value, left, key)
    if not values:
        return None
    session.update(values)
    return session


def _value(before: Any, left: Sequence[Note], key: str) -> Any:
    """A key's value of these notes; a list that is empty stays a list, for a reader that finds
    no notes would take the facts of that key."""
    if isinstance(before, Mapping):
        return {note.section: note.value for note in left}
    if isinstance(before, list) and (left or key != WORKING):
        return [note.value for note in left]
    return None


def _more(session: Session, notes: Sequence[Note]) -> Session | None:
    """The session with a newest state that has these notes again."""
    held = {note.id for note in _notes(session)}
    values: dict[str, Any] = {}
    # the first of a list first: what stood behind it has its place only then
    places = sorted(
        ((place, note) for note in notes for place in note.at or (0,)), key=lambda each: each[0]
    )
    for place, note in places:
        value = values.get(note.key, session.state.get(note.key))
        if note.id in held:
            continue
        if note.form == "list" and (value is None or isinstance(value, list)):
            entries = list(value or [])
            entries.insert(place, note.value)
            values[note.key] = entries
        elif note.form == "sections" and (value is None or isinstance(value, Mapping)):
            values[note.key] = {note.section: note.value} | dict(value or {})
        elif note.form == "one" and value is None:
            values[note.key] = note.value
    if not values:
        return None
    session.update(values)
    return session


def _erased(session: Session, theirs: Theirs, taken: Collection[str]) -> Session | None:
    new = without_if_named(session, theirs)
    if new is None:
        return None
    number, plain = 2, new.id
    while new.id in taken:
        new.id, number = f"{plain}-{number}", number + 1
    return new


def _by_session(records: Sequence[Record]) -> dict[str, list[Note]]:
    found: dict[str, list[Note]] = {}
    for note in (_note(record.body) for record in records):
        found.setdefault(note.session, []).append(note)
    return found


def _kind(key: str) -> str:
    if key == WORKING:
        return "working"
    return "note" if key.startswith(NOTES_PREFIX) else "fact"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _encode(value).decode()


def _tier(value: Any) -> int:
    return value if isinstance(value, int) and 1 <= value <= 4 else 0


def _is_open(entry: Mapping[str, Any], text: str) -> bool:
    return entry.get("done") is False or text.lstrip("-* ").startswith("[ ]")
