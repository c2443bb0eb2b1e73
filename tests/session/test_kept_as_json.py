"""What nobody looked at yet is JSON in memory; what it says, and its digest, are the same."""

import copy
import json
import pickle
import tracemalloc

import pytest
from hypothesis import given

from contextwright import Session, read_session
from contextwright.errors import SessionError
from contextwright.formats import write_session
from contextwright.session import Event, Log, State, Text, ToolCall, ToolResult
from contextwright.testing import sessions


@given(sessions())
def test_a_packed_log_says_what_the_log_says(session):
    events = list(session.log)
    packed, decoded = Log(events), Log()
    packed.pack()
    decoded.extend(events, decoded=True)
    for log in (packed, decoded):
        assert list(log) == events
        assert log[:] == events
        assert log.digest(len(log)) == session.log.digest(len(events))
        assert log.ids(0, len(log)) == [event.id for event in events]
        assert log.bodies(0, len(log)) == session.log.bodies(0, len(events))
        assert [log.position_of(event.id) for event in events] == list(range(len(events)))
        marks = [e.mark for e in session.log.exchanges(0, len(events), len(events))]
        assert [e.mark for e in log.exchanges(0, len(log), len(log))] == marks


def test_what_was_looked_at_stays_the_same_object():
    log = Log(Event(id=f"e{n}", role="user", parts=(Text(text="x"),)) for n in range(5))
    log.pack()
    assert log[1] is log[1]
    assert log.exchanges(2, 3, 5)[0].first is log[2]
    log.pack()
    assert log.exchanges(2, 3, 5)[0].first is log[2]


def test_what_json_does_not_say_stays_an_object():
    odd = Event(id="a", role="user", metadata={"pair": (1, 2)})
    log = Log([odd, Event(id="b", role="user"), Event(id="c", role="user")])
    log.pack()
    assert log[0].metadata["pair"] == (1, 2)


def test_a_session_takes_at_most_three_times_its_json():
    session = Session("s")
    for n in range(1000):
        session.user(f"question {n}: " + "words of a user " * 8)
        session.call("search", {"query": f"words {n}"}, id=f"call-{n}")
        session.result(f"call-{n}", f"result {n}: " + "what was found " * 20)
        session.assistant(f"answer {n}: " + "words of the model " * 8)
    data = write_session(session)
    read_session(data)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    again = read_session(data)
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert len(again) == 4000
    assert kept <= 2 * len(data)


def test_the_object_that_stands_for_no_fields_stays_empty():
    event = Event(id="a", role="user", parts=(Text(text="x"),))
    for own in (event.metadata, event.extra, event.parts[0].extra):
        with pytest.raises(SessionError, match="does not change"):
            own["k"] = 1
        with pytest.raises(SessionError, match="does not change"):
            own.update(k=1)
        assert own == {} and copy.deepcopy(own) is own and pickle.loads(pickle.dumps(own)) is own


def test_an_empty_object_of_its_own_is_written_as_none():
    plain = Event(id="a", role="tool", parts=(ToolResult(call_id="c", content=(Text(text="x"),)),))
    own = Event(
        id="a",
        role="tool",
        metadata={},
        extra={},
        parts=(ToolResult(call_id="c", content=(Text(text="x", extra={}),), extra={}),),
    )
    assert Log([own]).digest(1) == Log([plain]).digest(1)
    nested = Event(id="a", role="user", metadata={"extra": {}})
    assert json.loads(Log([nested]).bodies(0, 1)[0])["metadata"] == {"extra": {}}


def test_a_state_that_nobody_looks_at_is_not_copied_at_each_change():
    session = Session("s")
    for n in range(200):
        session.update({f"k{n}": n})
    values, before = session.state._layers
    assert len(values) == 1 and before is not None
    assert dict(session.state) == {f"k{n}": n for n in range(200)}
    assert session.state._layers[1] is None
    assert session.state.with_values({"k3": None}).get("k3") is None
    again = session.state.with_values({"k3": None}).with_values({"k3": 5})
    assert list(again)[-1] == "k3" and len(again) == 200
    assert State({"a": None})["a"] is None


def test_a_call_of_many_is_found_without_a_walk(monkeypatch):
    from contextwright.session import call_outcomes as module

    looked = []
    kind_of = module.kind_of
    monkeypatch.setattr(
        module, "kind_of", lambda name, arguments: looked.append(name) or kind_of(name, arguments)
    )
    calls = tuple(ToolCall(id=f"k{n}", name=f"f{n}") for n in range(500))
    log = Log([Event(id="calls", role="assistant", parts=calls)])
    log.extend(
        Event(id=f"r{n}", role="tool", parts=(ToolResult(call_id=f"k{n}"),)) for n in range(500)
    )
    assert looked == [f"f{n}" for n in range(500)]
