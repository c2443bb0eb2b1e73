"""What the events of an exchange tell of its messages is what its block has."""

from hypothesis import given
from msgspec.structs import replace
from tests.render.test_event_cost import EVENTS

from contextwright import Session
from contextwright.blocks.of_exchange import block_of, messages_of_events
from contextwright.testing import sessions


def told(session):
    """The messages of each exchange as its events tell them, beside those of its block."""
    exchanges = session.snapshot().exchanges()
    return [(messages_of_events(one.events), block_of(one).messages) for one in exchanges]


@given(sessions())
def test_events_tell_the_messages_or_nothing(session):
    assert all(known in {None, messages} for known, messages in told(session))


@given(EVENTS)
def test_so_do_hostile_ones(events):
    session = Session("s")
    session.extend(replace(event, id=f"e{place}") for place, event in enumerate(events))
    assert all(known in {None, messages} for known, messages in told(session))


def test_words_and_calls_with_their_results_are_told():
    session = Session("s")
    session.user("Search for a.")
    session.call("search", '{"query": "a"}', id="a")
    session.result("a", "found")
    assert [known for known, _ in told(session)] == [messages for _, messages in told(session)]
