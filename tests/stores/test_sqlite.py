"""SQLite sessions: the suite, and what is SQLite's own."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import contextmanager
from hashlib import sha256

import msgspec
import pytest

from contextwright import Session
from contextwright.errors import (
    CorruptData,
    NewerSchema,
    ReadOnlyStore,
    SessionError,
    StoreBusy,
    StoreError,
    StoreFull,
    WriteConflict,
)
from contextwright.session import Log
from contextwright.stores import SQLiteSessions
from contextwright.stores.session_rows import StoredSession
from contextwright.testing import SessionStoreSuite, session_of


@pytest.fixture
def path(tmp_path):
    return tmp_path / "sessions.db"


@pytest.fixture
def store(path):
    opened = SQLiteSessions(path)
    yield opened
    opened.close()


@pytest.fixture
def reopen(path):
    return lambda: SQLiteSessions(path)


class TestSQLite(SessionStoreSuite):
    """The suite that every backend passes."""

    @pytest.fixture
    def failing(self):
        @contextmanager
        def failing(store, k):
            connection = store._database._connection

            class Breaking:
                """The connection, whose k-th statement that writes fails."""

                def __init__(self):
                    self.count = 0

                def __getattr__(self, name):
                    return getattr(connection, name)

                def _run(self, run, statement, *values):
                    if not statement.lstrip().startswith(("SELECT", "BEGIN", "ROLLBACK")):
                        self.count += 1
                        if self.count == k + 1:
                            raise sqlite3.OperationalError("disk I/O error")
                    return run(statement, *values)

                def execute(self, statement, *values):
                    return self._run(connection.execute, statement, *values)

                def executemany(self, statement, *values):
                    return self._run(connection.executemany, statement, *values)

            store._database._connection = Breaking()
            try:
                yield
            finally:
                store._database._connection = connection

        return failing


def test_a_changed_row_is_found(store, path):
    store.save(session_of("u: hello there", id="s"))
    other = sqlite3.connect(path)
    other.execute("UPDATE events SET body = replace(body, 'hello', 'hullo')")
    other.commit()
    with pytest.raises(StoreError, match="changed"):
        store.load("s")


def test_a_removed_row_is_found(store, path):
    store.save(session_of("u: one | a: two | u: three", id="s"))
    other = sqlite3.connect(path)
    other.execute("DELETE FROM events WHERE seq = 1")
    other.commit()
    with pytest.raises(StoreError, match="missing"):
        store.load("s")


def test_a_newer_file_is_refused(path):
    SQLiteSessions(path).close()
    other = sqlite3.connect(path)
    other.execute("PRAGMA user_version = 99")
    other.close()
    with pytest.raises(StoreError, match="version 99"):
        SQLiteSessions(path)


def test_a_file_that_is_no_database_is_refused(path):
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(StoreError, match="SQLite says"):
        SQLiteSessions(path)


def test_deleted_words_are_gone_from_the_files(store, path, tmp_path):
    store.save(session_of("u: the secret is marzipan", id="s"))
    store.delete("s")
    held = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"marzipan" not in held


_CHILD = """
import sys
from contextwright.session import Event, Text
from contextwright.session import Log
from contextwright.stores import SQLiteSessions
store = SQLiteSessions(sys.argv[1])
n = 0
while True:
    store.append("s", [Event(id=f"e{n}", role="user", parts=(Text(text="x" * 500),))], expected=n)
    n += 1
    print(n, flush=True)
"""


def test_acknowledged_appends_survive_a_killed_process(path):
    for _ in range(5):
        child = subprocess.Popen(
            [sys.executable, "-c", _CHILD, str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        acknowledged = int(child.stdout.readline())
        time.sleep(0.05)
        os.kill(child.pid, signal.SIGKILL)
        rest = child.stdout.read().split()
        acknowledged = int(rest[-1]) if rest else acknowledged
        child.wait()
        store = SQLiteSessions(path)
        held = len(store.load("s"))
        assert acknowledged <= held <= acknowledged + 1
        store.delete("s")
        store.close()


def test_a_load_sees_one_state_of_the_file_whatever_others_write(tmp_path, monkeypatch):
    path = tmp_path / "sessions.db"
    reader, writer = SQLiteSessions(path), SQLiteSessions(path)
    session = Session("s")
    session.user("one")
    session.update({"n": 1})
    writer.save(session)
    values_of = StoredSession._values

    def slowly(stored, table, kind, **rest):
        values = values_of(stored, table, kind, **rest)
        if table == "events" and len(session.log) < 3:
            session.user("written between the reader's statements")
            session.update({"n": len(session.log)})
            writer.save(session)
        return values

    monkeypatch.setattr(StoredSession, "_values", slowly)
    loaded = reader.load("s")
    assert len(loaded.log) == 1
    assert [change.position for change in loaded.changes] == [1]
    assert reader.load("s").state["n"] == 2


def test_a_file_of_the_first_version_learns_the_ids_of_its_events(tmp_path):
    path = tmp_path / "sessions.db"
    SQLiteSessions(path).save(session_of("u: one | a: two", id="s"))
    raw = sqlite3.connect(path)
    raw.executescript("DROP TABLE seals; DROP TABLE event_ids; PRAGMA user_version = 1")
    raw.close()
    store = SQLiteSessions(path)
    again = list(store.load("s").log)
    assert store.append("s", again, expected=0) == 2
    with pytest.raises(StoreError, match="another event has the id 'e0'"):
        store.append("s", [session_of("u: other").log[0]], expected=2)


def whole_session():
    session = session_of("s: brief | u: hi | c: search(x) | r: one | a: ok", id="s")
    session.update({"k": 1})
    session.update({"k": 2})
    session.metadata["user_id"] = "ada"
    return session


@pytest.mark.parametrize(
    "change",
    ["DELETE FROM events WHERE seq = 4", "DELETE FROM changes WHERE seq = 1", "DELETE FROM changes",
     """UPDATE sessions SET metadata = '{"user_id":"bob"}'""", "UPDATE sessions SET tools = '[{}]'",
     "UPDATE seals SET events = 4", "UPDATE seals SET changes = 'x'",
     "UPDATE seals SET seal = X'00'", "DELETE FROM seals", "UPDATE seals SET about = X'00'",
     "UPDATE sessions SET metadata = 7", "UPDATE events SET hash = X'00' WHERE seq = 1",
     "UPDATE events SET body = 'x' WHERE seq = 1", "UPDATE events SET seq = 7 WHERE seq = 4",
     "UPDATE changes SET body = 'null'"],
)  # fmt: skip
def test_whatever_is_changed_in_the_file_is_found(store, path, change):
    store.save(whole_session())
    store.save(session_of("u: other", id="t"))
    other = sqlite3.connect(path)
    other.execute(change + (" AND session = 1" if "WHERE" in change else ""))
    other.commit()
    with pytest.raises(CorruptData) as caught:
        store.load("s")
    assert "session 's'" in caught.value.where and str(path) in caught.value.where
    if "WHERE" in change:
        assert len(store.load("t")) == 1
    rest = store.salvage("s")
    assert rest.damage and list(rest.session.log) == list(whole_session().log)[: len(rest.session)]


def test_events_with_a_forged_hash_of_their_own_break_the_chain(store, path):
    store.save(whole_session())
    other = sqlite3.connect(path)
    (body,) = other.execute("SELECT body FROM events WHERE seq = 1").fetchone()
    forged = body.replace(b'"hi"', b'"ho"')
    other.execute(
        "UPDATE events SET body = ?, hash = ? WHERE seq = 1", (forged, sha256(forged).digest())
    )
    other.commit()
    with pytest.raises(CorruptData, match="events were changed"):
        store.load("s")


@pytest.mark.parametrize("seed", range(30))
def test_a_flipped_bit_in_the_file_never_gives_a_wrong_session(path, seed):
    rng = random.Random(seed)
    store = SQLiteSessions(path)
    store.save(whole_session())
    wanted = store.load("s")
    store.close()
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)
    try:
        store = SQLiteSessions(path)
        loaded = store.load("s")
        assert loaded.snapshot().digest == wanted.snapshot().digest
        assert (loaded.tools, loaded.metadata) == (wanted.tools, wanted.metadata)
        assert loaded.changes == wanted.changes
        for id in store.ids():
            store.salvage(id)
    except StoreError:
        pass


def test_what_is_no_event_is_refused_before_it_is_stored(store):
    for wrong in ("x", msgspec.structs.replace(session_of("u: hi").log[0], role="root")):
        with pytest.raises(SessionError, match="not an event"):
            store.append("s", [wrong], expected=0)
    event = session_of("u: hi").log[0]
    with pytest.raises(SessionError, match="no JSON data"):
        store.append("s", [msgspec.structs.replace(event, metadata={"a": object()})], expected=0)
    odd = msgspec.structs.replace(event, metadata={"a": "half \ud83d", "b": float("nan")})
    assert store.append("s", [odd], expected=0) == 1
    assert store.append("s", [odd], expected=0) == 1
    assert store.load("s").log[0].metadata == {"a": "half \ufffd", "b": None}
    session = session_of("u: hi", id="t")
    session.metadata["a"] = object()
    with pytest.raises(StoreError, match="no JSON data"):
        store.save(session)
    assert store.ids() == ["s"]


def test_an_id_that_no_file_can_hold_is_named(store):
    with pytest.raises(StoreError, match="half a character"):
        store.append("half \ud83d", [], expected=0)
    with pytest.raises(StoreError, match="no text"):
        store.append(None, [], expected=0)
    with pytest.raises(StoreError, match="no session"):
        store.load("half \ud83d")
    assert store.length("half \ud83d") == 0


def test_data_within_itself_is_named(store):
    endless = []
    endless.append(endless)
    session = session_of("u: hi")
    with pytest.raises(SessionError, match="not JSON data"):
        session.update({"plan": endless})
    with pytest.raises(SessionError, match="not JSON data"):
        session.call("read", {"rows": endless}, id="c")
    session.metadata["owner"] = endless
    with pytest.raises(StoreError, match="no JSON data"):
        store.save(session)


def test_errors_have_classes(store, path, tmp_path):
    store.save(session_of("u: hi", id="s"))
    with pytest.raises(WriteConflict):
        store.append("s", [], expected=7)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store._database._connection.execute("PRAGMA busy_timeout = 10")
    with pytest.raises(StoreBusy, match="locked"):
        store.delete("s")
    other.execute("ROLLBACK")
    store._database._connection.execute("PRAGMA max_page_count = 10")
    with pytest.raises(StoreFull):
        store.save(session_of(f"u: {'x' * 200_000}", id="big"))
    assert store.ids() == ["s"]
    (tmp_path / "no.db").write_bytes(b"no database at all " * 200)
    with pytest.raises(CorruptData):
        SQLiteSessions(tmp_path / "no.db")
    other.execute("PRAGMA user_version = 99")
    with pytest.raises(NewerSchema):
        SQLiteSessions(path)


def test_a_file_that_can_not_be_written_is_read(store, path, monkeypatch):
    store.save(session_of("u: hi", id="s"))
    store.close()
    monkeypatch.setattr(os, "access", lambda *_: False)
    held = path.read_bytes()
    reader = SQLiteSessions(path)
    assert reader.ids() == ["s"] and reader.load("s").log[0].text == "hi"
    assert reader.length("s") == 1
    with pytest.raises(ReadOnlyStore):
        reader.append("s", [session_of("u: ho").log[0]], expected=1)
    assert path.read_bytes() == held and sorted(path.parent.iterdir()) == [path]


def test_files_are_made_for_their_owner_only(store, path):
    store.save(session_of("u: hi"))
    for file in path.parent.glob(f"{path.name}*"):
        assert file.stat().st_mode & 0o777 == 0o600, file


def test_a_log_that_lost_its_last_event_takes_no_other(store, path):
    store.save(session_of("u: one | a: two", id="s"))
    other = sqlite3.connect(path)
    other.execute("DELETE FROM events WHERE seq = 1")
    other.commit()
    with pytest.raises(CorruptData, match="1 stored events where 2 were written"):
        store.append("s", [session_of("u: three").log[0]], expected=1)
    with pytest.raises(CorruptData):
        store.length("s")


def test_saving_and_loading_look_at_what_is_new(store, monkeypatch):
    session, bodies, rows = session_of("u: one | a: two", id="s"), [], []
    store.save(session)
    mine = store.load("s")
    bodies_of, values_of = Log.bodies, StoredSession._values

    def counted(log, start, stop):
        bodies.extend(range(max(0, start), stop))
        return bodies_of(log, start, stop)

    def read(stored, table, *arguments, **rest):
        for value in values_of(stored, table, *arguments, **rest):
            rows.append(table)
            yield value

    monkeypatch.setattr(Log, "bodies", counted)
    monkeypatch.setattr(StoredSession, "_values", read)
    session.user("three")
    session.update({"k": 1})
    store.save(session)
    assert bodies == [1, 2]  # the last that is stored, and the new one
    store.load_new(mine)
    assert rows == ["events", "changes"]
    assert len(mine) == 3


def test_damage_in_what_is_new_leaves_the_session_as_it_was(store, path):
    session = session_of("u: one | a: two", id="s")
    store.save(session)
    mine = store.load("s")
    session.user("three")
    store.save(session)
    raw = sqlite3.connect(path)
    raw.execute("UPDATE events SET body = replace(body, 'three', 'fours') WHERE seq = 2")
    raw.commit()
    raw.close()
    with pytest.raises(CorruptData):
        store.load_new(mine)
    assert len(mine) == 2
