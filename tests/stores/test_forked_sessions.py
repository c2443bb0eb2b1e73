"""Sessions that fork and rewind at any place, in every store: after any turns of it and after a
reload each is what it is in memory, its lineages too, and its requests are the same."""

import random

import pytest

from contextwright import C
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.errors import ContextwrightError
from contextwright.session import Session
from contextwright.stores import SQLiteSessions
from contextwright.testing import target_for

SPECS = (C.default() | C.compaction(700), C.window(n=2) | C.compact(), C.default())


def _sqlite(request):
    path = request.getfixturevalue("tmp_path") / "sessions.db"
    return lambda: SQLiteSessions(path)


def _postgres(request):
    pytest.importorskip("psycopg_pool")
    from contextwright.stores.postgres import PostgresSessions

    opened = request.getfixturevalue("open_database")
    return lambda: PostgresSessions(opened())


def _redis(request):
    pytest.importorskip("psycopg_pool")
    from contextwright.stores.postgres import PostgresSessions

    opened, cache = request.getfixturevalue("open_database"), request.getfixturevalue("cache")
    return lambda: PostgresSessions(opened(), cache=cache)


STORES = {"sqlite": _sqlite, "postgres": _postgres, "redis": _redis}


def seen(session):
    """All that a session is: its events, state, lineages, origin and requests."""
    own = [
        (event.id, event.role, event.text, event.calls, event.results, event.tags)
        for event in session.log
    ]
    changes = [(change.position, dict(change.values)) for change in session.changes]
    state, origin = dict(session.state), session.forked_from
    return own, changes, state, origin, [compiled(session, spec) for spec in SPECS]


def everything(session):
    return seen(session), [seen(lineage) for lineage in session.lineages]


def compiled(session, spec):
    try:
        return SpecCompiler(spec).compile(session.snapshot(), target_for("openai-chat")).body
    except ContextwrightError as error:
        return type(error).__name__


def one_turn(session, dice, number):
    """Something that a session does, at any place of a loop."""
    match dice.randrange(9):
        case 0 | 1:
            session.user(f"turn {number} " + "word " * dice.randrange(40))
        case 2:
            session.assistant(f"answer {number}")
        case 3 | 4:
            ids = [f"c{number}_{n}" for n in range(dice.randrange(1, 4))]
            for id in ids:
                session.call("look", f'{{"n": "{id}"}}', id=id)
                if dice.random() < 0.8:
                    session.result(id, f"seen {id} " * dice.randrange(1, 60))
        case 5:
            session.update({f"k{dice.randrange(3)}": number})
        case 6 | 7:
            if len(session):
                session.rewind(_place(session, dice))
        case _:
            pass


def _place(session, dice):
    """Any place: the first event, the end, within calls and their results."""
    return dice.choice([0, len(session), dice.randrange(len(session) + 1), session.log[0].id])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", STORES)
def test_forks_and_rewinds_are_in_a_store_what_they_are_in_memory(kind, seed, request):
    opened = STORES[kind](request)
    dice, store, sessions = random.Random(seed), opened(), {}
    sessions["s"] = Session("s")
    for number in range(60):
        name = dice.choice(list(sessions))
        one_turn(sessions[name], dice, number)
        if dice.random() < 0.15 and len(sessions) < 4 and len(sessions[name]):
            fork = sessions[name].fork(_place(sessions[name], dice), id=f"f{number}")
            sessions[fork.id] = fork
        if dice.random() < 0.3:
            store.save(sessions[name])
        if dice.random() < 0.15:
            store.save(sessions[name])
            store = opened() if dice.random() < 0.5 else store
            before = everything(sessions[name])
            sessions[name] = store.load(name)  # it goes on from there
            assert everything(sessions[name]) == before
    for name, session in sessions.items():
        store.save(session)
        assert everything(opened().load(name)) == everything(session)
        for lineage in session.lineages:
            assert lineage.fork(id="again").snapshot().exchange_count == (
                lineage.snapshot().exchange_count
            )
