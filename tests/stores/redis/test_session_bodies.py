"""Sessions whose beginnings are in Redis: the suite with it emptied in between, and damage."""

import random

import pytest

pytest.importorskip("psycopg_pool")

import msgspec

from contextwright.errors import CorruptData
from contextwright.stores.postgres import PostgresSessions
from contextwright.stores.session_bodies import MORE
from contextwright.testing import SessionStoreSuite, session_of


@pytest.fixture
def store(database, cache):
    return PostgresSessions(database, cache=cache)


@pytest.fixture
def reopen(open_database, cache):
    return lambda: PostgresSessions(open_database(), cache=cache)


class TestCached(SessionStoreSuite):
    """The suite, with what sessions begin with in Redis."""


class TestFlushed(SessionStoreSuite):
    """The suite, with Redis emptied before one read of three."""

    @pytest.fixture
    def store(self, database, cache, empty):
        dice, get = random.Random(7), cache.get

        def emptied(kind, name):
            if dice.random() < 0.3:
                empty()
            return get(kind, name)

        cache.get = emptied
        return PostgresSessions(database, cache=cache)


def _texts(session):
    return [event.text for event in session.log]


def test_only_what_is_new_is_read(store, cache, monkeypatch):
    session = session_of(" | ".join(f"u: {n} | a: {n}" for n in range(20)), id="s")
    session.update({"k": 1})
    store.save(session)
    store.load("s")
    session.user("new")
    session.update({"k": 2})
    store.save(session)
    from contextwright.stores import session_rows

    read = []
    values = session_rows.StoredSession._values

    def watched(self, table, kind, known=None, cached=()):
        read.append((table, len(cached)))
        return values(self, table, kind, known, cached)

    monkeypatch.setattr(session_rows.StoredSession, "_values", watched)
    assert _texts(store.load("s")) == _texts(session) and store.load("s").state["k"] == 2
    assert ("events", 40) in read and ("changes", 1) in read
    for _ in range(MORE):
        session.user("more")
    store.save(session)
    store.load("s")
    read.clear()
    store.load("s")
    assert ("events", len(session)) in read


def test_no_state_of_the_cache_makes_a_wrong_session(store, database, cache):
    session = session_of("u: one | a: two | u: three", id="s")
    store.save(session)
    name = store._cache._name("s")
    encode = msgspec.msgpack.encode
    bodies = session.log.bodies(0, 3)
    for wrong in (
        b"nothing",
        encode(([bodies[0], bodies[2]], [])),
        encode(([*bodies, bodies[0]], [])),
        encode(([b"{}"], [])),
        encode((bodies, [b"{}"])),
        encode(([body.replace(b"one", b"own") for body in bodies], [])),
    ):
        cache.put("session", name, wrong)
        assert _texts(store.load("s")) == ["one", "two", "three"]
    store.rewrite("s", lambda _: session_of("u: anew", id="s"))
    assert cache.get("session", name) is None and _texts(store.load("s")) == ["anew"]
    store.delete("s")
    assert cache.get("session", name) is None
    with database.writing() as connection:
        store.save(session)
        connection.execute("UPDATE events SET body = '{}'")
    with pytest.raises(CorruptData):
        store.load("s")
