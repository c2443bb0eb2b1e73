"""Documents that are texts keep their words at another provider."""

import base64
import json

import pytest

from contextwright import C, compile
from contextwright.formats import bedrock, read_session

WORDS = "name,key\nzoe,AKIAIOSFODNN7EXAMPLE the whole table"
DATA = base64.b64encode(WORDS.encode()).decode()
TEXTS = [{"text": WORDS}]
MODELS = {
    "anthropic": "claude-opus-4-5",
    "openai-chat": "gpt-5",
    "openai-responses": "gpt-5",
    "gemini": "gemini-2.5-pro",
}


def document(**source):
    return {"document": {"format": "csv", "name": "table", "source": source}}


def plain(**source):
    return {"type": "document", "title": "table", "source": source}


BEDROCK = [
    document(bytes=DATA), document(text=WORDS), document(content=TEXTS),
    {"searchResult": {"source": "https://x.io", "title": "table", "content": TEXTS}},
]  # fmt: skip
ANTHROPIC = [
    plain(type="text", media_type="text/plain", data=WORDS), plain(type="content", content=WORDS),
    plain(type="content", content=[{"type": "text", "text": WORDS}]),
    {"type": "search_result", "source": "x", "title": "table",
     "content": [{"type": "text", "text": WORDS}]},
]  # fmt: skip


def asks(block):
    return [{"role": "user", "content": [block]}]


def answers_bedrock(block):
    call = {"toolUse": {"toolUseId": "c1", "name": "read", "input": {}}}
    result = {"toolResult": {"toolUseId": "c1", "content": [block]}}
    start = {"role": "user", "content": [{"text": "go"}]}
    return [start, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def answers_anthropic(block):
    call = {"type": "tool_use", "id": "c1", "name": "read", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": [block]}
    start = {"role": "user", "content": "go"}
    return [start, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


CASES = [
    *[made(block) for block in BEDROCK for made in (asks, answers_bedrock)],
    *[made(block) for block in ANTHROPIC for made in (asks, answers_anthropic)],
]


def words_of(request):
    text = json.dumps(request)
    return text.replace(DATA, json.dumps(WORDS)[1:-1])


@pytest.mark.parametrize("format", MODELS)
@pytest.mark.parametrize("messages", CASES)
def test_a_document_keeps_its_words(messages, format):
    pack = compile({"messages": messages}, C.default(), model=MODELS[format], format=format)
    assert words_of(pack.request).count("the whole table") == 1
    assert not pack.manifest.unrendered
    assert pack.tokens > 10


@pytest.mark.parametrize("format", MODELS)
@pytest.mark.parametrize("messages", CASES)
def test_they_are_redacted(messages, format):
    spec = C.default() | C.redact(["secrets"])
    pack = compile({"messages": messages}, spec, model=MODELS[format], format=format)
    text = json.dumps(pack.request)
    assert "AKIA" not in text and DATA not in text


def test_a_file_of_text_is_a_document_of_anthropic_s():
    address = f"data:text/csv;base64,{DATA}"
    file = {"type": "file", "file": {"filename": "t.csv", "file_data": address}}
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": "see"}, file]}]}
    pack = compile(body, C.default(), model="claude-opus-4-5", format="anthropic")
    source = {"type": "text", "media_type": "text/plain", "data": WORDS}
    [*_, block] = pack.request["messages"][0]["content"]
    assert {key: block[key] for key in ("type", "source", "title")} == {
        "type": "document", "source": source, "title": "t.csv",
    }  # fmt: skip


@pytest.mark.parametrize("block", ANTHROPIC)
def test_bedrock_is_written_the_words_of_anthropic_s(block):
    for messages in (asks(block), answers_anthropic(block)):
        assert "the whole table" in json.dumps(bedrock.write(read_session(messages)))


def test_what_came_from_a_provider_goes_back_to_it_as_it_came():
    body = {"model": "claude-opus-4-5", "messages": answers_anthropic(ANTHROPIC[0])}
    body["max_tokens"] = 100
    assert compile(body, C.default()).request == body
