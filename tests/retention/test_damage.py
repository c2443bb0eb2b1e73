"""One damaged session, memory, answer or name blocks nobody: it is passed over, and named."""

import sqlite3

import pytest
from tests.retention.conftest import NOW, Stores

from contextwright.retention import (
    DataSubject,
    Lethe,
    RecordSelector,
    RetentionPolicy,
    SessionRecords,
)
from contextwright.session import Session
from contextwright.spec.task import Answer
from contextwright.stores import collect, refs_of


@pytest.fixture
def stores(tmp_path):
    made = Stores(tmp_path)
    yield made
    made.close()


def edit(path, statement):
    connection = sqlite3.connect(path)
    assert connection.execute(statement).rowcount
    connection.commit()
    connection.close()


def session(id, owner, text, notes=()):
    made = Session(id, metadata={"user_id": owner})
    made.user(text)
    made.assistant("noted")
    made.note("case", [{"text": note, "time_ms": 1} for note in notes])
    return made


@pytest.fixture
def damaged(stores):
    """Three people's sessions, memories and answers; Bob's are damaged."""
    ref = stores.artifact(b"what Bob needs", name="bob/report.md")
    for name in ("ada", "bob", "cyd"):
        text = f"I am {name.title()} {ref if name == 'bob' else ''}"
        stores.sessions.save(session(f"s-{name}", name, text, [f"{name} likes tea"]))
        stores.memory.write(f"{name.title()} drinks tea", id=f"m-{name}", scope=name)
        value = f"{name.title()} drinks"
        stores.answers.put(name, Answer(fingerprint=name, kind="summary", value=value, model="m"))
    edit(stores.folder / "sessions.db", "UPDATE events SET body = body || ' ' WHERE session = 2")
    edit(stores.folder / "memory.db", "UPDATE memories SET pinned = 2 WHERE id = 'm-bob'")
    edit(stores.folder / "answers.db", "UPDATE answers SET series = 'x' WHERE key = 'bob'")
    stores.again()
    return stores


def lethe(stores, *policies):
    every = (stores.sessions, stores.memory, stores.answers, stores.artifacts)
    return Lethe(stores.journal, *every, policies=policies, clock=lambda: NOW)


EVERYTHING = RetentionPolicy(name="all", over=RecordSelector(), max_age_days=1)


def test_refs_of_and_collect_pass_over_a_damaged_session_and_hold_what_it_names(damaged):
    refs = refs_of(damaged.sessions)
    assert refs.damaged == ("s-bob",)
    assert "bob/report.md" in refs
    damaged.artifact(b"nobody needs it", name="old.md")
    collected = collect(damaged.artifacts, refs, now_ms=NOW)
    assert collected.names == ("old.md",) and collected.held == ("bob/report.md",)
    assert collected.damaged == ("s-bob",)


def test_a_policy_is_applied_beside_damage(damaged):
    forgetting = lethe(damaged, EVERYTHING)
    report = forgetting.apply_retention_policy(now_ms=NOW + 10**10)
    assert {action.id for action in report.actions} >= {"m-ada", "m-cyd", "ada", "cyd"}
    assert {"sessions", "memory"} == {action.store for action in report.actions} - {"answers"}
    assert set(report.damaged) == {("sessions", "s-bob"), ("memory", "m-bob"), ("answers", "bob")}
    assert "case" in damaged.sessions.salvage("s-bob").text
    assert forgetting.restore(report.cycle).left == ()
    forgetting.close()


def test_another_person_is_erased_beside_damage(damaged):
    forgetting = lethe(damaged)
    report = forgetting.erase(DataSubject("ada", names=("Ada",)))
    assert damaged.sessions.ids() == ["s-bob", "s-cyd"]
    assert report.stores["sessions"].removed == 1
    assert set(report.damaged) == {("sessions", "s-bob"), ("memory", "m-bob"), ("answers", "bob")}
    assert b"Ada" not in b"".join(file.read_bytes() for file in damaged.folder.glob("*.db"))
    forgetting.close()


def test_a_persons_own_damaged_records_are_erased(damaged):
    forgetting = lethe(damaged)
    report = forgetting.erase(DataSubject("bob", names=("Bob",)))
    assert damaged.sessions.ids() == ["s-ada", "s-cyd"]
    assert report.damaged == ()
    assert b"Bob" not in b"".join(file.read_bytes() for file in damaged.folder.glob("*.db"))
    forgetting.close()


def test_whose_a_session_is_is_not_taken_from_edited_metadata(stores):
    stores.sessions.save(session("s-cyd", "cyd", "hello"))
    edit(stores.folder / "sessions.db", """UPDATE sessions SET metadata = '{"user_id":"ada"}'""")
    records = SessionRecords(stores.sessions)
    forgetting = lethe(stores)
    assert forgetting.erase(DataSubject("ada")).damaged == (("sessions", "s-cyd"),)
    assert [record.damage != "" for record in records.records()] == [True]
    report = forgetting.erase(DataSubject("cyd"), sessions=["s-cyd"])
    assert report.damaged == () and stores.sessions.ids() == []
    forgetting.close()


def test_a_session_that_is_damaged_after_a_cycle_was_written_does_not_block_it(stores):
    stores.sessions.save(session("s-ada", "ada", "hello", ["tea"]))
    forgetting = lethe(stores, EVERYTHING)
    rewrite = stores.sessions.rewrite

    def breaking(id, change):
        edit(stores.folder / "sessions.db", "UPDATE events SET body = 'x'")
        return rewrite(id, change)

    stores.sessions.rewrite = breaking
    assert forgetting.apply_retention_policy(now_ms=NOW + 10**10).cycle
    assert forgetting.apply_retention_policy(now_ms=NOW + 10**10).damaged
    forgetting.close()


@pytest.mark.parametrize("part", ["name", "digest", "all"])
def test_while_a_name_is_damaged_bytes_that_nothing_names_stay(stores, part):
    stores.artifact(b"bytes of the damaged", name="a.md")
    stores.artifact(b"bytes of the old", name="old.md")
    stores.artifact(b"nobody's bytes")
    (entry,) = [
        p for p in (stores.folder / "artifacts/names").iterdir() if b"a.md" in p.read_bytes()
    ]
    digest = stores.artifacts.digest("artifact://a.md")
    entry.write_bytes(
        {
            "name": entry.read_bytes().replace(b"a.md", b"b.md"),
            "digest": entry.read_bytes().replace(digest[:2].encode(), b"zz", 1),
            "all": b"\xff" * 90,
        }[part]
    )
    collected = collect(stores.artifacts, (), now_ms=NOW)
    assert collected.names == ("old.md",) and collected.blobs == ()
    assert collected.damaged == (f"names/{entry.name}",)
    policy = RetentionPolicy(name="all", over=RecordSelector(stores=("artifacts",)), max_age_days=1)
    forgetting = lethe(stores, policy)
    report = forgetting.apply_retention_policy(now_ms=NOW)
    assert report.damaged == (("artifacts", f"names/{entry.name}"),)
    assert stores.artifacts.blob(digest) == b"bytes of the damaged"
    forgetting.close()
