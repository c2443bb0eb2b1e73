"""SWE-agent trajectories: the history is shown, all the rest comes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.rounds import assert_comes_back, beside, document, raw, rows

from contextwright.errors import MalformedRecord
from contextwright.formats import swe_agent


def test_a_real_trajectory_comes_back():
    value = raw(4)
    assert swe_agent.sniff(document(value))
    session = assert_comes_back(swe_agent, value)
    assert session.id == "astropy__astropy-8707" and len(session) == len(value["history"])
    assert [event.tags for event in session.log][:3] == [
        ("system_prompt",),
        ("observation", "demo"),
        ("action", "demo"),
    ]
    marks = [exchange.mark for exchange in session.snapshot().exchanges() if exchange.calls]
    assert len(marks) == 17 and not {"orphan", "interrupted"} & set(marks)


def test_all_real_histories_come_back():
    for row in rows("swe_agent"):
        assert swe_agent.sniff(document(row))
        session = assert_comes_back(swe_agent, row)
        assert not [
            e for e in session.snapshot().exchanges() if e.mark in ("orphan", "interrupted")
        ]


def test_rows_with_demonstrations_come_back():
    for row in rows("se_agent"):
        session = assert_comes_back(swe_agent, row)
        assert {event.tags for event in session.log} == {(), ("demo",)}


def test_without_function_calling_an_action_is_text_and_its_observation_the_users():
    history = [
        {
            "role": "assistant",
            "content": "```\nls\n```",
            "thought": "",
            "action": "ls",
            "agent": "main",
        },
        {"role": "user", "content": "a.txt", "agent": "main", "message_type": "observation"},
    ]
    session = assert_comes_back(swe_agent, {"history": history, "trajectory": [], "info": {}})
    assert [(e.role, e.author, e.tags) for e in session.log] == [
        ("assistant", "main", ()),
        ("user", "", ("observation",)),
    ]


def test_a_trajectory_without_its_history_is_refused():
    with pytest.raises(MalformedRecord) as caught:
        swe_agent.read(document({"trajectory": []}))
    assert caught.value.where == "file line 1, field history"


def test_a_broken_message_is_named_with_its_field():
    history = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": 7}]
    with pytest.raises(MalformedRecord) as caught:
        swe_agent.read(document({"history": history, "trajectory": []}))
    assert "message 1" in caught.value.where and "field content" in caught.value.where


MESSAGES = [
    {"role": "system", "content": "s", "agent": "main", "message_type": "system_prompt"},
    {"role": "user", "content": [{"type": "text", "text": "t"}], "agent": "main"},
    {"role": "assistant", "content": "t", "thought": "t", "action": "ls", "tool_calls": None},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {
                "index": None,
                "id": "c",
                "type": "function",
                "function": {"name": "f", "arguments": "{}"},
            }
        ],
    },
    {"role": "tool", "content": "o", "agent": "main", "tool_call_ids": ["c"]},
    {"role": "tool", "content": "o", "tool_call_ids": ["c", "d"]},
    {"role": "tool", "content": "o", "tool_call_id": "c", "agent": "main"},
]


@given(st.lists(st.tuples(st.sampled_from(MESSAGES), beside), max_size=6), beside)
def test_any_trajectory_comes_back(drawn, more):
    history = [{**message, **inner} for message, inner in drawn]
    assert_comes_back(swe_agent, {"history": history, "trajectory": [], **more})
