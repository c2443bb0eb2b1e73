"""PostgreSQL sessions: the suite, and what is PostgreSQL's own."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import psycopg
import pytest

from contextwright import Conversations
from contextwright.errors import CorruptData, StoreError
from contextwright.session import Event, Text
from contextwright.stores.postgres import PostgresDatabase, PostgresSessions
from contextwright.stores.postgres.postgres_connection import PostgresConnection
from contextwright.stores.session_rows import StoredSession
from contextwright.testing import SessionStoreSuite, session_of


@pytest.fixture
def store(database):
    return PostgresSessions(database)


@pytest.fixture
def reopen(open_database):
    return lambda: PostgresSessions(open_database())


class TestPostgres(SessionStoreSuite):
    """The suite that every backend passes."""

    @pytest.fixture
    def failing(self, monkeypatch):
        @contextmanager
        def failing(store, k):
            count = 0

            def broken(method):
                def run(self, statement, values=()):
                    nonlocal count
                    if not statement.lstrip().startswith("SELECT"):
                        count += 1
                        if count == k + 1:
                            raise psycopg.errors.DiskFull("no space left on device")
                    return method(self, statement, values)

                return run

            with monkeypatch.context() as patch:
                for name in ("execute", "executemany"):
                    patch.setattr(
                        PostgresConnection, name, broken(getattr(PostgresConnection, name))
                    )
                yield

        return failing


def _numbered(name, count):
    return [
        Event(id=f"{name}-{n}", role="user", parts=(Text(text=f"{name} {n}"),))
        for n in range(count)
    ]


def test_a_changed_or_removed_row_is_found(store, database):
    store.save(session_of("u: hello | a: there", id="s"))
    with database.writing() as connection:
        connection.execute("UPDATE events SET body = '{}' WHERE seq = 0")
    with pytest.raises(CorruptData, match="changed"):
        store.load("s")
    assert store.salvage("s").lost_events == 2
    store.save(session_of("u: hello | a: there", id="t"))
    with database.writing() as connection:
        connection.execute("DELETE FROM events WHERE seq = 1")
    with pytest.raises(CorruptData, match="missing"):
        store.load("t")


def test_a_server_that_drops_connections_is_connected_to_again(store, postgres_url, database):
    store.append("s", _numbered("e", 2), expected=0)
    with psycopg.connect(postgres_url, autocommit=True) as other:

        def drop_connections():
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'ctx drop' AND pid <> pg_backend_pid()"
            )

        own = PostgresDatabase(
            f"{postgres_url}{'&' if '?' in postgres_url else '?'}application_name=ctx%20drop",
            schema=database.schema,
        )
        dropped = PostgresSessions(own)
        assert dropped.length("s") == 2
        drop_connections()  # an idle one
        assert dropped.append("s", _numbered("f", 1), expected=2) == 3
        tries = []
        with own.writing():
            pass
        original = StoredSession.add

        def add(self, *rest):
            end = original(self, *rest)
            if not tries:
                tries.append(1)
                drop_connections()  # one that is within its transaction
            return end

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(StoredSession, "add", add)
            assert dropped.append("s", _numbered("g", 2), expected=3) == 5
        own.close()
    assert tries
    assert [event.id for event in store.load("s").log] == ["e-0", "e-1", "f-0", "g-0", "g-1"]


def test_an_id_that_the_server_can_not_hold_is_refused(store):
    for id in ("a\0b", "x" + "".join(map(chr, range(0x4E00, 0x7000)))):
        with pytest.raises(StoreError, match="NUL|PostgreSQL says"):
            store.append(id, _numbered("e", 1), expected=0)
    with pytest.raises(StoreError):
        store.save(session_of("u: hi", id="\ud83d"))
    assert store.ids() == []


def test_conversations_go_on_in_another_process(database, open_database):
    one = Conversations(store=PostgresSessions(database))
    messages = [{"role": "user", "content": "hello"}]
    one.update(messages, id="c", tenant="acme")
    other = Conversations(store=PostgresSessions(open_database()))
    messages += [{"role": "assistant", "content": "hi"}, {"role": "user", "content": "and?"}]
    assert len(other.update(messages, id="c", tenant="acme")) == 3
    assert not other.degraded
    assert len(PostgresSessions(database).load(PostgresSessions(database).ids()[0])) == 3


def test_machines_that_take_turns_with_a_conversation_have_one_session(database, open_database):
    machines = [Conversations(store=PostgresSessions(open_database())) for _ in range(3)]
    messages = []
    for turn in range(9):
        messages.append({"role": "user", "content": f"question {turn}"})
        machine = machines[(0, 1, 1, 0, 2, 1, 0, 0, 2)[turn]]
        assert len(machine.update(messages, id="c")) == len(messages)
        assert not machine.degraded
        messages.append({"role": "assistant", "content": f"answer {turn}"})
    store = PostgresSessions(database)
    assert [len(store.load(id)) for id in store.ids()] == [17]


_WRITER = """
import sys
from contextwright.errors import WriteConflict
from contextwright.session import Event, Text
from contextwright.stores.postgres import PostgresDatabase, PostgresSessions

url, schema, name, count = sys.argv[1:]
store = PostgresSessions(PostgresDatabase(url, schema=schema, connections=1))
print("ready", flush=True)
expected = 0
for n in range(int(count)):
    event = Event(id=f"{name}-{n}", role="user", parts=(Text(text=f"{name} {n}"),))
    while True:
        try:
            expected = store.append("s", [event], expected=expected)
            break
        except WriteConflict:
            expected = store.length("s")
    print(n, flush=True)
"""


def _writer(url, schema, name, count):
    arguments = [sys.executable, "-c", _WRITER, url, schema, name, str(count)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


def _acknowledged(writer):
    # communicate() would pass by what readline() has read ahead
    lines = writer.stdout.read().split()
    writer.wait()
    return [int(line) for line in lines if line != "ready"]


def test_writers_lose_nothing_write_nothing_twice_and_readers_see_no_gap(
    store, postgres_url, database
):
    writers, count = (
        int(os.environ.get("CONTEXTWRIGHT_WRITERS", "4")),
        int(os.environ.get("CONTEXTWRIGHT_APPENDS", "25")),
    )
    started = [_writer(postgres_url, database.schema, f"w{n}", count) for n in range(writers)]
    done = []
    readers = [
        threading.Thread(target=lambda one=one: done.append(_acknowledged(one))) for one in started
    ]
    for thread in readers:
        thread.start()
    reads = 0
    while any(thread.is_alive() for thread in readers):
        if "s" in store.ids():
            ids = [event.id for event in store.load("s").log]  # places without a gap, or an error
            for n in range(writers):
                mine = [id for id in ids if id.startswith(f"w{n}-")]
                assert mine == [f"w{n}-{k}" for k in range(len(mine))]
            reads += 1
    assert done == [list(range(count))] * writers
    ids = [event.id for event in store.load("s").log]
    assert sorted(ids) == sorted(f"w{n}-{k}" for n in range(writers) for k in range(count))
    assert reads


def test_a_killed_writer_loses_nothing_that_was_acknowledged(store, postgres_url, database):
    for kill in range(int(os.environ.get("CONTEXTWRIGHT_KILLS", "3"))):
        writer = _writer(postgres_url, database.schema, f"k{kill}", 10_000)
        assert writer.stdout.readline() == "ready\n"
        time.sleep(random.Random(kill).uniform(0.02, 0.2))
        writer.send_signal(signal.SIGKILL)
        acknowledged = _acknowledged(writer)
        stored = [event.id for event in store.load("s").log] if "s" in store.ids() else []
        mine = [id for id in stored if id.startswith(f"k{kill}-")]
        assert mine == [f"k{kill}-{n}" for n in range(len(mine))]
        assert len(mine) in {len(acknowledged), len(acknowledged) + 1}
