"""The database: tenants, row-level security, migrations that run once, one transaction."""

import subprocess
import sys
import threading
from contextlib import suppress
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from contextwright import Criterion, Step
from contextwright.errors import NewerSchema, ReadOnlyStore, StoreError
from contextwright.retention import Lethe, RecordSelector, RetentionPolicy
from contextwright.retention.postgres_journal import PostgresJournal
from contextwright.spec.task import Answer
from contextwright.stores import postgres
from contextwright.stores.postgres import (
    PostgresAnswers,
    PostgresBoard,
    PostgresDatabase,
    PostgresMemory,
    PostgresSessions,
    enable_row_security,
    migrations,
    row_security,
)
from contextwright.stores.postgres.migrations import TABLES
from contextwright.stores.postgres.postgres_connection import LOST, LostConnection
from contextwright.testing import session_of


def test_tenants_do_not_see_each_other(database):
    acme, other = (
        PostgresSessions(database.for_tenant("acme")),
        PostgresSessions(database.for_tenant("a'; --")),
    )
    acme.save(session_of("u: the code word is heron", id="s"))
    other.save(session_of("u: something else", id="s"))
    assert acme.load("s").log[0].text == "the code word is heron"
    assert other.load("s").log[0].text == "something else"
    other.rewrite("s", lambda session: session_of("u: anew", id="t"))
    assert other.ids() == ["t"] and other.delete("t")
    assert acme.ids() == ["s"] and len(acme.load("s")) == 1
    assert PostgresSessions(database).ids() == []


def test_no_statement_of_a_tenant_reaches_anothers_rows(database):
    acme, other = database.for_tenant("acme"), database.for_tenant("other")
    PostgresSessions(acme).save(session_of("u: one", id="s", state={"k": 1}))
    with other.writing() as connection:
        for name in TABLES:
            assert connection.execute(f"SELECT * FROM {name}").fetchall() == []
            assert connection.execute(f"DELETE FROM {name}").rowcount == 0
    with pytest.raises(StoreError, match="check option"), other.writing() as connection:
        connection.execute("INSERT INTO events VALUES (1, 5, '', '', 'acme')")
    assert len(PostgresSessions(acme).load("s")) == 1


@pytest.mark.parametrize("tenant", ["", "a\0b", None, "a\ud83db"])
def test_a_tenant_needs_a_name(database, tenant):
    with pytest.raises(StoreError, match="name of a tenant"):
        database.for_tenant(tenant)


@pytest.fixture
def role(postgres_url, database):
    """A role that is no superuser, with row-level security on."""
    name = f"ctx_{uuid4().hex[:12]}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        try:
            connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'x'")
        except psycopg.errors.InsufficientPrivilege:
            pytest.skip("the role of the tests may make no roles: connect as a superuser")
        yield name
        with suppress(psycopg.Error):
            connection.execute(f"DROP OWNED BY {name}")
        connection.execute(f"DROP ROLE {name}")


def _as_role(url, role):
    parts = psycopg.conninfo.conninfo_to_dict(url)
    return psycopg.conninfo.make_conninfo(**{**parts, "user": role, "password": "x"})


def test_row_security_holds_tenants_apart_in_the_tables_themselves(
    postgres_url, open_database, database, role
):
    PostgresSessions(database.for_tenant("acme")).save(session_of("u: heron", id="s"))
    with pytest.raises(StoreError, match="row-level security"):
        open_database(row_security=True)
    enable_row_security(database, role)
    enable_row_security(database, role)
    with pytest.raises(StoreError, match="this role bypasses"):
        open_database(row_security=True)
    bound = open_database(_as_role(postgres_url, role), tenant="other", row_security=True)
    PostgresSessions(bound).save(session_of("u: mine", id="s"))
    acme = bound.for_tenant("acme")
    assert PostgresSessions(acme).load("s").log[0].text == "heron"
    with bound.writing() as connection:  # past the views
        for name in TABLES:
            tenants = connection.execute(f"SELECT DISTINCT tenant FROM {name}_rows").fetchall()
            assert set(tenants) <= {("other",)}
        assert (
            connection.execute("UPDATE events_rows SET body = 'x' WHERE tenant = 'acme'").rowcount
            == 0
        )
        assert connection.execute("DELETE FROM events_rows WHERE tenant = 'acme'").rowcount == 0
    with pytest.raises(ReadOnlyStore, match="row-level security"), bound.writing() as connection:
        connection.execute("INSERT INTO events_rows VALUES (1, 9, '', '', 'acme')")
    with pytest.raises(StoreError), bound.writing() as connection:
        connection.execute("ALTER TABLE events_rows DISABLE ROW LEVEL SECURITY")
    with pytest.raises(ReadOnlyStore), bound.writing() as connection:
        connection.execute("INSERT INTO versions VALUES (99, 99)")
    with psycopg.connect(_as_role(postgres_url, role)) as raw:  # without a tenant
        table = sql.Identifier(database.schema, "events_rows")
        try:
            rows = raw.execute(sql.SQL("SELECT * FROM {}").format(table)).fetchall()
        except psycopg.errors.UndefinedObject:
            rows = []
        assert rows == []
    assert len(PostgresSessions(acme).load("s")) == 1


def test_all_stores_work_as_a_role_that_is_bound(postgres_url, open_database, database, role):
    enable_row_security(database, role)
    bound = open_database(_as_role(postgres_url, role), tenant="acme", row_security=True)
    sessions, memory = PostgresSessions(bound), PostgresMemory(bound, clock=lambda: 0)
    answers, board = PostgresAnswers(bound), PostgresBoard(bound)
    sessions.save(session_of("u: one", id="s"))
    memory.write("The warehouse is in Hamburg")
    answers.put("k", Answer(fingerprint="f", kind="summary", value="a", model="m", series="s"))
    ends = (Criterion(text="ok", id="a1"),)
    board.add(Step(task_id="t", step_id="1", goal="g", do=("x",), acceptance=ends))
    board.complete(board.claim("w"), "done")
    assert memory.search("warehouse") and answers.latest("s") and board.steps()[0].state == "done"
    policy = RetentionPolicy(max_age_days=1, over=RecordSelector(stores=("memory",)))
    lethe = Lethe(PostgresJournal(bound), sessions, memory, policies=policy, clock=lambda: 10**12)
    assert lethe.apply_retention_policy().actions and memory.listed() == []
    other = database.for_tenant("other")
    assert PostgresMemory(other).records() == [] and PostgresAnswers(other).entries() == []
    assert PostgresBoard(other).steps() == []


def test_tables_that_a_migration_adds_are_held_apart_as_well(
    postgres_url, open_database, database, role, monkeypatch
):
    """A role that was let in before goes on, also where a trigger of the new version runs for it."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA {database.schema} CASCADE")
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", migrations.MIGRATIONS[:4])
        patch.setattr(row_security, "TABLES", TABLES[:-1])
        enable_row_security(open_database(), role)
        memory = PostgresMemory(open_database(_as_role(postgres_url, role), tenant="acme"))
        one = memory.write("The warehouse is in Hamburg")
    open_database()  # the newer version, as the owner
    assert memory.forget([one.id]) == 1
    bound = open_database(_as_role(postgres_url, role), tenant="acme", row_security=True)
    server = PostgresMemory(bound, index="server")
    server.write("The harbour opens at six")
    assert server.search("harbour")
    with pytest.raises(ReadOnlyStore, match="row-level security"), bound.writing() as connection:
        connection.execute("INSERT INTO memory_vectors_rows VALUES (1, 'm', '{1}', 'other')")


def test_migrations_run_once_whoever_comes_first(open_database, postgres_url, schema):
    opened, errors = [], []

    def open_one():
        try:
            opened.append(open_database())
        except StoreError as error:
            errors.append(error)

    threads = [threading.Thread(target=open_one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and len(opened) == 6
    versions = opened[0].rows("SELECT version FROM versions ORDER BY version")
    assert versions == [(n + 1,) for n in range(len(migrations.MIGRATIONS))]


def test_an_older_process_goes_on_beside_a_newer_one_until_it_may_not(
    open_database, database, monkeypatch
):
    old = PostgresSessions(database)
    session = session_of("u: one", id="s")
    old.save(session)
    stop, seen = threading.Event(), []

    def write():
        while not stop.is_set():
            session.user("more")
            old.save(session)
            seen.append(len(old.load("s")))

    writer = threading.Thread(target=write)
    writer.start()
    view = """CREATE OR REPLACE VIEW events AS SELECT session, seq, body, hash, tenant, note
        FROM events_rows WHERE tenant = current_setting('contextwright.tenant') WITH CHECK OPTION"""
    more = ("ALTER TABLE events_rows ADD COLUMN note text", view)
    count = len(migrations.MIGRATIONS)
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, more))
        newer = PostgresSessions(open_database())
        newer.save(session_of("u: two", id="t"))
        before = len(seen)
        while len(seen) < before + 5 and writer.is_alive():
            pass
        patch.setattr(migrations, "OLDEST", count + 2)
        patch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, ()))
        open_database()
    stop.set()
    writer.join()
    assert len(old.load("s")) == len(session) and old.load("t").log[0].text == "two"
    with pytest.raises(NewerSchema, match=f"knows {count}"):
        open_database()


def test_what_is_done_within_one_transaction_is_done_or_not(database):
    store = PostgresSessions(database)
    with pytest.raises(ZeroDivisionError), database.writing():
        store.save(session_of("u: one", id="a"))
        store.save(session_of("u: two", id="b"))
        raise ZeroDivisionError
    assert store.ids() == []
    with database.writing():
        store.save(session_of("u: one", id="a"))
        with pytest.raises(StoreError):  # a part that fails leaves the rest
            store.append("b", session_of("u: x").log, expected=7)
        store.save(session_of("u: two", id="c"))
    assert store.ids() == ["a", "c"]


def test_a_server_that_is_restarted_while_it_is_opened_is_waited_for(open_database, monkeypatch):
    tries, looked = [], PostgresDatabase._is_migrated

    def lost_once(self):
        tries.append(1)
        if len(tries) == 1:
            raise LostConnection(LOST, where=self.path, fix="try again")
        return looked(self)

    monkeypatch.setattr(PostgresDatabase, "_is_migrated", lost_once)
    assert PostgresSessions(open_database()).ids() == [] and len(tries) == 2


def test_an_unreachable_server_is_named_without_its_password():
    with pytest.raises(StoreError, match="no connection") as caught:
        PostgresDatabase("postgresql://u:secret@127.0.0.1:1/x", wait_s=0.2)
    assert "127.0.0.1:1" in str(caught.value) and "secret" not in str(caught.value)


def test_an_address_that_is_none_is_refused_and_the_servers_own_words_are_told(postgres_url):
    for url in ("http://x", "no url", "postgresql://u:secret@[::bad/x", None):
        with pytest.raises(StoreError, match="no URL of a PostgreSQL") as caught:
            PostgresDatabase(url)
        assert "secret" not in str(caught.value)
    for schema in ("", "a\0b"):
        with pytest.raises(StoreError, match="name of a schema"):
            PostgresDatabase(postgres_url, schema=schema)
    parts = psycopg.conninfo.conninfo_to_dict(postgres_url)
    nowhere = psycopg.conninfo.make_conninfo(**{**parts, "dbname": "ctx_is_not_there"})
    for rest_s in (0, 10):  # nothing rests that was never reached
        with pytest.raises(StoreError, match="ctx_is_not_there.* does not exist"):
            PostgresDatabase(nowhere, wait_s=0.2, rest_s=rest_s)


@pytest.mark.parametrize("missing", ["psycopg", "psycopg_pool"])
def test_without_the_driver_the_extra_is_named(missing):
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from contextwright.errors import MissingExtra\n"
        "from contextwright.stores import postgres\n"
        "for name in postgres.__all__:\n"
        "    try:\n"
        "        getattr(postgres, name)\n"
        "    except MissingExtra as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    named = done.stdout.count("contextwright[postgres]")
    assert named == len(postgres.__all__), done.stderr
