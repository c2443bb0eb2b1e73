"""ATIF trajectories: a step's calls and results are events of their own, and come back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.rounds import assert_comes_back, beside, document

from contextwright.errors import MalformedRecord
from contextwright.formats import atif, detect, read_session
from contextwright.testing import FormatSuite

CALLS = [
    {"tool_call_id": "c1", "function_name": "get_order", "arguments": {"id": "A-17"}},
    {"tool_call_id": "c2", "function_name": "get_user", "arguments": {}},
]
RESULTS = [
    {"source_call_id": "c2", "content": "Ann"},
    {"source_call_id": "c1", "content": [{"type": "text", "text": "shipped"}]},
]
STEPS = [
    {"source": "system", "message": "be brief"},
    {"source": "user", "message": "where is A-17?", "timestamp": "2026-10-01T10:00:00Z"},
    {
        "source": "agent",
        "message": "",
        "reasoning_content": "look it up",
        "tool_calls": CALLS,
        "observation": {"results": RESULTS},
        "metrics": {"prompt_tokens": 900, "cached_tokens": 512},
        "llm_call_count": 1,
    },
    {"source": "agent", "message": "On its way.", "model_name": "gpt-5"},
]


def trajectory(*steps, **more):
    numbered = [{"step_id": number, **step} for number, step in enumerate(steps, 1)]
    agent = {"name": "courier", "version": "2", "model_name": "gpt-5"}
    return {"schema_version": "ATIF-v1.7", "session_id": "run", "agent": agent, **more} | {
        "steps": numbered
    }


class TestAtif(FormatSuite):
    """The suite of every format."""

    format = atif


def test_a_step_is_its_words_and_what_came_of_its_calls():
    whole = trajectory(*STEPS)
    assert detect(document(whole)) == "atif"
    session = assert_comes_back(atif, whole)
    assert [(e.role, e.text) for e in session.log] == [
        ("system", "be brief"),
        ("user", "where is A-17?"),
        ("assistant", ""),
        ("tool", ""),
        ("tool", ""),
        ("assistant", "On its way."),
    ]
    results = [r for event in session.log for r in event.results]
    assert [(r.call_id, r.name, r.text) for r in results] == [
        ("c2", "get_user", "Ann"),
        ("c1", "get_order", "shipped"),
    ]
    assert session.log[5].author == "courier" and session.log[1].time_ms == 1790848800000
    marks = [exchange.mark for exchange in session.snapshot().exchanges() if exchange.calls]
    assert marks and not {"orphan", "interrupted"} & set(marks)


def test_one_look_at_several_commands_answers_them_all():
    step = {"source": "agent", "message": "go", "tool_calls": CALLS}
    step["observation"] = {"results": [{"content": "$ done"}]}
    session = assert_comes_back(atif, trajectory(STEPS[1], step))
    results = [r for event in session.log for r in event.results]
    assert [(r.call_id, r.text) for r in results] == [("c1", "$ done"), ("c2", "")]


def test_what_an_agent_without_calls_sees_is_told_to_it():
    step = {"source": "agent", "message": "ls", "observation": {"results": [{"content": "a.txt"}]}}
    session = assert_comes_back(atif, trajectory(STEPS[1], step))
    assert [(e.role, e.text) for e in session.log][1:] == [("assistant", "ls"), ("user", "a.txt")]


def test_copied_steps_are_tagged_and_sub_agents_are_sessions_of_their_own():
    copied = {**STEPS[1], "is_copied_context": True}
    inner = {**trajectory(STEPS[1], STEPS[3]), "trajectory_id": "t2"}
    whole = trajectory(copied, STEPS[3], subagent_trajectories=[inner], trajectory_id="t1")
    assert_comes_back(atif, whole)
    main, sub = atif.read_all(document(whole))
    assert [event.tags for event in main.log] == [("copied",), ()]
    assert (main.id, sub.id, sub.metadata["parent"]) == ("t1", "t2", "t1")


def test_tools_and_pictures_are_read():
    picture = {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}}
    whole = trajectory({"source": "user", "message": [{"type": "text", "text": "see"}, picture]})
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    whole["agent"]["tool_definitions"] = [tool]
    session = assert_comes_back(atif, whole)
    assert [tool.name for tool in session.tools] == ["f"]
    assert session.log[0].parts[1].url == "a.png"


def test_a_step_of_nobody_is_named():
    with pytest.raises(MalformedRecord) as caught:
        read_session(trajectory({"source": "robot", "message": "hi"}))
    assert "steps[0].source" in (caught.value.where or "")


@given(st.lists(st.tuples(st.sampled_from(STEPS), beside), max_size=5), beside)
def test_any_trajectory_comes_back(drawn, more):
    assert_comes_back(atif, trajectory(*({**step, **inner} for step, inner in drawn), **more))


def test_the_package_atif_takes_what_is_written():
    pytest.importorskip("atif")
    from atif import Trajectory

    from contextwright.testing import session_of

    session = session_of(
        "s: be brief | u: find x | c: search(x) | c: search(y) | r: one | e: two | a: both"
    )
    Trajectory.model_validate(atif.write(session))
