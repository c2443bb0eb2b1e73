"""Messages of the Vercel AI SDK's calls: prompts and `response.messages`, and back."""

import json

import pytest
from tests.formats.rounds import assert_comes_back, document, messages

from contextwright import C, compile
from contextwright.errors import MalformedRecord
from contextwright.formats import detect, read_session, vercel_ai_model, write_session
from contextwright.formats.objects import session_from
from contextwright.testing import FormatSuite

SIGNED = {"anthropic": {"signature": "c2ln"}}
PROMPT = [
    {"role": "system", "content": "be brief", "providerOptions": {"anthropic": {"cacheControl": 1}}},
    {"role": "user", "content": [
        {"type": "text", "text": "look"},
        {"type": "image", "image": "aGk=", "mediaType": "image/jpeg"},
        {"type": "file", "data": "https://example.com/a.pdf", "mediaType": "application/pdf",
         "filename": "a.pdf"},
        {"type": "file", "data": {"type": "data", "data": "aGk="}, "mediaType": "image/png"}]},
    {"role": "assistant", "content": [
        {"type": "reasoning", "text": "hm", "providerOptions": SIGNED},
        {"type": "text", "text": "I do"},
        {"type": "tool-call", "toolCallId": "c1", "toolName": "look", "input": {"b": 1, "a": 2}},
        {"type": "tool-call", "toolCallId": "c2", "toolName": "see", "input": "free",
         "unknown": [1.0]},
        {"type": "tool-call", "toolCallId": "s1", "toolName": "web_search", "input": {},
         "providerExecuted": True},
        {"type": "tool-result", "toolCallId": "s1", "toolName": "web_search",
         "output": {"type": "json", "value": []}}]},
    {"role": "tool", "content": [
        {"type": "tool-result", "toolCallId": "c1", "toolName": "look",
         "output": {"type": "json", "value": {"rows": [1.0]}}},
        {"type": "tool-result", "toolCallId": "c2", "toolName": "see",
         "output": {"type": "error-text", "value": "no"}, "providerOptions": {"x": {}}}]},
    {"role": "assistant", "content": "seen"},
    {"role": "user", "content": "go on"},
]  # fmt: skip


class TestVercelAIModel(FormatSuite):
    format = vercel_ai_model


def test_what_a_call_takes_is_read_and_comes_back():
    session = assert_comes_back(vercel_ai_model, PROMPT)
    assert [event.role for event in session.log] == [
        "system", "user", "assistant", "tool", "tool", "assistant", "user",
    ]  # fmt: skip
    assert detect(document(PROMPT)) == "vercel-ai-model"
    image, paper, inline = session.log[1].parts[1:]
    assert (image.media_type, image.data) == ("image/jpeg", "aGk=")
    assert (paper.url, paper.name) == ("https://example.com/a.pdf", "a.pdf")
    assert inline.data == "aGk="
    assert [call.id for call in session.log[2].calls] == ["c1", "c2"]
    first, failed = session.log[3].results[0], session.log[4].results[0]
    assert (first.text, first.status) == ('{"rows": [1.0]}', "ok")
    assert (failed.call_id, failed.text, failed.status) == ("c2", "no", "error")
    assert json.loads(write_session(read_session(PROMPT), "vercel-ai-model")) == PROMPT


@pytest.mark.parametrize(
    ("output", "text", "status"),
    [
        ({"type": "text", "value": "a"}, "a", "ok"),
        ({"type": "json", "value": None}, "null", "ok"),
        ({"type": "json", "value": "a"}, "a", "ok"),
        ({"type": "error-json", "value": {"e": 1}}, '{"e": 1}', "error"),
        ({"type": "execution-denied", "reason": "never"}, "never", "error"),
        ({"type": "execution-denied"}, "The user refused this call.", "error"),
        ({"type": "content", "value": [{"type": "text", "text": "a"}, {"type": "file-data",
          "data": "aGk=", "mediaType": "image/png"}, {"type": "later", "x": 1}]}, "a", "ok"),
        ({"type": "content", "value": []}, "", "ok"),
    ],
)  # fmt: skip
def test_every_output_of_a_tool(output, text, status):
    call = {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}}
    answer = {"type": "tool-result", "toolCallId": "c", "toolName": "f", "output": output}
    value = [{"role": "user", "content": "go"}, {"role": "assistant", "content": [call]},
             {"role": "tool", "content": [answer]}]  # fmt: skip
    result = assert_comes_back(vercel_ai_model, value).log[2].results[0]
    assert (result.text, result.status) == (text, status)


def test_the_form_before_version_5_and_approvals_are_read():
    call = {"type": "tool-call", "toolCallId": "c", "toolName": "f", "args": {"a": 1}}
    answer = {"type": "tool-result", "toolCallId": "c", "toolName": "f", "result": {"b": 2}}
    asked = {"type": "tool-approval-request", "approvalId": "p", "toolCallId": "c"}
    told = {"type": "tool-approval-response", "approvalId": "p", "approved": True}
    value = {"model": "x", "messages": [
        {"role": "user", "content": "go"}, {"role": "assistant", "content": [call, asked]},
        {"role": "tool", "content": [told, answer]}]}  # fmt: skip
    session = assert_comes_back(vercel_ai_model, value)
    assert [event.role for event in session.log] == ["user", "assistant", "user", "tool"]
    assert session.log[3].results[0].text == '{"b": 2}'


def test_what_only_chat_has_is_not_taken_for_it():
    chat = [{"role": "user", "content": [{"type": "text", "text": "a"}]},
            {"role": "assistant", "content": "b"}]  # fmt: skip
    assert detect(document(chat)) == "openai-chat"


def test_a_list_in_a_program_is_compiled():
    pack = compile(PROMPT, C.default(), model="gpt-5")
    calls = [m for m in pack.request["messages"] if m.get("tool_calls")]
    assert [call["id"] for call in calls[0]["tool_calls"]] == ["c1", "c2"]
    assert messages(session_from(PROMPT)) == messages(read_session(PROMPT))


@pytest.mark.parametrize("content", [7, None, {"type": "text"}])
def test_a_content_of_no_form_is_named(content):
    with pytest.raises(MalformedRecord, match="content"):
        read_session([*PROMPT, {"role": "user", "content": content}], format="vercel-ai-model")
