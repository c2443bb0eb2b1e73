"""A window over a stream (cooling-and-forgetting.md#sliding-window)."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextwright.engine.sliding_window import SlidingWindow
from contextwright.errors import SpecError
from contextwright.retrieval.salience import SalienceScorer
from contextwright.session.event import Event, Text, ToolCall, ToolResult
from contextwright.testing import session_of, sessions
from contextwright.tokens.counter import named_counter

SAID = Text(text="nine words that say what the tool had found")


def words(text):
    return len(text.split())


class Equal:
    """Everything is worth the same: the oldest goes first."""

    def __init__(self):
        self.asked = 0

    def score(self, content):
        self.asked += 1
        return 0.5


def test_the_defaults_are_the_documents():
    window = SlidingWindow()
    assert (window.window_size, window.sink_size, window.recent_size) == (4096, 4, 1024)
    assert window.attention_sinks == window.middle == window.recent == []


def test_the_first_and_the_last_stay_and_the_oldest_between_goes():
    window = SlidingWindow(10, 2, 3, salience_scorer=Equal(), count=words)
    numbers = [f"n{n}" for n in range(12)]
    assert window.add(numbers) == ["n2", "n3"]
    assert window.attention_sinks == ["n0", "n1"]
    assert window.recent == ["n9", "n10", "n11"]
    assert window.middle == ["n4", "n5", "n6", "n7", "n8"]
    assert window.get_context() == "n0 n1 n4 n5 n6 n7 n8 n9 n10 n11"
    assert window.pressure == 1.0


def test_of_the_middle_the_least_salient_goes():
    scorer = SalienceScorer(known_entities=["ACME"])
    window = SlidingWindow(6, 1, 1, salience_scorer=scorer, count=lambda text: 1)
    assert window.add(["# task", "hello ACME", "---", "some words", "more", "words", "newest"]) == [
        "---"
    ]


def test_what_the_stream_names_again_stays_without_being_registered():
    window = SlidingWindow(5, 1, 1, count=lambda text: 1)
    gone = window.add(["begin", "order 48213 is late", "small talk", "more talk", "48213?", "end"])
    assert gone == ["small talk"]


def test_equal_texts_are_not_removed_together():
    window = SlidingWindow(4, 1, 1, salience_scorer=Equal(), count=lambda text: 1)
    assert window.add(["a", "same", "same", "same", "z"]) == ["same"]
    assert window.items == ["a", "same", "same", "z"]


def test_a_name_that_is_registered_later_counts_from_then_on():
    scorer = SalienceScorer(detect=False)
    window = SlidingWindow(4, 1, 1, salience_scorer=scorer, count=lambda text: 1)
    window.add(["a", "about Lisbon", "about Rome", "z"])
    scorer.register_entity("Lisbon")
    assert window.add("newest") == ["about Rome"]


def test_what_the_user_asks_last_is_what_stays():
    session = session_of(
        "u: hello | a: the parcel left Lisbon | a: the news were dull | u: where is the parcel? | a: x"
    )
    window = SlidingWindow(4, 1, 1, count=lambda text: 1)
    assert [event.id for event in window.add(session.log)] == ["e2"]


def test_tokens_are_real_ones():
    window = SlidingWindow()
    window.add(["漢字かな交じり文" * 20, "plain english words"])
    count = named_counter("o200k_base").count
    assert window.tokens == count("漢字かな交じり文" * 20) + count("plain english words")
    assert window.pressure == window.tokens / 4096


def test_sinks_that_are_larger_than_the_window_stay_and_the_pressure_says_so():
    window = SlidingWindow(10, 4, 2, count=words)
    window.add(["w " * 30, "newest words"])
    assert window.items == ["w " * 30, "newest words"]
    assert window.pressure > 1


def test_pruning_by_hand_takes_a_tenth_of_the_middle():
    window = SlidingWindow(100, 1, 1, salience_scorer=Equal(), count=lambda text: 1)
    window.add([f"n{n}" for n in range(32)])
    assert window.prune() == ["n1", "n2", "n3"]


@pytest.mark.parametrize("sizes", [(10, 8, 3), (10, -1, 3), (10, 1, -1)])
def test_a_window_without_room_is_refused(sizes):
    with pytest.raises(SpecError, match="window of 10") as caught:
        SlidingWindow(*sizes)
    assert caught.value.fix.startswith("SlidingWindow(window_size=10, sink_size=")


stream = st.lists(st.text("ab #\n", min_size=0, max_size=30), max_size=60)


@settings(deadline=None)
@given(stream, st.integers(0, 6), st.integers(0, 6), st.integers(12, 40))
def test_sinks_and_recent_survive_and_nothing_is_lost(texts, sinks, recent, size):
    window = SlidingWindow(size, sinks, recent, count=len)
    items = [f"{n}:{text}" for n, text in enumerate(texts)]
    pruned = [gone for item in items for gone in window.add(item)]
    assert sorted(pruned + window.items) == sorted(items)
    assert window.items == [item for item in items if item in set(window.items)]
    first, total = 0, 0
    while first < len(items) and total < sinks:
        total += len(items[first])
        first += 1
    assert window.items[:first] == items[:first]
    newest = items[-1:]
    while len(newest) < len(items) and sum(map(len, items[-len(newest) - 1 :])) <= recent:
        newest = items[-len(newest) - 1 :]
    assert window.items[-len(newest) :] == newest or not items
    must = set(items[:first]) | set(newest)
    assert window.tokens <= size or not set(window.items) - must


@settings(deadline=None)
@given(sessions(), st.integers(6, 200))
def test_an_exchange_is_never_split(session, size):
    window = SlidingWindow(size, 1, size // 3)
    pruned = window.add(session.log)
    events = window.items
    assert sorted(e.id for e in pruned + events) == sorted(e.id for e in session.log)
    asked = {call.id for event in events for call in event.calls}
    assert all(result.call_id in asked for event in events for result in event.results)
    answered = {result.call_id for event in pruned for result in event.results}
    given_back = {call.id for event in pruned for call in event.calls}
    assert not (asked - given_back) & answered


def test_calls_that_one_event_answers_stay_or_leave_together():
    for size in range(8, 60, 2):
        window = SlidingWindow(size, 0, 4, count=words)
        events, pruned = [], []
        for n in range(8):
            calls = [ToolCall(id=f"c{n}{k}", name="f", arguments="{}") for k in "ab"]
            answers = [ToolResult(call_id=call.id, name="f", content=(SAID,)) for call in calls]
            events += [Event(id=call.id, role="assistant", parts=(call,)) for call in calls]
            events.append(Event(id=f"r{n}", role="tool", parts=tuple(answers)))
        for event in events:
            pruned += window.add(event)
        left = [event.id for event in window.items]
        assert sorted(left + [event.id for event in pruned]) == sorted(e.id for e in events)
        for n in range(8):
            assert len({id in left for id in (f"c{n}a", f"c{n}b", f"r{n}")}) == 1
        assert left[-3:] == ["c7a", "c7b", "r7"]
        assert window.tokens <= max(size, 22)


def test_an_add_costs_what_a_logarithm_does():
    for count in (1_000, 4_000):
        scorer = Equal()
        window = SlidingWindow(count // 2, 4, 50, salience_scorer=scorer, count=lambda text: 1)
        for n in range(count):
            window.add(f"n{n}")
        assert scorer.asked < 12 * count * math.log2(count) / 10
