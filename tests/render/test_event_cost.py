"""What an exchange costs is told from its events as from its block, or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.render.strategies import ARGUMENTS, IDS, IMAGES, NAMES, SAID

from contextwright import Session
from contextwright.blocks.of_exchange import block_of
from contextwright.compiler.block_cost import Presentation, costs_of
from contextwright.render import wire
from contextwright.render.openai import OpenAIRenderer
from contextwright.render.openai_chat import OpenAIChatRenderer
from contextwright.session.event import Event, Text, ToolCall, ToolResult
from contextwright.spec.memo import Memo
from contextwright.testing import sessions, target_for

TARGET = target_for("openai-chat")
FORMATS = ("openai-chat", "openai-responses", "anthropic", "gemini", "text")
ROLES = st.sampled_from(("user", "assistant", "tool", "system"))
TEXTS = st.builds(Text, text=SAID)
CALLS = st.builds(ToolCall, id=st.sampled_from(("a", "b")) | IDS, name=NAMES, arguments=ARGUMENTS)
RESULTS = st.builds(
    ToolResult,
    call_id=st.sampled_from(("a", "b")) | IDS,
    content=st.lists(TEXTS | IMAGES, max_size=2).map(tuple),
    status=st.sampled_from(("ok", "error", "interrupted")),
)
PARTS = st.lists(st.one_of(TEXTS, CALLS, RESULTS, IMAGES), max_size=4).map(tuple)
EVENTS = st.lists(st.builds(Event, id=st.just(""), role=ROLES, parts=PARTS), min_size=1, max_size=4)


class AsSent(OpenAIChatRenderer):
    """Counts each block by the messages that it is sent as."""

    cost = OpenAIRenderer.cost


def told(session, format="openai-chat", agent="", refs=True, renderer=None):
    """Tokens of each exchange by its block, and as its events tell them."""
    target = target_for(format)
    shown = Presentation(agent, framed=False, refs=refs)
    renderer = renderer or target.provider.renderer
    cost, event_cost, *_ = costs_of(Memo(), renderer, target, shown)
    event_cost = event_cost or (lambda _: None)
    exchanges = session.snapshot().exchanges()
    events = session.log.events_of(0, len(exchanges))
    assert events == [exchange.events for exchange in exchanges]
    return [
        (cost(block_of(exchange)), event_cost(members))
        for exchange, members in zip(exchanges, events, strict=True)
    ]


@pytest.mark.parametrize("format", FORMATS)
@given(session=sessions(), agent=st.sampled_from(("", "critic")), refs=st.booleans())
def test_events_tell_what_the_block_costs(format, session, agent, refs):
    for tokens, of_events in told(session, format, agent, refs):
        assert of_events in {None, tokens}


@given(EVENTS)
def test_so_do_hostile_ones(events):
    session = Session("s")
    session.extend(replace(event, id=f"e{place}") for place, event in enumerate(events))
    for tokens, of_events in told(session):
        assert of_events in {None, tokens}


@given(sessions(), st.sampled_from(("", "critic")), st.booleans())
def test_a_block_costs_what_it_is_sent_as(session, agent, refs):
    as_sent = told(session, agent=agent, refs=refs, renderer=AsSent())
    assert told(session, agent=agent, refs=refs) == as_sent


@given(EVENTS)
def test_so_does_a_hostile_one(events):
    session = Session("s")
    session.extend(replace(event, id=f"e{place}") for place, event in enumerate(events))
    assert told(session) == told(session, renderer=AsSent())


def test_of_words_and_calls_with_results_no_messages_are_made_to_count_them(monkeypatch):
    made = []
    wires = OpenAIChatRenderer.wires
    monkeypatch.setattr(
        OpenAIChatRenderer, "wires", lambda *them: made.append(them) or wires(*them)
    )
    session = Session("s")
    session.user("Find x.")
    session.call("find", {"what": "x"}, id="a")
    session.result("a", "found")
    session.assistant("Done.")
    assert [tokens > 0 for tokens, _ in told(session)] == [True] * 3
    assert not made


def test_words_and_answered_calls_are_told():
    session = Session("s")
    session.user("Find x.")
    session.assistant(
        Text(text="I look it up."),
        ToolCall(id="a", name="find", arguments=' {"what": "x"}'),
        ToolCall(id="b", name="find it!", arguments="{}"),
    )
    session.result("b", "nothing")
    session.result("a", "größer als y", error=True)
    session.assistant("It is larger than y.")
    assert all(tokens == of_events for tokens, of_events in told(session))


def test_what_came_as_json_stays_that():
    session = Session("s")
    session.log.extend(
        (Event(id=f"e{n}", role="user", parts=(Text(text=f"{n}"),)) for n in range(9)), decoded=True
    )
    session.log.events_of(0, 9)
    assert sum(isinstance(event, bytes) for event in session.log._events) == 8


@pytest.mark.parametrize(
    "written",
    [
        "", "{}", " {}", '{"a": 1}', ' {"a": 1}', '{"a": 1}\n', '{"a": "\\ud800"}', '{"a": "\u017b"}',
        '{"a": 1e400}', '{"a": NaN}', '{"a": 12345678901234567890123}', "[1]", "{1}", '{"a": 1', "x",
        '{"a": ' + "[" * 200 + "]" * 200 + "}", '{"a": ' + "[" * 600 + "]" * 600 + "}",
        '{"a": "' + "b" * 600 + '"}', '{"a": 1, "a": 2}',
    ],
)  # fmt: skip
def test_arguments_stand_as_they_do_where_each_is_looked_through(written, monkeypatch):
    call = ToolCall(id="a", name="f", arguments=written)
    text = wire.arguments_text(call)
    monkeypatch.setattr(wire, "_is_plain_object", lambda text: False)
    assert text == wire.arguments_text(call)
