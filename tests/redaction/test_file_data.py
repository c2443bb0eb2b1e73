"""Files of text that stand in a request as they are, in base64, or in an address."""

import base64

import pytest

from contextwright import C, compile
from contextwright.redaction.file_data import redacted_files

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
