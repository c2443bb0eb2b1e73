"""Messages of a request are found in a history as if nothing were known of the request before."""

from hypothesis import given
from hypothesis import strategies as st

from contextwright.engine.message_history import MessageHistory
from contextwright.formats.message_list import message_list
from contextwright.formats.read_messages import read_list

SAID = [{"role": role, "content": text} for role in ("user", "assistant") for text in "ab"]
OBJECTS = [dict(message) for message in SAID * 2] + [{"role": "user", "content": "told"}]


def history_of(messages):
    listed = message_list({"model": "m", "messages": messages}, "here")
    history = MessageHistory(b"", read_list(listed, "openai-chat"), listed.fields)
    history.hold(listed.messages)
    return history


@given(
    st.lists(st.sampled_from(SAID), min_size=1, max_size=8),
    st.lists(
        st.tuples(st.lists(st.sampled_from(OBJECTS), max_size=8), st.sampled_from([*SAID, None])),
        min_size=1,
        max_size=5,
    ),
)
def test_places_are_those_of_a_request_seen_for_the_first_time(messages, requests):
    """Requests that begin alike, and a history that says meanwhile what it did not."""
    history, wires = history_of([dict(one) for one in messages]), []
    for further, said in requests:
        wires = [*wires[: len(wires) - len(further) // 2], *further]
        fresh = history_of(list(history.messages))
        assert history.places_of(wires, wires) == fresh.places_of(wires)
        if said is not None:
            history.hold([dict(said)])
