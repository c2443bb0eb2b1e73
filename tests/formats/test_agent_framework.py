"""Microsoft Agent Framework: dumped by its own objects, read, written, loaded by its own objects."""

import json

import pytest
from hypothesis import given
from tests.formats.bodies import AGENT_FRAMEWORK
from tests.formats.rounds import assert_comes_back, document, messages, sessions

from contextwright.errors import MalformedRecord
from contextwright.formats import agent_framework
from contextwright.session import Opaque, Thinking
from contextwright.testing import FormatSuite


class TestAgentFramework(FormatSuite):
    format = agent_framework


def real():
    module = pytest.importorskip("agent_framework")
    content = module.Content
    return [
        module.Message("system", ["be brief"]),
        module.Message(
            "user",
            ["look", content.from_uri("https://x.org/a.png", media_type="image/png")],
            author_name="bob",
        ),
        module.Message(
            "assistant",
            [
                content.from_text_reasoning(text="hm", protected_data="enc"),
                content.from_function_call("c1", "look", arguments={"a": 1}),
                content.from_function_call("c2", "look", arguments='{"a": 2}'),
            ],
        ),
        module.Message(
            "tool",
            [
                content.from_function_result("c1", result="seen"),
                content.from_function_result("c2", result={"n": 1}, exception="boom"),
            ],
        ),
        module.Message("assistant", ["done"], message_id="m", additional_properties={"k": 1}),
    ]


def dumped(value):
    return json.loads(json.dumps([message.to_dict() for message in value]))


def test_what_the_framework_dumps_comes_back_and_loads():
    value = dumped(real())
    session = assert_comes_back(agent_framework, value)
    module = pytest.importorskip("agent_framework")
    loaded = [module.Message.from_dict(each) for each in agent_framework.write(session)]
    assert dumped(loaded) == value


@given(session=sessions())
def test_what_is_written_of_any_session_loads_and_says_the_same(session):
    module = pytest.importorskip("agent_framework")
    session.user("begin")
    loaded = [module.Message.from_dict(each) for each in agent_framework.write(session)]
    again = agent_framework.read(document(dumped(loaded)))
    assert messages(again) == messages(session)


def test_what_is_shown():
    session = agent_framework.read(document(AGENT_FRAMEWORK))
    assert [event.role for event in session.log] == ["user", "assistant", "tool", "tool"]
    assert session.log[0].author == "bob" and session.log[0].parts[1].url == "https://x.org/a.png"
    thought, first, second, usage = session.log[1].parts
    assert isinstance(thought, Thinking) and thought.signature == "enc"
    assert (first.arguments, second.arguments) == ('{"a": 1}', '{"a": 2}')
    assert isinstance(usage, Opaque) and usage.kind == "usage"
    results = [event.results[0] for event in session.log[2:]]
    assert [(r.call_id, r.status) for r in results] == [("c1", "ok"), ("c2", "error")]


def test_a_role_may_be_an_object_as_it_was_once():
    value = [
        {"role": {"type": "role", "value": "user"}, "contents": [{"type": "text", "text": "a"}]}
    ]
    assert assert_comes_back(agent_framework, value).log[0].role == "user"


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ({"role": "robot", "contents": []}, "message 0, field role"),
        ({"role": "user", "contents": 4}, "field contents"),
        ({"role": "user", "contents": [{"type": "text", "text": 4}]}, "contents[0].text"),
    ],
)
def test_what_is_broken_is_named(message, place):
    with pytest.raises(MalformedRecord) as caught:
        agent_framework.read(document([message]))
    assert place in str(caught.value.where) and caught.value.fix
