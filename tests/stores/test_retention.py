"""Artifacts in every backend, how long they stay, and what is never collected."""

import math
import os
import time

import pytest

from contextwright import Session
from contextwright.errors import MissingExtra, RefError, StoreError
from contextwright.stores import (
    FileArtifacts,
    ObjectArtifacts,
    SQLiteMemory,
    SQLiteSessions,
    collect,
    refs_of,
)
from contextwright.stores.artifact_retention import refs_in

DAY = 86_400_000


@pytest.fixture(params=["files", "memory", "objects"])
def artifacts(request, tmp_path):
    if request.param == "files":
        return FileArtifacts(tmp_path / "a")
    pytest.importorskip("obstore")
    if request.param == "memory":
        return ObjectArtifacts("memory:///")
    (tmp_path / "o").mkdir()
    return ObjectArtifacts(f"file://{tmp_path / 'o'}")


def later(artifacts, days):
    return max(
        [n.written_ms for n in artifacts.names()] + [b.written_ms for b in artifacts.blobs()]
    ) + round(days * DAY)


def test_every_backend_keeps_bytes_and_names(artifacts):
    ref = artifacts.put(b"report", name="tasks/42/step-3/report.md")
    assert ref == "artifact://tasks/42/step-3/report.md"
    assert artifacts.get(ref) == b"report"
    plain = artifacts.put(b"report")
    assert artifacts.get(plain) == b"report" and len(artifacts.blobs()) == 1
    artifacts.put(b"second", name="tasks/42/step-3/report.md")
    assert artifacts.get(ref) == b"second" and artifacts.get(plain) == b"report"
    assert [named.name for named in artifacts.names()] == ["tasks/42/step-3/report.md"]
    assert artifacts.read_text("nowhere") is None
    for bad in ("artifact://nowhere", "artifact://sha256/zz", "event://e0"):
        with pytest.raises(RefError):
            artifacts.get(bad)


def test_what_is_past_its_time_goes_with_its_bytes(artifacts):
    artifacts.put(b"old", name="tasks/1/a")
    artifacts.put(b"kept longer", name="reports/a")
    now = later(artifacts, 10)
    plan = {"": 5, "reports/": 30}
    said = collect(artifacts, [], now_ms=now, keep_days=plan, dry=True)
    assert said.names == ("tasks/1/a",) and len(artifacts.names()) == 2
    done = collect(artifacts, [], now_ms=now, keep_days=plan)
    assert done == said and done.size == 3
    assert [named.name for named in artifacts.names()] == ["reports/a"] and len(
        artifacts.blobs()
    ) == 1
    assert collect(artifacts, [], now_ms=now, keep_days=plan).names == ()


def test_what_is_new_stays_whatever_the_window(artifacts):
    artifacts.put(b"unnamed and new")
    artifacts.put(b"named and new", name="a")
    done = collect(artifacts, [], now_ms=later(artifacts, 0.01), keep_days={"": 0})
    assert done.names == () and done.blobs == ()


def test_what_a_session_or_a_manifest_names_is_held(artifacts, tmp_path):
    by_session = artifacts.put(b"one", name="tasks/1/by session.md")
    by_state = artifacts.put(b"two", name="tasks/1/state.md")
    by_digest = artifacts.put(b"three")
    artifacts.put(b"four", name="tasks/1/by-manifest.md")
    artifacts.put(b"five", name="tasks/1/free.md")
    artifacts.put(
        b'{"artifact_uris":["artifact://tasks/1/by-manifest.md"]}', name="tasks/1/p/manifest.json"
    )
    session = Session("s")
    session.user(f"look at {by_session}, and ({by_digest}).")
    session.update({"evidence": [{"uri": by_state}]})
    sessions = SQLiteSessions(tmp_path / "s.db")
    sessions.save(session)
    keep = {"": 1, "tasks/1/p/": 99}
    done = collect(artifacts, refs_of(sessions), now_ms=later(artifacts, 10), keep_days=keep)
    assert done.names == ("tasks/1/free.md",)
    assert set(done.held) == {"tasks/1/by session.md", "tasks/1/state.md", "tasks/1/by-manifest.md"}
    for ref in (by_session, by_state, by_digest, "artifact://tasks/1/by-manifest.md"):
        assert artifacts.get(ref)


def test_what_a_checkpoint_and_a_memory_name_is_held(artifacts, tmp_path):
    report = artifacts.put(b"one", name="tasks/1/report.md")
    kept = artifacts.put(f'["{report}"]'.encode(), name="tasks/1/checkpoint.json")
    memory = SQLiteMemory(tmp_path / "m.db")
    one = memory.write("The report is done", origin=(kept,))
    now = later(artifacts, 99)
    assert collect(artifacts, memory.refs(), now_ms=now).names == ()
    memory.forget([one.id])
    assert len(collect(artifacts, memory.refs(), now_ms=now).names) == 2


def test_bytes_that_can_not_be_read_are_named(tmp_path):
    artifacts = FileArtifacts(tmp_path / "a")
    (tmp_path / "a" / "blobs" / ("0" * 64)).mkdir()
    with pytest.raises(StoreError, match="could not read"):
        artifacts.get("artifact://sha256/" + "0" * 64)


def test_an_address_is_found_with_and_without_what_follows_it():
    assert {"a/b.md", "x", "by hand"} <= refs_in(
        'see artifact://a/b.md. (artifact://x) "artifact://by%20hand"'
    )


@pytest.mark.parametrize(
    "form",
    [
        "`{}`",
        "**{}**",
        "{},artifact://b",
        "({})",
        "|{}|",
        "\u201c{}\u201d",
        "{}\u3002dann",
        "'{}'",
        "{}",
    ],
)
@pytest.mark.parametrize("name", ["a/b.md", "report (1).md", "it's", "x,y", "\u00fc"])
def test_an_address_is_held_however_it_is_set_off(artifacts, name, form):
    ref = artifacts.put(b"x", name=name)
    assert name in refs_in(f"see {form.format(ref)} now")


def test_refs_are_live_as_they_are_written(artifacts):
    ref, plain = artifacts.put(b"one", name="my report.md"), artifacts.put(b"two")
    done = collect(artifacts, [ref, plain], now_ms=later(artifacts, 99))
    assert done.names == () and done.blobs == () and done.held == ("my report.md",)


def test_windows_may_be_endless_and_name_some_only(artifacts):
    artifacts.put(b"one", name="tasks/1/a")
    artifacts.put(b"two", name="reports/a")
    keep = {"tasks/": math.inf}
    assert collect(artifacts, [], now_ms=later(artifacts, 2), keep_days=keep).names == ()
    done = collect(artifacts, [], now_ms=later(artifacts, 999), keep_days=keep)
    assert done.names == ("reports/a",)


def test_bytes_that_are_put_again_are_new_again(tmp_path):
    artifacts = FileArtifacts(tmp_path / "a")
    ref = artifacts.put(b"again")
    blob = next((tmp_path / "a" / "blobs").iterdir())
    os.utime(blob, (1, 1))
    now = int(time.time() * 1000)
    assert collect(artifacts, [], now_ms=now, dry=True).blobs == (blob.name,)
    assert artifacts.put(b"again") == ref
    assert collect(artifacts, [], now_ms=now).blobs == ()


@pytest.mark.parametrize("name", ["x" * 3000, "\ud800", "sha256/x"])
def test_a_name_that_no_ref_can_say_is_refused(artifacts, name):
    with pytest.raises(RefError):
        artifacts.put(b"x", name=name)
    assert artifacts.blobs() == []


def test_a_damaged_name_keeps_the_bytes_that_it_may_stand_for(tmp_path):
    artifacts = FileArtifacts(tmp_path / "a")
    artifacts.put(b"one", name="one")
    next((tmp_path / "a" / "names").iterdir()).write_bytes(b"{")
    collected = collect(artifacts, [], now_ms=later_of(tmp_path))
    assert collected.damaged == tuple(record.id for record in artifacts.damaged())
    assert len(artifacts.blobs()) == 1
    artifacts.put(b"one", name="one")
    assert artifacts.damaged() == []


def later_of(path):
    return int(max(os.stat(p).st_mtime for p in (path / "a" / "blobs").iterdir()) * 1000) + 99 * DAY


def test_a_url_that_names_no_store_is_refused():
    pytest.importorskip("obstore")
    with pytest.raises(StoreError, match="no object store"):
        ObjectArtifacts("nothing at all")


def test_without_the_package_the_command_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(MissingExtra, match="obstore") as error:
        ObjectArtifacts("memory:///")
    assert "contextwright[s3]" in error.value.fix
