"""Files of text that stand in a request as they are, in base64, or in an address."""

import base64
import re

import pytest

from contextwright import C, compile, read_session
from contextwright.redaction.file_data import redacted_files
from contextwright.text.encoded_forms import decode_base64

SPEC = C.default() | C.redact(patterns=["pii"])
SECRET = "Call ada@example.com now."


class Shouting:
    def text(self, text: str) -> str:
        return text.replace("ada@example.com", "[GONE]")


def in_base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"type": "text", "media_type": "text/plain", "data": SECRET}, "data"),
        ({"mime_type": "text/csv", "data": in_base64(SECRET)}, "data"),
        ({"mimeType": "application/json", "data": in_base64(SECRET)}, "data"),
        ({"file_data": f"data:text/plain;base64,{in_base64(SECRET)}"}, "file_data"),
    ],
)
def test_a_file_of_text_is_redacted_in_its_form(fields, key):
    made = redacted_files(Shouting(), fields)[key]
    assert in_base64("Call [GONE] now.") in made or made == "Call [GONE] now."


def test_other_bytes_are_left_alone():
    for fields in (
        {"mime_type": "image/png", "data": in_base64(SECRET)},
        {"type": "base64", "media_type": "application/pdf", "data": in_base64(SECRET)},
        {"mime_type": "text/plain", "data": "no base64!"},
        {"file_data": f"data:application/pdf;base64,{in_base64(SECRET)}"},
    ):
        made = redacted_files(Shouting(), fields)
        assert all(fields[key] == value for key, value in made.items())


def test_a_document_that_is_its_text_leaves_redacted():
    source = {"type": "text", "media_type": "text/plain", "data": SECRET}
    inner = {
        "type": "tool_result",
        "tool_use_id": "c1",
        "content": [{"type": "document", "source": source}],
    }
    call = {"type": "tool_use", "id": "c1", "name": "get", "input": {}}
    body = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 99,
        "tools": [{"name": "get", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": [{"type": "document", "source": source}]},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [inner]},
        ],
    }
    assert "ada@example.com" not in str(compile(body, SPEC).request)
    assert str(compile(body, SPEC).request).count("[REDACTED]") == 2


def test_a_file_of_gemini_leaves_redacted():
    blob = {"mime_type": "text/plain", "data": in_base64(SECRET)}
    body = {
        "model": "gemini-2.5-pro",
        "contents": [{"role": "user", "parts": [{"inline_data": blob}, {"text": "Who is it?"}]}],
    }
    assert in_base64("Call [REDACTED] now.") in str(compile(body, SPEC).request)


@pytest.mark.parametrize("model", ["gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"])
def test_the_shape_of_an_answer_leaves_redacted(model):
    shape = {
        "type": "object",
        "description": "As ada@example.com wants it.",
        "properties": {"name": {"type": "string", "const": "bob@example.com"}},
        "required": ["name"],
        "additionalProperties": False,
    }
    messages = [{"role": "user", "content": "Hi."}]
    pack = compile(messages, SPEC, model=model, response_format=shape)
    assert "example.com" not in str(pack.request) + str(pack.manifest.to_json())
    assert "[REDACTED]" in str(pack.request)
    plain = compile(messages, C.default(), model=model, response_format=shape)
    assert "ada@example.com" in str(plain.request)


@pytest.mark.parametrize("key", ["data", "signature", "fingerprint", "image_url", "file_data"])
def test_words_are_no_bytes_of_a_provider_whatever_their_field_is_called(key):
    body = {
        "model": "gpt-5",
        "metadata": {key: "ada@example.com"},
        "messages": [{"role": "user", "content": "Hi."}],
    }
    assert "example.com" not in str(compile(body, SPEC).request)
    call = {
        "type": "server_tool_use",
        "id": "s1",
        "name": "search",
        "input": {key: "4111 1111 1111 1111"},
    }
    body = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 99,
        "messages": [
            {"role": "user", "content": "Hi."},
            {"role": "assistant", "content": [call, {"type": "text", "text": "Done."}]},
            {"role": "user", "content": "And?"},
        ],
    }
    assert "4111" not in str(compile(body, SPEC).request)


@pytest.mark.parametrize("encoded", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gpt-5", "claude-sonnet-4-5"])
def test_a_file_is_redacted_in_either_alphabet_of_base64(model, encoded):
    """Google's SDK and stored messages of pydantic's have the one of addresses, which other
    providers refuse."""
    signs = "\u00ff\u00fe>>>???"
    data = encoded(f"{signs} {SECRET}".encode()).decode()
    part = {"inlineData": {"mimeType": "text/plain", "data": data}}
    given = {"name": "get", "id": "c1", "response": {}, "parts": [part]}
    body = {
        "contents": [
            {"role": "user", "parts": [{"text": "Read it."}, part]},
            {"role": "model", "parts": [{"functionCall": {"name": "get", "args": {}, "id": "c1"}}]},
            {"role": "user", "parts": [{"functionResponse": given}]},
        ]
    }
    own = "gemini" in model
    sent = compile(body if own else read_session(body), SPEC, model=model).body.decode()
    for run in re.findall(r"[\w+/-]{20,}=*", sent):
        assert "ada@" not in (decode_base64(run) or b"").decode("utf-8", "replace")
    assert "ada@" not in sent
    if not own:
        plain = compile(read_session(body), C.default(), model="gpt-5").body.decode()
        assert base64.b64encode(f"{signs} {SECRET}".encode()).decode() in plain
