"""`backup`: whole copies of stores in use; what a database refers to is in the artifacts beside it."""

import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import pytest
from tests.cli.test_cli import run

from contextwright.errors import StoreError
from contextwright.session import Event, Text
from contextwright.stores import FileArtifacts, SQLiteSessions, refs_of
from contextwright.stores.backup import backup
from contextwright.stores.verify import verify
from contextwright.testing import session_of


def test_a_backup_beside_a_writer_is_one_state_and_has_what_it_refers_to(tmp_path):
    path, folder = tmp_path / "sessions.db", tmp_path / "artifacts"
    artifacts, stop, count = FileArtifacts(folder), threading.Event(), [0]
    SQLiteSessions(path).close()

    def write():
        store = SQLiteSessions(path)
        while not stop.is_set():
            n = count[0]
            ref = artifacts.put(f"artifact {n}".encode(), name=f"reports/{n}.md")
            event = Event(id=f"e{n}", role="user", parts=(Text(text=f"see {ref} " + "x" * 3000),))
            count[0] = store.append("s", [event], expected=n)
        store.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(5):
            before = count[0]
            made = backup([folder, path], tmp_path / "backup")
            assert made[0].backup.endswith("sessions.db"), "databases come first"
            copy = SQLiteSessions(tmp_path / "backup" / "sessions.db")
            held = FileArtifacts(tmp_path / "backup" / "artifacts")
            if before:
                assert before <= len(copy.load("s"))
                assert all(held.read_text(ref) for ref in refs_of(copy) if ref.endswith(".md"))
            copy.close()
    finally:
        stop.set()
        writer.join()
    for name in ("sessions.db", "artifacts"):
        assert verify(tmp_path / "backup" / name).damaged == ()
        assert (tmp_path / "backup" / name).stat().st_mode & 0o077 == 0


def test_a_damaged_artifact_does_not_replace_a_whole_one(tmp_path):
    artifacts = FileArtifacts(tmp_path / "artifacts")
    ref = artifacts.put(b"the truth")
    backup([artifacts.root], tmp_path / "backup")
    next((artifacts.root / "blobs").iterdir()).write_bytes(b"a lie")
    (made,) = backup([artifacts.root], tmp_path / "backup")
    assert len(made.damaged) == 1 and made.size == 0
    assert FileArtifacts(made.backup).get(ref) == b"the truth"


def test_a_failed_backup_leaves_the_one_before(tmp_path, monkeypatch):
    store = SQLiteSessions(tmp_path / "sessions.db")
    store.save(session_of("u: one", id="s"))
    (made,) = backup([tmp_path / "sessions.db"], tmp_path / "backup")
    store.save(session_of("u: two", id="t"))

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backup([tmp_path / "sessions.db"], tmp_path / "backup", progress=stop)
    assert SQLiteSessions(made.backup).ids() == ["s"]
    assert not list((tmp_path / "backup").glob("*.tmp"))


KILLED = """
import os, signal, sys
from contextwright.stores.backup import backup
backup(sys.argv[1:3], sys.argv[3], progress=lambda *_: os.kill(os.getpid(), signal.SIGKILL))
"""


def test_what_a_killed_backup_left_is_removed_by_the_next_one(tmp_path):
    """It is a whole copy, or a part of one, of what may be erased in the store."""
    store = SQLiteSessions(tmp_path / "sessions.db")
    store.save(session_of("u: one", id="s"))
    artifacts, to = FileArtifacts(tmp_path / "artifacts"), tmp_path / "backup"
    artifacts.put(b"one")
    subprocess.run([sys.executable, "-c", KILLED, store.path, artifacts.root, to], check=False)
    (left,) = to.glob("sessions.db.*.tmp")
    others = [to / "sessions.db.old.tmp", to / "other.db.00000000.tmp", to / "notes.tmp"]
    half = to / "artifacts" / "blobs" / "abc.0123abcd.tmp"
    journal = to / f"{left.name}-journal"
    half.parent.mkdir(parents=True)
    (half.parents[1] / "names").mkdir()
    for path in (half, journal, *others):
        path.touch()

    backup([store.path, artifacts.root], to)
    assert left.exists() and half.exists(), "another one may be at work there"
    for path in (left, half, journal, *others):
        os.utime(path, (0, 0))
    backup([store.path, artifacts.root], to)
    assert not (left.exists() or half.exists() or journal.exists())
    assert all(path.exists() for path in others), "the user's own"
    assert SQLiteSessions(to / "sessions.db").ids() == ["s"]


def test_what_can_not_be_backed_up_is_named(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.db").touch()
    (tmp_path / "x.db").touch()
    for stores in ([tmp_path / "none.db"], [tmp_path / "x.db", tmp_path / "a" / "x.db"]):
        with pytest.raises(StoreError, match="store"):
            backup(stores, tmp_path / "backup")
    (tmp_path / "no.db").write_bytes(b"no database " * 400)
    with pytest.raises(StoreError, match="no.db|not a database"):
        backup([tmp_path / "no.db"], tmp_path / "backup")


def test_the_command_says_what_it_wrote(tmp_path):
    SQLiteSessions(tmp_path / "sessions.db").save(session_of("u: one", id="s"))
    FileArtifacts(tmp_path / "artifacts").put(b"x")
    shown = run("backup", tmp_path / "sessions.db", tmp_path / "artifacts", tmp_path / "to")
    assert "to/sessions.db: " in shown.replace("\n", "") and "to/artifacts: 1 bytes" in shown
    next((tmp_path / "artifacts" / "blobs").iterdir()).write_bytes(b"")
    assert "not copied" in run("backup", tmp_path / "artifacts", tmp_path / "to", code=10)


def flipped(path, text):
    """A file with a sign of a text turned into another one."""
    data = bytearray(path.read_bytes())
    data[data.index(text)] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("damage", ["a sign", "a page", "nothing left"])
def test_a_damaged_database_does_not_replace_a_whole_backup(tmp_path, damage):
    path = tmp_path / "sessions.db"
    with closing(SQLiteSessions(path)) as store:
        store.save(session_of("u: the truth " + "x" * 30_000, id="s"))
    backup([path], tmp_path / "backup")
    if damage == "a sign":
        flipped(path, b"the truth")
    elif damage == "a page":
        path.write_bytes(path.read_bytes()[:8192] + bytes(4096) + path.read_bytes()[12288:])
    else:
        path.write_bytes(b"")
    (made,) = backup([path], tmp_path / "backup")
    assert made.damaged and made.size == 0
    assert verify(made.backup).damaged == ()
    assert SQLiteSessions(made.backup).load("s").log[0].text.startswith("the truth")
    assert "not copied" in run("backup", path, tmp_path / "backup", code=10)


def test_a_damaged_database_without_a_backup_is_copied_and_named(tmp_path):
    path = tmp_path / "sessions.db"
    with closing(SQLiteSessions(path)) as store:
        store.save(session_of("u: the truth", id="s"))
        store.save(session_of("u: and more", id="t"))
    flipped(path, b"the truth")
    assert "copied as it is: session s" in run("backup", path, tmp_path / "backup", code=10)
    # nothing is better than it, and it has what came since
    assert SQLiteSessions(tmp_path / "backup" / "sessions.db").load("t").log[0].text == "and more"
    (made,) = backup([path], tmp_path / "backup")
    assert made.size and len(made.damaged) == 1


def test_a_database_of_somebody_else_is_backed_up(tmp_path):
    with closing(sqlite3.connect(tmp_path / "theirs.db")) as connection:
        connection.execute("CREATE TABLE sessions (title TEXT)")
        connection.execute("INSERT INTO sessions VALUES ('one')")
        connection.commit()
    (made,) = backup([tmp_path / "theirs.db"], tmp_path / "backup")
    assert made.size and made.damaged == ()


def test_what_is_synced_is_open_for_writing(tmp_path, monkeypatch):
    """Windows refuses the other."""
    fcntl = pytest.importorskip("fcntl")

    def sync(descriptor):
        if not os.path.isdir(f"/proc/self/fd/{descriptor}"):
            assert fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
        synced.append(descriptor)

    synced = []
    SQLiteSessions(tmp_path / "sessions.db").close()
    FileArtifacts(tmp_path / "artifacts").put(b"bytes", name="a.txt")
    monkeypatch.setattr(os, "fsync", sync)
    backup([tmp_path / "sessions.db", tmp_path / "artifacts"], tmp_path / "backup")
    assert len(synced) > 2
