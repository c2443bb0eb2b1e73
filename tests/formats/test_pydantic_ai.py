"""Pydantic AI: what is written loads, and says the same; its objects are read in test_objects."""

import json
from base64 import b64encode, urlsafe_b64encode

import msgspec
import pytest
from hypothesis import given
from tests.formats.bodies import PYDANTIC_AI
from tests.formats.rounds import assert_comes_back, document, messages, sessions

from contextwright import C, Session, compile
from contextwright.formats import pydantic_ai
from contextwright.testing import FormatSuite


class TestPydanticAI(FormatSuite):
    format = pydantic_ai


def test_a_dump_comes_back():
    session = assert_comes_back(pydantic_ai, PYDANTIC_AI)
    assert [event.role for event in session.log] == ["system", "user", "assistant", "tool"]


def test_a_document_around_the_messages_comes_back():
    assert_comes_back(pydantic_ai, {"id": 7, "messages": PYDANTIC_AI})


def records():
    """Requests with what pydantic-ai records among its messages, by its own classes."""
    said = pytest.importorskip("pydantic_ai.messages")
    changes = [
        said.ToolAvailabilityDeltaPart(tools_added=["search"]),
        said.CapabilityLoadDeltaPart(loaded=["db"]),
        said.ModelSettingsDeltaPart(settings={"thinking": "high"}),
        said.InstructionBaselinePart(instructions=[]),
    ]
    retry = said.RetryInfo(cause="model_retry")
    requests = [
        [*changes[3:], said.UserPromptPart("go")],
        [said.ToolReturnPart("read", "it", "c1"), *changes[:2]],
        changes[2:3],
        [said.InstructionDeltaPart(id="rules", content="speak German")],
        [said.SpeechPart(speaker="user", transcript="louder")],
        [said.RetryFeedbackPart("say it again", retry=retry)],
    ]
    answers = [
        [said.ToolCallPart("read", {}, "c1")],
        [said.SpeechPart(speaker="assistant", transcript="of course")],
    ]
    answers += [[said.TextPart("so")]] * 4
    pairs = zip(requests, answers, strict=True)
    each = [(said.ModelRequest(one), said.ModelResponse(other)) for one, other in pairs]
    dumped = said.ModelMessagesTypeAdapter.dump_json([one for pair in each for one in pair])
    return json.loads(dumped)


def test_records_of_what_changed_are_nobody_s_words():
    session = assert_comes_back(pydantic_ai, records())
    log = [event for event in session.log if event.role != "assistant"]
    assert [(event.role, event.text) for event in log] == [
        ("system", ""), ("user", "go"), ("tool", ""), ("system", ""), ("system", "speak German"),
        ("user", "louder"), ("user", "say it again"),
    ]  # fmt: skip
    assert [event.text for event in log if event.pinned] == ["speak German"]
    assert log[2].results[0].text == "it"
    assert any(event.text == "of course" for event in session.log)


def test_words_of_records_that_changed_are_written_where_they_stood():
    adapter = pytest.importorskip("pydantic_ai.messages").ModelMessagesTypeAdapter
    session = pydantic_ai.read(document(records()))
    made = Session("other", [msgspec.structs.replace(e, extra={}) for e in session.log])
    written = pydantic_ai.write(made)
    loaded = adapter.validate_python(written)
    kinds = [part.part_kind for message in loaded for part in message.parts]
    worded = ("instruction-delta", "speech", "speech", "retry-feedback")
    assert sorted(kind for kind in kinds if kind in worded) == sorted(worded)


@given(session=sessions())
def test_what_is_written_of_any_session_loads_and_says_the_same(session):
    adapter = pytest.importorskip("pydantic_ai.messages").ModelMessagesTypeAdapter
    session.user("begin")
    loaded = adapter.validate_python(pydantic_ai.write(session))
    again = pydantic_ai.read(document(json.loads(adapter.dump_json(loaded))))
    assert messages(again) == messages(session)


def test_a_stored_picture_goes_to_a_provider_in_the_alphabet_that_it_takes():
    """pydantic writes base64 with the signs of addresses."""
    bytes_ = b"\xff\xfe\xfb~~??>>"
    picture = {
        "kind": "binary",
        "media_type": "image/png",
        "data": urlsafe_b64encode(bytes_).decode(),
    }
    part = {"part_kind": "user-prompt", "content": ["Look.", picture]}
    session = assert_comes_back(pydantic_ai, [{"kind": "request", "parts": [part]}])
    sent = compile(session, C.default(), model="gpt-5").body.decode()
    assert f"base64,{b64encode(bytes_).decode()}" in sent
