"""An append is a little work, as much in a long session as in a short one."""

import pytest
from tests.work_counts import function_calls

from contextwright.session import Event, Log, Session, Text, ToolCall, ToolResult, call_outcomes

ARGUMENTS = '{"origin": "SFO", "destination": "SEA", "date": "2024-05-28"}'
ANSWER = '{"reservation": "K1NW8N", "cabin": "economy", "passengers": 2}'


def call_and_result(n: int) -> list[Event]:
    call = ToolCall(id=f"k{n}", name="search_flight", arguments=ARGUMENTS)
    answer = ToolResult(call_id=f"k{n}", name="search_flight", content=(Text(text=ANSWER),))
    return [
        Event(id=f"e{2 * n}", role="assistant", parts=(call,)),
        Event(id=f"e{2 * n + 1}", role="tool", parts=(answer,)),
    ]


@pytest.mark.parametrize("before", [1, 400])
def test_a_call_and_its_result_are_appended_in_few_steps(before):
    session = Session("s", [event for n in range(before) for event in call_and_result(n)])
    assert function_calls(lambda: session.extend(call_and_result(before))) < 150


def test_a_calls_kind_is_told_once_for_its_result(monkeypatch):
    looked, kind_of = list[str](), call_outcomes.kind_of
    monkeypatch.setattr(
        call_outcomes, "kind_of", lambda *call: looked.append(call[0]) or kind_of(*call)
    )
    monkeypatch.setattr("contextwright.session.failure.kind_of", None)  # is not asked again
    Log([event for n in range(5) for event in call_and_result(n)])
    assert looked == ["search_flight"] * 5


def test_an_answered_exchange_is_not_looked_at_when_the_next_begins(monkeypatch):
    settled, settle = list[int](), Log._settle
    monkeypatch.setattr(
        Log, "_settle", lambda log, index, at: settled.append(index) or settle(log, index, at)
    )
    log = Log([event for n in range(5) for event in call_and_result(n)][:-1])  # the last waits
    log.append(Event(id="u", role="user", parts=(Text(text="Go on."),)))
    assert settled == [4]
    assert log.exchanges(4, 5, len(log))[0].mark == "interrupted"


@pytest.mark.parametrize("statuses", [("ok", "interrupted"), ("interrupted", "ok"), ("ok", "ok")])
def test_the_last_result_of_a_call_says_whether_it_waits(statuses):
    calls = (ToolCall(id="a", name="f"), ToolCall(id="b", name="g"))
    log = Log([Event(id="calls", role="assistant", parts=calls)])
    for n, status in enumerate(statuses):
        answer = (ToolResult(call_id="a", status=status), ToolResult(call_id="b"))
        log.append(Event(id=f"r{n}", role="tool", parts=answer))
    log.append(Event(id="u", role="user", parts=(Text(text="Go on."),)))
    exchange = log.exchanges(0, 1, len(log))[0]
    assert exchange.open_calls == (("a",) if statuses[-1] == "interrupted" else ())
    failures = [kind for kind, _, index in log.newest_failures(len(log)) if index == 0]
    assert failures == (["f"] if "interrupted" in statuses else [])
