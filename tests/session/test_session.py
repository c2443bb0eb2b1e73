"""The log and its snapshots, against a log that is built anew for every prefix."""

import threading

import msgspec
import pytest
from hypothesis import given

from contextwright import Session
from contextwright.errors import SessionError
from contextwright.session import Event, Log, Text, conversation_view, reasoning_view
from contextwright.testing import session_of, sessions


def seen(log, position):
    """What a snapshot shows, as plain values."""
    return [
        (e.index, e.turn, e.positions, e.ids, e.open_calls, e.mark, sorted(e.results))
        for e in log.exchanges(0, log.exchange_count(position), position)
    ]


@given(sessions())
def test_a_snapshot_at_any_position_is_the_log_of_that_prefix(session):
    events = list(session.log)
    for position in range(len(events) + 1):
        fresh = Log(events[:position])
        assert seen(session.log, position) == seen(fresh, position)
        assert session.log.turn_count(position) == fresh.turn_count(position)
        assert session.log.digest(position) == fresh.digest(position)


@given(sessions())
def test_every_event_is_in_exactly_one_exchange(session):
    found = [id for e in session.snapshot().exchanges() for id in e.ids]
    assert sorted(found) == sorted(event.id for event in session.log)


@given(sessions())
def test_indexes_agree_with_the_events(session):
    snapshot = session.snapshot()
    for role in ("user", "assistant", "tool", "system"):
        wanted = [p for p, event in enumerate(session.log) if event.role == role]
        assert snapshot.positions("role", role) == wanted
    tagged = [p for p, event in enumerate(session.log) if "approved" in event.tags]
    assert snapshot.positions("tag", "approved") == tagged


def test_a_snapshot_does_not_see_what_comes_later():
    session = session_of("u: hi | c: f(x)")
    before = session.snapshot()
    session.result("call1", "late")
    session.update({"k": 1})
    session.user("next")
    assert [e.mark for e in before.exchanges()] == ["complete", "open"]
    assert "k" not in before.state
    assert before.turn == 0
    assert [e.mark for e in session.snapshot().exchanges()] == ["complete"] * 3


def test_the_two_views_of_one_log():
    session = session_of("u: hi | c: f(x) | r: one | a: answer | u: more")
    said = [e.first.text for e in conversation_view(session.snapshot())]
    assert said == ["hi", "answer", "more"]
    assert len(reasoning_view(session.snapshot())) == 4


@pytest.mark.parametrize(
    ("script", "marks"),
    [
        ("u: a | c: f(x)", ["complete", "open"]),
        ("u: a | c: f(x) | u: b", ["complete", "interrupted", "complete"]),
        ("u: a | c: f(x) | e: no", ["complete", "failed"]),
        ("u: a | c: f(x) | r: Error: no such file", ["complete", "failed"]),
        ("u: a | c: f(x) | r: fine", ["complete", "complete"]),
    ],
)
def test_exchanges_are_marked(script, marks):
    assert [e.mark for e in session_of(script).snapshot().exchanges()] == marks


def test_a_failure_is_open_until_the_same_tool_succeeds():
    session = session_of("u: a | c: f(x) | e: no | c: g(x) | r: yes")
    assert session.snapshot().open_failures == {1}
    session.call("f", "{}", id="again")
    session.result("again", "now it works")
    assert not session.snapshot().open_failures


def test_the_newest_failure_of_a_tool_takes_the_place_of_those_before():
    session = session_of("u: a | c: f(x) | e: no | c: g(x) | e: no | c: f(y) | e: no | a: hm")
    assert session.snapshot().open_failures == {2, 3}
    at_the_first = msgspec.structs.replace(session.snapshot(), position=3)
    assert at_the_first.open_failures == {1}
    session.call("f", "{}", id="waits")
    session.user("go on")
    assert session.snapshot().open_failures == {2, 5}  # interrupted: no result came
    session.result("waits", "late, but there")
    assert session.snapshot().open_failures == {2}


def test_a_turn_that_is_long_ages_by_its_steps():
    session = session_of("u: a | a: b | u: c" + "".join(f" | c: f({n}) | r: x" for n in range(9)))
    snapshot = session.snapshot()
    ages = [snapshot.age(e.index, e.turn) for e in snapshot.exchanges()]
    assert ages == [10, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    assert [snapshot.first_within(age) for age in (0, 3, 9, 10, 99)] == [11, 8, 2, 0, 0]
    assert snapshot.settled == 7
    session.user("d")
    snapshot = session.snapshot()
    assert [snapshot.age(e.index, e.turn) for e in snapshot.exchanges()][:4] == [11, 11, 10, 9]
    assert snapshot.settled == 12


def test_turns_of_a_chat_age_as_turns():
    session = session_of("s: brief" + "".join(f" | u: q{n} | a: b | a: c" for n in range(4)))
    snapshot = session.snapshot()
    assert [snapshot.age(e.index, e.turn) for e in snapshot.exchanges()][1::3] == [3, 2, 1, 0]
    assert snapshot.first_within(1) == 7
    assert snapshot.settled == 10


def test_the_same_event_twice_is_stored_once_and_another_of_its_id_refused():
    session = Session()
    session.user("hi", id="a")
    session.append(Event(id="a", role="user", parts=(Text(text="hi"),)))
    assert len(session) == 1
    with pytest.raises(SessionError, match="'a'"):
        session.user("other", id="a")


def test_lone_surrogates_of_live_events_are_repaired_at_the_border():
    session = Session()
    assert session.user("a \ud83d b").text == "a \ufffd b"


def test_what_the_caller_keeps_in_hand_does_not_reach_into_the_state():
    session = Session()
    mine = {"list": [1]}
    session.update({"k": mine})
    mine["list"].append(2)
    assert session.state["k"] == {"list": [1]}


@pytest.mark.parametrize("values", [{"": 1}, {"k" * 600: 1}, {"k": object()}, {"k": {1: object}}])
def test_state_that_can_not_be_kept_is_refused(values):
    with pytest.raises(SessionError) as caught:
        Session().update(values)
    assert caught.value.fix


def test_a_position_that_was_never_reached_is_refused():
    with pytest.raises(SessionError, match="9"):
        session_of("u: hi").snapshot_at(9, 0)


def test_threads_lose_nothing():
    session = Session()

    def write(name):
        for n in range(300):
            session.append(Event(id=f"{name}{n}", role="user", parts=(Text(text="x"),)))

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(session) == 1200
    for name in "abcd":
        order = [int(e.id[1:]) for e in session.log if e.id[0] == name]
        assert order == list(range(300))


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ('{"error": null, "ok": 1}', "complete"),
        ('{"error": ""}', "complete"),
        ('{"error": "disk full"}', "failed"),
        ("Errors found: 0", "complete"),
        ("error: no such file", "failed"),
        ("Traceback (most recent call last):", "failed"),
        ("all good, no error", "complete"),
    ],
)
def test_a_result_that_begins_as_an_error_is_one(text, mark):
    session = session_of("u: a | c: f(x)")
    session.result("call1", text)
    assert session.snapshot().exchanges()[1].mark == mark
