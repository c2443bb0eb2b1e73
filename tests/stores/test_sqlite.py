"""SQLite sessions: the suite, and what is SQLite's own."""

import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from contextwright import Session
from contextwright.errors import StoreError
from contextwright.stores import SQLiteSessions
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
    from contextwright.stores import sqlite as module

    path = tmp_path / "sessions.db"
    reader, writer = SQLiteSessions(path), SQLiteSessions(path)
    session = Session("s")
    session.user("one")
    session.update({"n": 1})
    writer.save(session)
    load = module._Rows.load

    def slowly(rows, kind):
        values = load(rows, kind)
        if rows.table == "events" and len(session.log) < 3:
            session.user("written between the reader's statements")
            session.update({"n": len(session.log)})
            writer.save(session)
        return values

    monkeypatch.setattr(module._Rows, "load", slowly)
    loaded = reader.load("s")
    assert len(loaded.log) == 1
    assert [change.position for change in loaded.changes] == [1]
    assert reader.load("s").state["n"] == 2


def test_a_file_of_the_first_version_learns_the_ids_of_its_events(tmp_path):
    path = tmp_path / "sessions.db"
    SQLiteSessions(path).save(session_of("u: one | a: two", id="s"))
    raw = sqlite3.connect(path)
    raw.executescript("DROP TABLE event_ids; PRAGMA user_version = 1")
    raw.close()
    store = SQLiteSessions(path)
    again = list(store.load("s").log)
    assert store.append("s", again, expected=0) == 2
    with pytest.raises(StoreError, match="another event has the id 'e0'"):
        store.append("s", [session_of("u: other").log[0]], expected=2)
