"""A log that one thread reads while others append: every reader sees one state of it."""

import sys
import threading
import time

import pytest
from tests.at_once import at_once

from contextwright import C, compile
from contextwright.compiler.replay_pack import replay
from contextwright.errors import SessionError
from contextwright.session import Event, Log, Text, ToolCall, ToolResult
from contextwright.testing import session_of


@pytest.fixture
def nervous():
    """Threads change every 10 µs."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def call(n):
    return Event(id=f"c{n}", role="assistant", parts=(ToolCall(id=f"k{n}", name="f"),))


def result(n, part=0, text="one"):
    answer = ToolResult(call_id=f"k{n}", content=(Text(text=text),))
    return Event(id=f"r{n}-{part}", role="tool", parts=(answer,))


def plain(log, position):
    return [
        (e.index, e.ids, e.mark, e.open_calls)
        for e in log.exchanges(0, log.exchange_count(position), position)
    ]


def test_a_position_shows_the_same_exchanges_whatever_is_appended_meanwhile(nervous):
    log, stop, wrong = Log(), threading.Event(), []

    def read():
        while not stop.is_set():
            position = len(log)
            seen = plain(log, position)
            if seen != plain(Log(log[:position]), position):
                wrong.append((position, seen))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for n in range(60):
        log.extend([call(n), result(n), result(n, 1), result(max(0, n - 3), n + 9)])
        time.sleep(0.0005)
    stop.set()
    for reader in readers:
        reader.join()
    assert not wrong


def test_packs_compiled_beside_writers_are_replayed(nervous):
    session = session_of("u: begin")
    packs, stop = [], threading.Event()

    def write(name):
        n = 0
        while not stop.is_set() and n < 400:
            n += 1
            session.append(
                Event(
                    id=f"{name}c{n}", role="assistant", parts=(ToolCall(id=f"{name}{n}", name="f"),)
                )
            )
            answer = ToolResult(call_id=f"{name}{n}", content=(Text(text="result " * (n % 20)),))
            session.append(Event(id=f"{name}r{n}", role="tool", parts=(answer,)))
            time.sleep(0.0005)

    writers = [threading.Thread(target=write, args=(name,)) for name in "ab"]
    for writer in writers:
        writer.start()
    spec = C.window(n=3) | C.compact() | C.budget(4000)
    for _ in range(25):
        packs.append(compile(session, spec, model="gpt-5"))
    stop.set()
    for writer in writers:
        writer.join()
    for pack in packs:
        assert replay(pack.manifest, session).body == pack.body


def test_results_that_join_one_message_cost_what_they_are(monkeypatch):
    from contextwright.session import log as module

    built, count = [], 3_000
    exchange_of = module.exchange_of

    def counting(index, turn, positions, events, **options):
        built.append(len(events))
        return exchange_of(index, turn, positions, events, **options)

    monkeypatch.setattr(module, "exchange_of", counting)
    calls = tuple(ToolCall(id=f"k{n}", name="f") for n in range(count))
    log = Log([Event(id="calls", role="assistant", parts=calls), *map(result, range(count))])
    assert len(log.exchanges(0, 1, len(log))[0].results) == count
    log.append(Event(id="u", role="user"))
    log.extend(result(n, 1) for n in range(count))
    assert log.exchanges(0, 1, len(log))[0].mark == "duplicate"
    assert sum(built) <= 5 * count


@pytest.mark.parametrize(
    ("metadata", "kept"),
    [
        ({"a": float("nan"), "b": [1.5, float("inf")]}, {"a": None, "b": [1.5, None]}),
        ({"a": "half \ud83d"}, {"a": "half \ufffd"}),
        ({"a": None, "b": 1.5}, {"a": None, "b": 1.5}),
    ],
)
def test_an_event_in_the_log_is_the_event_that_a_store_gives_back(metadata, kept):
    log = Log([Event(id="e", role="user", metadata=metadata)])
    assert log[0].metadata == kept
    assert log.digest(1) == Log([Event(id="e", role="user", metadata=kept)]).digest(1)


@pytest.mark.parametrize("value", [object(), {1: {2j}}, lambda: 1])
def test_an_event_that_nothing_can_store_is_named(value):
    with pytest.raises(SessionError, match="no JSON data") as caught:
        Log([Event(id="odd", role="user", metadata={"a": value})])
    assert "odd" in caught.value.where


class Noted:
    """A value of the application's, while whose copy an engine notes something of the session."""

    def __init__(self, session):
        self.session = session

    def __deepcopy__(self, known):
        self.session.metadata["contextwright.folds"] = []
        self.session.metadata.pop("gone", None)
        return self


def test_a_session_is_forked_while_an_engine_notes_something_of_it():
    session = session_of("u: hi | a: hello | u: and now?")
    session.metadata.update({"own": Noted(session), "more": 1, "gone": 2})
    assert session.fork(id="other").metadata["more"] == 1


def test_nothing_that_is_revised_at_once_is_lost(nervous):
    session = session_of("u: hi")

    def count(_):
        for _ in range(300):
            session.revise_metadata("count", lambda known: (known or 0) + 1)

    at_once(count, range(8))
    assert session.metadata["count"] == 2_400
