"""Forgetting in PostgreSQL: the journal and what it forgets are one transaction."""

import signal
import subprocess
import sys

import psycopg
import pytest

from contextwright.errors import StoreError
from contextwright.retention import DataSubject, Lethe, RecordSelector, RetentionPolicy
from contextwright.retention import failpoint as failpoints
from contextwright.retention.postgres_journal import PostgresJournal
from contextwright.stores.postgres import PostgresAnswers, PostgresMemory, PostgresSessions
from contextwright.testing import session_of

DAY = 86_400_000
OLD = RetentionPolicy(max_age_days=30, over=RecordSelector(stores=("memory",)))


@pytest.fixture
def lethe(database):
    memory = PostgresMemory(database, clock=lambda: 0)
    memory.write("The warehouse is in Hamburg")
    memory.write("The harbour opens at six", time_ms=99 * DAY)
    stores = (PostgresSessions(database), memory, PostgresAnswers(database))
    return Lethe(PostgresJournal(database), *stores, policies=OLD, clock=lambda: 100 * DAY)


def texts(database):
    return sorted(each.memory.text for each in PostgresMemory(database).listed())


def test_a_cycle_is_done_restored_and_purged(lethe, database):
    report = lethe.apply_retention_policy(who="me", why="age")
    assert [each.why for each in report.actions] and texts(database) == ["The harbour opens at six"]
    restored = lethe.restore(report.cycle)
    assert len(restored.back) == 1 and len(texts(database)) == 2
    again = lethe.apply_retention_policy()
    assert lethe.purge(200 * DAY).cycles == (again.cycle,)
    assert [line.what for line in lethe.audit()] == ["forgotten", "restored", "forgotten", "purged"]
    hold = lethe.hold(RecordSelector(ids="x"), "case 7")
    lethe.release(hold)


@pytest.mark.parametrize("step", ["written", "committed", "removed memory", "marked", "done"])
def test_wherever_it_fails_it_is_whole(lethe, database, step, monkeypatch):
    def fail(name):
        if name == step:
            raise KeyboardInterrupt

    monkeypatch.setattr(failpoints, "HOOKS", [fail])
    with pytest.raises(KeyboardInterrupt):
        lethe.apply_retention_policy()
    with database.snapshot() as connection:
        states = connection.execute("SELECT state FROM lethe_cycles").fetchall()
    # removed and in the journal, or neither: nothing in between is ever seen
    forgotten = states == [("forgotten",)]
    assert (len(texts(database)) == 1) == forgotten
    monkeypatch.setattr(failpoints, "HOOKS", [])
    lethe.finish()
    lethe.apply_retention_policy()
    assert texts(database) == ["The harbour opens at six"]
    assert [cycle.state for cycle in lethe.cycles()] == ["forgotten"]


def test_a_person_is_erased_from_stores_and_journal(lethe, database):
    session = session_of("u: I am Ada Lovelace | a: hello", id="s")
    PostgresSessions(database).save(session)
    PostgresMemory(database).write("Ada Lovelace likes tea")
    lethe.erase(DataSubject("u-1815", names=("Ada Lovelace",)), who="Ada Lovelace")
    with database.snapshot() as connection:
        for table in ("events", "memories", "lethe_audit", "lethe_tombstones"):
            assert "Lovelace" not in str(connection.execute(f"SELECT * FROM {table}").fetchall())
    assert [line.what for line in lethe.audit()][-1] == "erased"


def test_the_audit_log_is_only_added_to(lethe, database, postgres_url):
    lethe.apply_retention_policy()
    for statement in ("DELETE FROM lethe_audit", "UPDATE lethe_audit SET who = 'x'"):
        with pytest.raises(StoreError, match="only ever added"), database.writing() as connection:
            connection.execute(statement)
    with psycopg.connect(postgres_url) as raw, pytest.raises(psycopg.errors.RaiseException):
        raw.execute(f"DELETE FROM {database.schema}.lethe_audit_rows")


_KILLED = """
import os, signal, sys
from contextwright.retention import Lethe, RecordSelector, RetentionPolicy, failpoint
from contextwright.retention.postgres_journal import PostgresJournal
from contextwright.stores.postgres import PostgresDatabase, PostgresMemory

url, schema, step = sys.argv[1:]
failpoint.HOOKS.append(lambda name: name == step and os.kill(os.getpid(), signal.SIGKILL))
database = PostgresDatabase(url, schema=schema)
old = RetentionPolicy(max_age_days=30, over=RecordSelector(stores=("memory",)))
lethe = Lethe(PostgresJournal(database), PostgresMemory(database), policies=old, clock=lambda: 100 * 86_400_000)
lethe.apply_retention_policy()
"""


@pytest.mark.slow
@pytest.mark.parametrize("step", ["written", "committed", "removed memory", "marked", "done"])
def test_a_process_that_is_killed_has_forgotten_and_said_so_or_neither(
    lethe, database, postgres_url, step
):
    run = [sys.executable, "-c", _KILLED, postgres_url, database.schema, step]
    assert subprocess.run(run).returncode == -signal.SIGKILL
    with database.snapshot() as connection:
        states = connection.execute("SELECT state FROM lethe_cycles").fetchall()
    assert (len(texts(database)) == 1) == (states == [("forgotten",)])
    lethe.finish()
    lethe.apply_retention_policy()
    assert texts(database) == ["The harbour opens at six"]
