"""Processes that are killed at every step: all or nothing, in all stores."""

import contextlib
import os
import pathlib
import shutil
import signal
import sqlite3
import sys

import pytest

from contextwright.errors import StoreError
from contextwright.retention import DataSubject, Lethe, RetentionPolicy
from contextwright.retention.failpoint import HOOKS
from contextwright.retrieval.item import Item
from contextwright.session import Session

from .conftest import DAY, NOW, Stores

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks")
OLD = NOW - 100 * DAY
POLICIES = [RetentionPolicy(max_age_days=30)]
ADA = DataSubject("u-1815", ("Ada Lovelace", "ada@example.org"))


def filled(folder):
    """Old and new things of Ada's and others in every store that has files."""
    folder.mkdir()
    stores = Stores(folder)
    for n in range(3):
        stores.memory.write(f"Old number {n}", scope="u-1815", time_ms=OLD)
        stores.index.add([Item(f"i{n}", f"Ada Lovelace item {n}", time_ms=OLD)])
        stores.artifact(f"Ada Lovelace wrote {n}".encode(), f"reports/{n}.md")
        stores.session(f"s{n}", notes={"_notes_a": [f"Ada Lovelace {n}", "[ ] stays"]})
    stores.artifact(b"portrait", "users/ada@example.org/portrait.png")
    stores.session("own", metadata={"user_id": "u-1815"})
    stores.memory.write("New", time_ms=NOW)
    stores.close()
    return folder


def seen(folder):
    """What an application sees."""
    stores = Stores(folder)
    try:
        return (
            sorted((e.memory.id, e.memory.text) for e in stores.memory.listed()),
            [(id, dict(stores.sessions.load(id).state)) for id in stores.sessions.ids()],
            [(name.name, name.sha256) for name in stores.artifacts.names()],
            sorted(blob.key for blob in stores.artifacts.blobs()),
            stores.index.items(),
        )
    finally:
        stores.close()


def opened(folder, *, index=True):
    stores = Stores(folder)
    places = (stores.sessions, stores.memory, stores.artifacts)
    places += (stores.index,) if index else ()
    return stores, Lethe(stores.journal, *places, policies=POLICIES, count=len, clock=lambda: NOW)


def run(folder, act, die_at=0):
    """Do something in a process of its own that kills itself at a step; whether it lived."""
    child = os.fork()
    if not child:
        steps = []

        def hook(step):
            steps.append(step)
            if len(steps) == die_at:
                os.kill(os.getpid(), signal.SIGKILL)

        status = 1
        try:
            stores, lethe = opened(folder)
            HOOKS.append(hook)
            act(lethe)
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return not os.WIFSIGNALED(status)


def crashes(start, act, tmp_path):
    """What is seen after a crash at each step and a reopening; the last is without a crash."""
    found = []
    for die_at in range(1, 200):
        folder = tmp_path / f"crash{die_at}"
        shutil.copytree(start, folder)
        lived = run(folder, act, die_at)
        stores, lethe = opened(folder)
        assert lethe.finish() == 0, "opening finished it"
        lethe.close()
        stores.close()
        found.append((seen(folder), folder))
        if lived:
            return found
    raise AssertionError("it never came to its end")


def forget(lethe):
    lethe.apply_retention_policy(now_ms=NOW)


def test_a_killed_cycle_is_whole_or_nothing(tmp_path):
    start = filled(tmp_path / "start")
    before = seen(start)
    found = [state for state, _ in crashes(start, forget, tmp_path)]
    after = found[-1]
    assert after != before and len(found) > 15
    assert found[0] == before, "killed before the journal had it"
    assert all(state == after for state in found[1:]), "killed after the journal had it"


def test_a_killed_restore_is_whole_or_nothing(tmp_path):
    start = filled(tmp_path / "start")
    before = seen(start)
    assert run(start, forget)
    forgotten = seen(start)
    found = [state for state, _ in crashes(start, lambda lethe: lethe.restore(1), tmp_path)]
    assert found[0] == forgotten and len(found) > 6
    for state in found[1:]:
        assert state[:4] == before[:4] and sorted(state[4], key=str) == sorted(before[4], key=str)


def test_a_killed_erasure_is_whole_or_nothing(tmp_path):
    start = filled(tmp_path / "start")
    assert run(start, forget)
    assert run(start, lambda lethe: lethe.restore(1))
    assert run(start, forget), "there is something in the trash too"
    before = seen(start)
    found = crashes(start, lambda lethe: lethe.erase(ADA), tmp_path)
    after, last = found[-1]
    assert found[0][0] == before and len(found) > 15
    for state, folder in found[1:]:
        assert state == after
        assert traces(folder) == []


def test_a_killed_purge_is_finished_on_the_files(tmp_path):
    start = filled(tmp_path / "start")
    assert run(start, forget)
    found = crashes(start, lambda lethe: lethe.purge(NOW + 1), tmp_path)
    for _, folder in found[1:]:
        stores = Stores(folder)
        stores.close()
        assert b"Old number 1" not in stores.bytes()


def traces(folder):
    strings = [name.encode() for name in (ADA.id, *ADA.names)]
    return [
        (path.name, string)
        for path in folder.rglob("*")
        if path.is_file()
        for string in strings
        if string in path.read_bytes() or string in str(path).encode()
    ]


def test_a_store_that_fails_in_the_middle_is_gone_on_with(tmp_path, monkeypatch):
    folder = filled(tmp_path / "start")
    stores, lethe = opened(folder)
    lethe.apply_retention_policy(now_ms=NOW, dry=True)
    with monkeypatch.context() as patch:

        def fail(names):
            raise StoreError("the disk is full", where="here", fix="free space")

        patch.setattr(stores.artifacts, "forget_name", fail)
        with pytest.raises(StoreError, match="full"):
            lethe.apply_retention_policy(now_ms=NOW)
    assert lethe.cycles()[0].state == "forgetting"
    assert lethe.finish() == 1
    assert lethe.cycles()[0].state == "forgotten" and len(stores.artifacts.names()) == 0


def test_a_folder_that_may_not_be_written_is_named_and_gone_on_with(tmp_path, monkeypatch):
    folder = filled(tmp_path / "start")
    stores, lethe = opened(folder)
    with monkeypatch.context() as patch:

        def refuse(path, **_):
            raise PermissionError(13, "Permission denied", str(path))

        patch.setattr(pathlib.Path, "unlink", refuse)
        with pytest.raises(StoreError, match="could not remove it: Permission denied"):
            lethe.apply_retention_policy(now_ms=NOW)
    assert lethe.finish() == 1 and stores.artifacts.names() == []


def test_an_unfinished_cycle_asks_for_its_stores(tmp_path):
    folder = filled(tmp_path / "start")
    assert not run(folder, forget, 3)
    stores = Stores(folder)
    with pytest.raises(StoreError, match="'sessions', which was not given"):
        Lethe(stores.journal, stores.memory)
    stores.close()


def test_a_reader_that_keeps_old_pages_is_named_and_the_erasure_goes_on_later(tmp_path):
    folder = filled(tmp_path / "start")
    stores, lethe = opened(folder)
    reader = sqlite3.connect(stores.memory.path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM memories").fetchone()
    stores.memory._database._connection.execute("PRAGMA busy_timeout=50")
    with pytest.raises(StoreError, match="another process is reading"):
        lethe.erase(ADA)
    reader.execute("COMMIT")
    assert lethe.finish() == 1 and lethe.finish() == 0
    lethe.close()
    stores.close()
    reader.close()
    assert traces(folder) == []


def test_processes_that_forget_and_restore_at_once_lose_nothing(tmp_path):
    folder = filled(tmp_path / "start")
    before = seen(folder)
    children = []
    for _ in range(3):
        child = os.fork()
        if not child:
            status = 1
            try:
                # one process at a time writes to an index
                stores, lethe = opened(folder, index=False)
                for _ in range(4):
                    cycle = lethe.apply_retention_policy(now_ms=NOW).cycle
                    if cycle:
                        lethe.restore(cycle)
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    stores, lethe = opened(folder)
    assert {cycle.state for cycle in lethe.cycles()} == {"restored"}
    lethe.close()
    stores.close()
    after = seen(folder)
    assert after == before


def test_forgetting_and_erasing_beside_a_writer_loses_nothing_and_leaves_nothing(tmp_path):
    folder = filled(tmp_path / "start")

    def forgets():
        _, lethe = opened(folder, index=False)
        for _ in range(5):
            cycle = lethe.apply_retention_policy(now_ms=NOW).cycle
            with contextlib.suppress(StoreError):  # the other process restored it
                lethe.restore(cycle)

    def erases():
        _, lethe = opened(folder, index=False)
        for _ in range(5):
            lethe.erase(ADA)

    def writes():
        stores = Stores(folder)
        for n in range(40):
            stores.memory.write(f"New number {n}", id=f"n{n}", time_ms=NOW)
            stores.memory.search("number")
            session = Session(f"new{n}")
            session.user("hello")
            session.update({"_notes_a": [f"note {n}"]})
            stores.sessions.save(session)

    children = []
    for act in (forgets, erases, writes):
        child = os.fork()
        if not child:
            status = 1
            try:
                act()
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    stores, lethe = opened(folder)
    lethe.erase(ADA)
    lethe.close()
    assert {f"n{n}" for n in range(40)} <= {each.memory.id for each in stores.memory.listed()}
    assert {f"new{n}" for n in range(40)} <= set(stores.sessions.ids())
    assert all(stores.sessions.load(f"new{n}").state["_notes_a"] for n in range(40))
    stores.close()
    assert traces(folder) == []
