"""An agent that is shown short forms, and has tools, should have one that reads the whole."""

import pytest

from contextwright import C, Session
from contextwright.check import AgentStep, check
from contextwright.session.event import Tool

SPEC = C.window(n=5) | C.compact() | C.budget(4000)


def codes(parts, **options):
    return [one.code for one in check(parts, **options).findings if one.code == "dangling-ref"]


def talked(*tools):
    session = Session("s", tools=[Tool(name=name) for name in tools])
    session.user("go")
    session.call("look", "{}", id="c")
    session.result("c", "line of text " * 300)
    session.assistant("ok")
    session.user("and now?")
    return session


def agent(**options):
    return [AgentStep(agent="a", spec=SPEC, **options)]


def test_a_spec_by_itself_says_nothing_of_its_tools():
    assert codes(SPEC) == []


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"tools": ("look",)}, 1),
        ({"tools": ("look", "mine"), "reader": "mine"}, 0),
        ({"tools": ("look",), "reader": "mine"}, 1),
        ({"tools": ("look",), "read_back": True}, 0),
        ({"tools": ()}, 0),
    ],
)
def test_named_tools_are_asked_for_one_that_reads(options, expected):
    assert len(codes(agent(**options))) == expected


def test_what_shortens_nothing_dangles_nowhere():
    plain = AgentStep(agent="a", spec=C.window(n=5), tools=("look",))
    strict = AgentStep(agent="b", spec=C.budget(4000, overflow="error"), tools=("look",))
    assert codes([plain, strict]) == []


def test_a_scope_that_leaves_the_reader_out_is_named():
    spec = C.window(n=5) + C.tools("look") | C.compact() | C.budget(4000)
    step = AgentStep(agent="a", spec=spec, tools=("look", "mine"), reader="mine")
    assert codes([step]) == ["dangling-ref"]


def test_sessions_are_measured():
    assert codes(SPEC, sessions=talked("look")) == ["dangling-ref"]
    assert codes(SPEC, sessions=talked()) == []
    assert codes(agent(read_back=True), sessions=talked("look")) == []
    assert codes(agent(reader="look"), sessions=talked("look")) == []
    assert codes(C.window(n=5) | C.budget(4000), sessions=talked("look")) == []
