"""Bedrock Converse: what is read is given back, what is written says the same."""

import json

import pytest
from hypothesis import given
from tests.formats.bodies import BEDROCK
from tests.formats.rounds import assert_comes_back, document, sessions

from contextwright import C, compile
from contextwright.errors import MalformedRecord
from contextwright.formats import bedrock, read_session, write_session
from contextwright.session import Event, File, Image, Opaque, Session, Text, Thinking, ToolResult
from contextwright.testing import FormatSuite, session_of


class TestBedrock(FormatSuite):
    format = bedrock


def test_a_body_comes_back_with_its_system_tools_and_parameters():
    session = assert_comes_back(bedrock, BEDROCK)
    assert [event.role for event in session.log] == ["system", "user", "assistant", "tool", "user"]
    assert [tool.name for tool in session.tools] == ["look"]
    system, user, assistant, result, rest = session.log
    assert [type(part) for part in system.parts] == [Text, Opaque]
    text, image, file = user.parts
    assert isinstance(image, Image) and (image.media_type, image.data) == ("image/png", "aGk=")
    assert isinstance(file, File) and (file.media_type, file.url) == (
        "application/pdf",
        "s3://b/d.pdf",
    )
    thought = assistant.parts[0]
    assert isinstance(thought, Thinking) and (thought.signature, thought.provider) == (
        "c2ln",
        "anthropic",
    )
    assert result.results[0].text == 'seen\n{"n": 1.0}'
    assert [part.text for part in rest.parts] == ["guarded"]


def test_a_cache_point_behind_a_result_is_no_user_who_speaks():
    """A user's turn began with each step: nothing of the running turn was its own any more."""
    point, longer = {"cachePoint": {"type": "default"}}, {"cachePoint": {"type": "d", "ttl": "1h"}}
    result = {"toolResult": {"toolUseId": "c1", "content": [{"text": "seen"}]}}
    call = {
        "role": "assistant",
        "content": [{"toolUse": {"toolUseId": "c1", "name": "f", "input": {}}}],
    }
    messages = [
        {"role": "user", "content": [{"text": "look"}, point]},
        call,
        {"role": "user", "content": [result, longer]},
        {"role": "assistant", "content": [{"text": "seen"}]},
        {"role": "user", "content": [{"text": "more"}]},
    ]  # fmt: skip
    session = assert_comes_back(bedrock, {"modelId": "anthropic.claude", "messages": messages})
    assert [event.role for event in session.log] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    assert session.snapshot().turn == 1
    pack = compile(session, C.default(), model="claude-sonnet-4-5")
    assert "opaque of e2" not in str(pack.manifest.unrendered)
    copy = read_session(write_session(session))  # in our own form
    assert bedrock.write(copy)["messages"] == messages


def test_what_is_said_in_a_block_around_it_is_said():
    """A user's guarded words, and an answer beside its citations, were parts that nobody reads."""
    guarded = {"guardContent": {"text": {"text": "is it safe", "qualifiers": ["guard_content"]}}}
    cited = {"citationsContent": {"content": [{"text": "It is, "}, {"text": "says page 2."}],
             "citations": [{"title": "a", "location": {"documentPage": {"documentIndex": 0}}}]}}  # fmt: skip
    picture = {"guardContent": {"image": {"format": "png", "source": {"bytes": "aGk="}}}}
    messages = [
        {"role": "user", "content": [guarded, picture]},
        {"role": "assistant", "content": [cited]},
        {"role": "user", "content": [{"text": "sure?"}]},
    ]
    session = assert_comes_back(bedrock, {"modelId": "m", "messages": messages})
    assert [event.text for event in session.log] == ["is it safe", "It is, says page 2.", "sure?"]
    pack = compile(session, C.default(), model="claude-sonnet-4-5")
    assert "is it safe" in str(pack.request) and "says page 2." in str(pack.request)
    named = {one.reason.split("'")[1] for one in pack.manifest.unrendered if one.part == "field"}
    assert named == {
        "messages[].content[].guardContent.text.qualifiers",
        "messages[].content[].citationsContent.citations",
    }


def test_what_is_appended_is_written_behind_and_the_rest_stays():
    session = read_session(BEDROCK)
    session.assistant("found it")
    session.user("thanks")
    written = json.loads(write_session(session, "bedrock"))
    assert written["messages"][:3] == BEDROCK["messages"]
    assert written["messages"][3:] == [
        {"role": "assistant", "content": [{"text": "found it"}]},
        {"role": "user", "content": [{"text": "thanks"}]},
    ]


def test_a_session_of_another_format_is_a_valid_request():
    session = session_of("s: be brief | u: two | c: a(1) | r: one | a: done")
    failed = ToolResult(call_id="gone", content=(), status="error")
    session.append(Event(id="f", role="tool", parts=(failed,)))
    written = bedrock.write(session)
    assert written["system"] == [{"text": "be brief"}]
    assert written["messages"][-1]["content"][0]["toolResult"]["status"] == "error"


def test_a_system_message_among_the_others_stays_there():
    body = {"messages": [*BEDROCK["messages"], {"role": "system", "content": [{"text": "now"}]}]}
    assert read_session(body).log[-1].role == "system"
    assert_comes_back(bedrock, body)


@given(session=sessions())
def test_what_is_written_is_what_botocore_takes(session):
    validate = pytest.importorskip("botocore.validate")
    loaders, model = pytest.importorskip("botocore.loaders"), pytest.importorskip("botocore.model")
    service = loaders.Loader().load_service_model("bedrock-runtime", "service-2")
    shape = model.ServiceModel(service).operation_model("Converse").input_shape
    session.user("begin")
    written = bedrock.write(session)
    messages = written if isinstance(written, list) else written["messages"]
    report = validate.ParamValidator().validate({"modelId": "m", "messages": messages}, shape)
    assert not report.has_errors(), report.generate_report()


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ({"role": "robot", "content": [{"text": "a"}]}, "message 1, field role"),
        ({"role": "user", "content": [{"text": 4}]}, "content[0].text"),
        ({"role": "user", "content": [{"toolResult": 4}]}, "content[0].toolResult"),
        ({"role": "assistant", "content": [{"toolUse": {"name": 4}}]}, "toolUse.name"),
    ],
)
def test_what_is_broken_is_named(message, place):
    with pytest.raises(MalformedRecord) as caught:
        bedrock.read(document([{"role": "user", "content": [{"text": "hi"}]}, message]))
    assert place in str(caught.value.where) and caught.value.fix


def test_an_empty_session_is_an_empty_list():
    assert bedrock.write(Session()) == []
