"""A person erased from PostgreSQL, its journal, Redis in front of it and a bucket beside it: from every
row, value, object, and from the files of the server."""

import os

import psycopg
import pytest
import redis
from tests.retention.conftest import NOW
from tests.retention.test_erase import ADA, STRINGS, about_ada, answer
from tests.s3_server import s3, s3_server  # noqa: F401

from contextwright import C, Session, compile
from contextwright.compiler import replay
from contextwright.retention import Lethe, RecordSelector
from contextwright.retention.postgres_journal import PostgresJournal
from contextwright.stores import ObjectArtifacts
from contextwright.stores.object_artifacts import opened_store
from contextwright.stores.postgres import PostgresAnswers, PostgresMemory, PostgresSessions
from contextwright.stores.redis import RedisAnswers

obstore = pytest.importorskip("obstore", reason="pip install 'contextwright[s3]'")
_TABLES = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = %s::regnamespace"
_FILES = """
SELECT pg_relation_filepath(c.oid) FROM pg_class AS c
WHERE relkind IN ('r', 'i') AND relnamespace = %s::regnamespace
UNION SELECT pg_relation_filepath(reltoastrelid) FROM pg_class
WHERE reltoastrelid <> 0 AND relnamespace = %s::regnamespace
"""


def told_in(data):
    """The person's strings in some bytes; those of a column of bytes are in hexadecimal."""
    return [
        each for each in STRINGS if each.encode() in data or each.encode().hex().encode() in data
    ]


def rows_of(url, schema):
    with psycopg.connect(url) as connection:
        names = [name for (name,) in connection.execute(_TABLES, (schema,)).fetchall()]
        return {
            name: str(connection.execute(f'SELECT t::text FROM {schema}."{name}" t').fetchall())
            for name in names
        }


def files_of(url, schema):
    """The bytes of the files of all tables; none where the server's folder is not ours to read."""
    with psycopg.connect(url, autocommit=True) as connection:
        try:
            connection.execute("CHECKPOINT")
            (folder,) = connection.execute("SHOW data_directory").fetchone()
            paths = connection.execute(_FILES, (schema, schema)).fetchall()
            return b"".join(open(os.path.join(folder, path), "rb").read() for (path,) in paths)
        except (psycopg.Error, OSError):
            return b""


def values_of(url, prefix):
    with redis.Redis.from_url(url) as client:
        return b"".join(key + client.get(key) for key in client.scan_iter(f"{prefix}:*"))


def objects_of(url):
    store = opened_store(url)
    return b"".join(
        bytes(obstore.get(store, meta["path"]).bytes())
        for page in obstore.list(store)
        for meta in page
    )


def test_nothing_of_a_person_is_left(
    database, postgres_url, schema, cache, redis_url, prefix, s3  # noqa: F811
):  # fmt: skip
    sessions = PostgresSessions(database, cache=cache)
    memory = PostgresMemory(database, index="server")
    answers = RedisAnswers(cache, PostgresAnswers(database))
    artifacts = ObjectArtifacts(f"{s3}/agents")
    own, bob = Session("own", metadata={"user_id": ADA.id}), Session("bob-chat")
    own.user("It is me")
    bob.user("I am Bob")
    bob.assistant("Hello")
    for session in (about_ada(), own, bob):
        sessions.save(session)
        sessions.load(session.id)  # into the cache
    pack = compile(bob, C.default(), model="gpt-5")
    memory.write("Likes tea", scope=ADA.id)
    memory.write("Bob met Ada Lovelace", id="mem-Lovelace", scope="bob")
    memory.write("Bob likes coffee", scope="bob")
    answers.put("k1", answer("Bob is fine", "k1"))
    answers.put("k2", answer({"who": "Ada Lovelace"}, "k2"))
    artifacts.put(b"Dear Jos\xc3\xa9", name="letters/1.txt")
    artifacts.put(b"\x89PNG", name="users/ada@example.org/portrait.png")
    artifacts.put(b"Dear Bob", name="letters/3.txt")
    stores = (sessions, memory, answers, artifacts)
    lethe = Lethe(PostgresJournal(database), *stores, clock=lambda: NOW)
    lethe.hold(RecordSelector(ids="zzz"), "asked by Lovelace")
    assert told_in(str(rows_of(postgres_url, schema)).encode())
    assert told_in(values_of(redis_url, prefix)) and told_in(objects_of(f"{s3}/agents"))
    lethe.erase(ADA, who="Ada Lovelace", why="asked in a letter")
    left = {
        name: told_in(rows.encode().replace(b"\\\\x", b""))
        for name, rows in rows_of(postgres_url, schema).items()
    }
    assert {name for name, told in left.items() if told} == set()
    assert told_in(files_of(postgres_url, schema)) == []
    assert told_in(values_of(redis_url, prefix)) == []
    assert told_in(objects_of(f"{s3}/agents")) == []
    # and nobody else is
    assert sessions.ids() == ["shared", "bob-chat"] and answers.get("k1")
    assert [each.memory.text for each in memory.listed()] == ["Bob likes coffee"]
    assert [name.name for name in artifacts.names()] == ["letters/3.txt"]
    assert sessions.load("shared").log[1].text == "I am [erased], born 1815"
    assert replay(pack.manifest, sessions.load("bob-chat")).body == pack.body
    assert [line.what for line in lethe.audit()][0] == "held"
