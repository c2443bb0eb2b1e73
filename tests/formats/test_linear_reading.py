"""Reading twice as much makes twice as many calls, whatever the input is made of."""

import json

import pytest
from tests.work_counts import function_calls

from contextwright import read_session

CALL = {"type": "function", "function": {"name": "f", "arguments": "{}"}}


def lines(records):
    return "\n".join(map(json.dumps, records)).encode()


def results_of_one_call_message(n):
    calls = [{"id": f"k{k}", **CALL} for k in range(n)]
    results = [{"role": "tool", "tool_call_id": f"k{k}", "content": "ok"} for k in range(n)]
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *results]


def results_that_come_last_first(n):
    calls = [
        {"role": "assistant", "content": None, "tool_calls": [{"id": f"k{k}", **CALL}]}
        for k in range(n)
    ]
    return calls + [
        {"role": "tool", "tool_call_id": f"k{k}", "content": "ok"} for k in reversed(range(n))
    ]


def ids_that_are_taken(n):
    return [{"role": "user", "content": "hi", "id": f"e{2 * k}"} for k in range(n)] + [
        {"role": "assistant", "content": f"{k}"} for k in range(n)
    ]


def deep_values(n):
    value = None
    for _ in range(100):
        value = {"in": [value]}
    return [{"role": "user", "content": "hi", "meta": value} for _ in range(n // 10)]


def tags_of_one_name(n):
    head = {"contextwright": 1, "session": "s"}
    event = {"role": "user", "tags": ["t"], "parts": [{"type": "text", "text": "x"}]}
    return lines([head, *({"event": {"id": f"e{k}", **event}} for k in range(n))])


def state_changes(n):
    head = {"contextwright": 1, "session": "s"}
    return lines([head, *({"state": {f"k{k}": k}} for k in range(n))])


def codex(items):
    meta = {"timestamp": "2025-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "s"}}
    return lines([meta, *({"type": kind, "payload": payload} for kind, payload in items)])


def reasoning_of_one_answer(n):
    item = {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "x"}]}
    return codex([("response_item", item)] * n)


def compactions(n):
    return codex([("compacted", {"message": f"so far {k}"}) for k in range(n)])


def items_of_one_answer(n):
    call = {"type": "function_call", "name": "f", "arguments": "{}"}
    return {"input": [{**call, "call_id": f"k{k}"} for k in range(n)]}


def langchain_removals(n):
    kept = [{"type": "human", "data": {"content": "hi", "type": "human", "id": "a"}}] * n
    away = {"type": "remove", "data": {"content": "", "type": "remove", "id": "a"}}
    return [*kept, *[away] * n]


def adk(n, actions):
    return {
        "id": "s",
        "appName": "a",
        "userId": "u",
        "state": {},
        "events": [
            {
                "id": f"e{k}",
                "author": "user",
                "invocationId": f"i{k % 3}",
                "timestamp": float(k),
                "content": {"role": "user", "parts": [{"text": "hi"}]},
                "actions": actions(k),
            }
            for k in range(n)
        ],
    }


def rewinds(n):
    return adk(n, lambda k: {"rewindBeforeInvocationId": "i0"} if k > 3 else {})


def adk_compactions(n):
    content = {"role": "model", "parts": [{"text": "so far"}]}

    def actions(k):
        span = {"startTimestamp": max(0.0, k - 3.0), "endTimestamp": float(k)}
        return {"compaction": {**span, "compactedContent": content}}

    return adk(n, actions)


INPUTS = [
    results_of_one_call_message, results_that_come_last_first, ids_that_are_taken, deep_values,
    tags_of_one_name, state_changes, reasoning_of_one_answer, compactions, items_of_one_answer,
    langchain_removals, rewinds, adk_compactions,
]  # fmt: skip


@pytest.mark.parametrize("make", INPUTS, ids=lambda make: make.__name__)
def test_twice_as_much_makes_twice_as_many_calls(make):
    small, large = make(200), make(400)
    read_session(make(10))  # what is imported once
    once = function_calls(lambda: read_session(small))
    assert function_calls(lambda: read_session(large)) <= 2.3 * once


def test_many_tools_are_read_one_by_one():
    def body(n):
        tools = [{"type": "function", "function": {"name": f"f{k}"}} for k in range(n)]
        return {"messages": [{"role": "user", "content": "hi"}], "tools": tools}

    read_session(body(1))
    once = function_calls(lambda: read_session(body(200)))
    assert function_calls(lambda: read_session(body(400))) <= 2.3 * once
