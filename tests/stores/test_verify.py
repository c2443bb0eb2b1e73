"""`verify`: all damage is named; what is there twice is healed, the rest set aside."""

import sqlite3
from contextlib import closing

import pytest
from tests.cli.test_cli import run

from contextwright import Criterion, Step
from contextwright.errors import StoreError
from contextwright.serve.proxy_stores import proxy_stores
from contextwright.session import Event
from contextwright.spec.task import Answer
from contextwright.stores import (
    FileArtifacts,
    SQLiteAnswers,
    SQLiteMemory,
    SQLiteSessions,
    TaskBoard,
)
from contextwright.stores.backup import backup
from contextwright.stores.verify import verify
from contextwright.testing import session_of


def edit(path, statement):
    connection = sqlite3.connect(path)
    assert connection.execute(statement).rowcount
    connection.commit()
    connection.close()


def step(n):
    acceptance = (Criterion(text="ok", id="a1"),)
    return Step(task_id="t", step_id=str(n), goal="g", do=(f"do {n}",), acceptance=acceptance)


@pytest.fixture
def path(tmp_path):
    """One file of everything."""
    path = tmp_path / "all.db"
    sessions, memory = SQLiteSessions(path), SQLiteMemory(path)
    for name in ("s", "t"):
        made = session_of("u: one | c: f(x) | r: two | a: three", id=name)
        made.update({"k": 1})
        made.metadata["user_id"] = name
        sessions.save(made)
    memory.write("The code word is heron", id="m")
    answers, board = SQLiteAnswers(path), TaskBoard(path)
    answers.put("a", Answer(fingerprint="f", kind="summary", value="v", model="m"))
    board.add(step(1))
    board.add(step(2), after=["1"])
    for store in (sessions, memory, answers, board):
        store.close()
    return path


@pytest.fixture
def copy(path, tmp_path):
    (made,) = backup([path], tmp_path / "backup")
    return made.backup


def test_a_whole_store_is_whole(path, copy):
    for each in (path, copy):
        report = verify(each)
        assert report.damaged == () and report.checked == 7
    assert not path.with_name("all.db.damaged").exists()


HEALED_ALONE = [
    "UPDATE seals SET seal = X'00' WHERE session = 1",
    "UPDATE seals SET events = 77 WHERE session = 1",
    "UPDATE seals SET changes_head = 'x' WHERE session = 1",
    "UPDATE seals SET about = 'x' WHERE session = 1",
    "UPDATE events SET hash = X'00' WHERE session = 1 AND seq = 1",
    "UPDATE event_ids SET id = 'x' WHERE session = 1 AND seq = 1",
    "DELETE FROM event_ids WHERE session = 1",
    "UPDATE needs SET after = '7'",
    "DELETE FROM needs",
]


@pytest.mark.parametrize("change", HEALED_ALONE)
def test_what_the_hashes_prove_is_healed_without_a_copy(path, change):
    edit(path, change)
    (damage,) = verify(path).damaged
    assert damage.outcome == ""
    (damage,) = verify(path, repair=True).damaged
    assert damage.outcome == "healed"
    assert verify(path).damaged == ()
    assert len(SQLiteSessions(path).load("s")) == 4
    assert not path.with_name("all.db.damaged").exists()


HEALED_BY_A_COPY = [
    "UPDATE events SET body = 'x' WHERE session = 1 AND seq = 1",
    "DELETE FROM events WHERE session = 1 AND seq > 1",
    "DELETE FROM events WHERE session = 1",
    "UPDATE changes SET body = body || ' ' WHERE session = 1",
    "UPDATE sessions SET metadata = '{}' WHERE id = 's'",
    "UPDATE memories SET text = 'The code word is crane'",
    "UPDATE answers SET body = '{}'",
    "UPDATE steps SET done = 1 WHERE step = '1'",
]


@pytest.mark.parametrize("change", HEALED_BY_A_COPY)
def test_what_a_copy_has_is_healed(path, copy, change):
    edit(path, change)
    (damage,) = verify(path, repair=True, copy=copy).damaged
    assert damage.outcome == "healed"
    assert verify(path).damaged == ()
    session = SQLiteSessions(path).load("s")
    assert len(session) == 4 and session.state["k"] == 1 and session.metadata == {"user_id": "s"}
    assert SQLiteMemory(path).search("code word")[0].memory.text == "The code word is heron"
    assert SQLiteAnswers(path).get("a").value == "v"
    assert [one.state for one in TaskBoard(path).steps()] == ["ready", "waiting"]


@pytest.mark.parametrize("change", HEALED_BY_A_COPY)
def test_what_nothing_has_twice_is_set_aside_and_in_nobodys_way(path, change):
    edit(path, change)
    (damage,) = verify(path, repair=True).damaged
    assert damage.outcome == "set aside"
    assert verify(path).damaged == ()
    aside = path.with_name("all.db.damaged")
    assert aside.read_text().strip() and aside.stat().st_mode & 0o777 == 0o600
    sessions = SQLiteSessions(path)
    assert sessions.ids() == ["s", "t"] and len(sessions.load("t")) == 4
    left = sessions.load("s")
    assert [event.id for event in left.log] == ["e0", "e1", "e2", "e3"][: len(left)]
    assert sessions.append("s", [Event(id="on", role="user")], expected=len(left))


def test_a_session_that_grew_since_the_backup_keeps_what_is_new(path, copy):
    sessions = SQLiteSessions(path)
    session = sessions.load("s")
    session.user("since the backup")
    sessions.save(session)
    edit(path, "UPDATE events SET body = 'x' WHERE session = 1 AND seq = 1")
    assert verify(path, repair=True, copy=copy).damaged[0].outcome == "healed"
    assert sessions.load("s").log[4].text == "since the backup"


def test_files_that_are_no_store_are_named(tmp_path):
    for make in (lambda path: None, lambda path: path.mkdir(), lambda path: path.touch()):
        path = tmp_path / f"x{len(list(tmp_path.iterdir()))}"
        make(path)
        with pytest.raises(StoreError) as caught:
            verify(path)
        assert str(path) in caught.value.where
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"no database " * 400)
    (damage,) = verify(broken, repair=True).damaged
    assert damage.kind == "file" and damage.outcome == ""


def test_looking_changes_nothing(tmp_path):
    """A file that is empty, one of somebody else, and a folder of other files."""
    (tmp_path / "empty.json").touch()
    with closing(sqlite3.connect(tmp_path / "own.db")) as own:
        own.execute("CREATE TABLE notes (text TEXT)")
    (tmp_path / "folder").mkdir()
    before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
    for name in ("empty.json", "own.db", "folder"):
        with pytest.raises(StoreError, match="no store of ours|no artifacts"):
            verify(tmp_path / name)
    with pytest.raises(StoreError, match="no artifacts"):
        backup([tmp_path / "folder"], tmp_path / "backup")
    backup([tmp_path / "own.db"], tmp_path / "backup")
    after = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
    assert before == {path: data for path, data in after.items() if "backup" not in path.parts}


def test_a_proxys_folder_is_no_artifacts_and_its_files_are_named(tmp_path):
    ledger, sessions = proxy_stores(tmp_path / "data")
    ledger.close(), sessions.close()
    for look in (verify, lambda path: backup([path], tmp_path / "to")):
        with pytest.raises(StoreError, match="no artifacts") as caught:
            look(tmp_path / "data")
        assert "ledger.sqlite" in caught.value.fix and "sessions.sqlite" in caught.value.fix
    assert not verify(tmp_path / "data" / "ledger.sqlite").damaged


@pytest.fixture
def artifacts(tmp_path):
    made = FileArtifacts(tmp_path / "artifacts")
    made.put(b"one", name="a")
    made.put(b"two", name="b")
    return made


def damages(artifacts):
    blob = artifacts.root / "blobs" / artifacts.digest("artifact://a")
    entry = next(p for p in (artifacts.root / "names").iterdir() if b'"b"' in p.read_bytes())
    blob.write_bytes(b"")
    entry.write_bytes(b"{")


def test_artifacts_are_healed_from_a_copy(artifacts, tmp_path):
    (made,) = backup([artifacts.root], tmp_path / "backup")
    damages(artifacts)
    assert {(d.kind, d.outcome) for d in verify(artifacts.root).damaged} == {
        ("artifact", ""), ("name", "")
    }  # fmt: skip
    report = verify(artifacts.root, repair=True, copy=made.backup)
    assert [damage.outcome for damage in report.damaged] == ["healed", "healed"]
    assert artifacts.get("artifact://a") == b"one" and artifacts.get("artifact://b") == b"two"


def test_damaged_artifacts_are_set_aside_until_they_are_put_again(artifacts):
    damages(artifacts)
    report = verify(artifacts.root, repair=True)
    assert [damage.outcome for damage in report.damaged] == ["set aside", "set aside"]
    assert len(list((artifacts.root / "damaged").iterdir())) == 2
    assert [damage.what for damage in verify(artifacts.root).damaged] == ["missing"]
    artifacts.put(b"one", name="a")
    assert verify(artifacts.root).damaged == ()


def test_the_command_names_heals_and_ends_with_its_code(path, copy):
    assert "7 checked, 0 damaged" in run("verify", path)
    edit(path, "UPDATE events SET body = 'x' WHERE session = 1 AND seq = 1")
    shown = run("verify", path, code=10)
    assert "1 damaged" in shown and "session" in shown and "nothing" in shown
    assert '"outcome":""' in run("verify", path, "--json", code=10)
    assert "1 healed" in run("verify", path, "--repair", "--copy", copy)
    assert "no such store" in run("verify", path.with_name("none.db"), code=10)
