"""What a program appends: SDK shapes, pins, results; what is wrong is named."""

import pytest

from contextwright import C, Event, Session, compile, read_session
from contextwright.errors import SessionError
from contextwright.session import Text
from contextwright.testing import target_for

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"q": 1}'}}


def test_the_shapes_of_sdks_are_taken():
    session = Session()
    session.user([{"type": "text", "text": "hi"}, {"type": "text", "text": "there"}])
    session.user({"role": "user", "content": "and"})
    session.assistant({"role": "assistant", "content": None, "tool_calls": [CALL]})
    session.result("c1", {"found": 3})
    session.call("look", {"q": 2}, id="c2")
    session.result("c2", "none")
    events = list(session.log)
    assert events[0].text == "hi\nthere" and events[1].text == "and"
    assert events[2].calls[0].name == "look" and events[2].calls[0].arguments == '{"q": 1}'
    assert events[3].results[0].text == '{"found":3}'
    assert events[4].calls[0].arguments == '{"q":2}'


@pytest.mark.parametrize(
    "wrong",
    [
        lambda s: s.result("c9", "text"),
        lambda s: s.user({"role": "assistant", "content": "x"}),
        lambda s: s.user([{"type": "image_url", "image_url": {"url": "x"}}]),
        lambda s: s.user({"text": "hi"}),
        lambda s: s.user(5),
        lambda s: s.user(None),
        lambda s: s.add("bot", "hi"),
        lambda s: s.user("hi", colour="red"),
        lambda s: s.user("hi", timestamp=5),
        lambda s: s.call("look", object(), id="c"),
        lambda s: s.assistant({"role": "assistant", "tool_calls": [{"name": "look"}]}),
    ],
)
def test_what_is_no_message_is_named_with_place_and_fix(wrong):
    with pytest.raises(SessionError) as caught:
        wrong(Session())
    assert caught.value.where and caught.value.fix


def long_session(**pin):
    session = Session()
    session.user("first")
    session.append(Event(id="p", role="assistant", parts=(Text(text="keep me " * 5),), **pin))
    for n in range(20):
        session.user(f"question {n} " + "word " * 30)
        session.assistant(f"answer {n} " + "word " * 30)
    session.user("now")
    return session


@pytest.mark.parametrize(
    ("pin", "stays"),
    [({}, False), ({"pinned": True}, True), ({"metadata": {"pinned": True}}, True),
     ({"metadata": {"pinned": False}}, False), ({"metadata": {"pinned": "no"}}, False)],
)  # fmt: skip
def test_a_pin_holds_by_field_and_by_metadata(pin, stays):
    pack = compile(long_session(**pin), C.budget(400), target=target_for("openai-chat"))
    assert ("keep me" in pack.body.decode()) is stays


@pytest.mark.parametrize("pin", [{"pinned": True}, {"metadata": {"pinned": True}}])
@pytest.mark.parametrize(
    ("format", "message"),
    [
        ("openai-chat", {"role": "assistant", "content": "x"}),
        ("anthropic", {"role": "assistant", "content": [{"type": "text", "text": "x"}]}),
        ("gemini", {"role": "model", "parts": [{"text": "x"}]}),
    ],
)
def test_a_pin_of_an_imported_message_is_kept(format, message, pin):
    first = {**message, "role": "user"}
    session = read_session([first, {**message, **pin}], format=format)
    assert [event.is_pinned for event in session.log] == [False, True]
