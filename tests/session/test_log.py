"""The log tells the ids of exchanges without a look at their events."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.compiler.test_fold import work

from contextwright.formats import read_session, write_session
from contextwright.session.event import Text, ToolResult
from contextwright.session.session import Session
from contextwright.testing import sessions


@given(sessions(max_turns=8), st.data())
@settings(deadline=None, suppress_health_check=list(HealthCheck))
def test_ids_stand_exchange_by_exchange(session, data):
    same_as_of_exchanges(session.log, data)


@given(st.data())
@settings(max_examples=20, deadline=None)
def test_ids_of_results_that_came_late_stand_with_their_calls(data):
    log = work(60, 3).log
    assert log.late_joins()
    same_as_of_exchanges(log, data)


def same_as_of_exchanges(log, data) -> None:
    count = log.exchange_count(len(log))
    start, stop = sorted(data.draw(st.lists(st.integers(0, count), min_size=2, max_size=2)))
    stop = max(stop, start + 1)
    if start < count:
        exchanges = log.exchanges(start, stop, len(log))
        assert log.exchange_ids(start, stop) == [id for one in exchanges for id in one.ids]


def test_events_that_say_the_same_are_the_same_bytes():
    """A status that was read from JSON is not the object that stands for it in the code."""

    def said(status):
        session = Session("one")
        session.call("read", {}, id="c1")
        parts = (Text(text="x"),)
        session.add("tool", ToolResult(call_id="c1", content=parts, status=status))
        return session

    one, other = said("ok"), said("".join(("o", "k")))
    assert one.log[1] == other.log[1] and one.log.digest(2) == other.log.digest(2)
    stored = read_session(write_session(other))
    assert stored.log.digest(2) == other.log.digest(2)
