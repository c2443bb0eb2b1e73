"""A redaction by the name of a field is of all of a body: what nobody here knows leaves without the
values of these fields, and with everything else as it came."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from tests.render.bodies import BODIES

from contextwright import C, compile, read_session
from contextwright.render.parameters import OWN, snake_case

HIDDEN = "[REDACTED]"
SECRET = "swordfish-4471"
BY_NAME = C.default() | C.redact(fields=["x_b"])


def hidden(value, known=()):
    """The same data with what stands under the name, but for parameters of the provider's."""
    if isinstance(value, list):
        return [hidden(item, known) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: HIDDEN if key == "x_b" else item if snake_case(key) in known
        else hidden(item, known if key in ("config", "generationConfig") else ())
        for key, item in value.items()
    }  # fmt: skip


def unthinking(value):
    """The same body with texts for reasoning, which does not go with a message that is changed."""
    if isinstance(value, list):
        return [unthinking(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") in ("thinking", "reasoning"):
        return {"type": "text", "text": "hm"}
    return {key: unthinking(item) for key, item in value.items()}


@pytest.mark.parametrize("format", BODIES)
def test_of_a_body_only_the_values_under_a_redacted_name_go(format):
    @settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=15)
    @given(BODIES[format])
    def check(body):
        body = body if format != "anthropic" else unthinking(body)
        session = read_session(body, format=format)
        model = "gemini-2.5-pro" if format == "gemini" else None
        request = compile(session, BY_NAME, model=model, cache=False).request
        assert json.dumps(request) == json.dumps(hidden(body, OWN[format]))

    check()


SCHEMA = {"type": "object", "properties": {"ssn": {"type": "string", "examples": [SECRET]}}}
MESSAGES = [
    {"role": "user", "content": "hi", "odd": {"ssn": SECRET}},
    {"role": "assistant", "content": [{"type": "later", "id": "l", "ssn": {"of": SECRET}}]},
    {"role": "user", "content": [{"type": "text", "text": "go", "n": 4111111111111111}]},
]
BODY = {
    "model": "gpt-5", "messages": MESSAGES, "metadata": {"ssn": SECRET}, "user": f"u-{SECRET}",
    "tools": [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}, "ssn": SECRET},
              {"type": "mcp", "server_label": "x", "headers": {"SSN": SECRET}}],
}  # fmt: skip
SPEC = C.default() | C.redact(["credit_card"], fields=["ssn", "user"])


def test_parts_tools_and_parameters_stay_and_lose_what_is_redacted():
    request = compile(BODY, SPEC).request
    assert SECRET not in json.dumps(request) and "4111" not in json.dumps(request)
    assert request["messages"][1]["content"] == [{"type": "later", "id": "l", "ssn": HIDDEN}]
    assert request["tools"][1] == {**BODY["tools"][1], "headers": {"SSN": HIDDEN}}
    assert request["tools"][0]["function"]["parameters"]["properties"]["ssn"]["type"] == "string"


@pytest.mark.parametrize("model", ["claude-opus-4-6", "gemini-2.5-pro"])
def test_no_parameter_brings_it_to_another_provider(model):
    spec = C.default() | C.redact([SECRET], fields=["ssn"])
    assert SECRET not in json.dumps(compile(BODY, spec, model=model).request)


def test_names_that_are_the_providers_own_are_no_fields_of_somebody():
    spec = C.default() | C.redact(fields=["name", "type", "content", "status"])
    call = {
        "id": "a",
        "type": "function",
        "function": {"name": "f", "arguments": '{"name": "Ada"}'},
    }
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "a", "content": "ok", "odd": {"status": 1}},
                {"role": "user", "content": "go"}]  # fmt: skip
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    choice = {"type": "function", "function": {"name": "f"}}
    body = {"model": "gpt-5", "messages": messages, "tools": tools, "tool_choice": choice}
    request = compile(body, spec).request
    assert request["tools"] == tools and request["tool_choice"] == choice
    made = request["messages"][1]["tool_calls"][0]["function"]
    assert made == {"name": "f", "arguments": '{"name": "[REDACTED]"}'}
    assert request["messages"][2] == {**messages[2], "odd": {"status": HIDDEN}}


@pytest.mark.parametrize("inner", [{}, {"x_b": SECRET}])
@pytest.mark.parametrize("sdk", [False, True])
def test_an_instruction_loses_what_is_redacted_beside_its_parts_and_in_them(inner, sdk):
    system = {"x_a": 1, "parts": [{"text": "hi", **inner}], "x_b": SECRET}
    if sdk:
        body = {"contents": "go", "config": {"system_instruction": system}}
    else:
        body = {
            "contents": [{"role": "user", "parts": [{"text": "go"}]}],
            "systemInstruction": system,
        }
    session = read_session(body, format="gemini")
    request = compile(session, BY_NAME, model="gemini-2.5-pro").request
    sent = request["config"]["system_instruction"] if sdk else request["systemInstruction"]
    assert sent == hidden(system)


def test_a_text_keeps_the_fields_beside_the_one_that_is_redacted():
    part = {"text": "hi", "x_b": SECRET, "x_a": 1}
    body = {"contents": [{"role": "user", "parts": [part]}]}
    session = read_session(body, format="gemini")
    request = compile(session, BY_NAME, model="gemini-2.5-pro").request
    assert request["contents"][0]["parts"] == [{**part, "x_b": HIDDEN}]


@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize(
    ("format", "model", "part"),
    [
        ("gemini", "gemini-2.5-pro", {"inlineData": {"mimeType": "image/png", "data": "aGk="}}),
        ("gemini", "gemini-2.5-pro", {"file_data": {"mime_type": "a/b", "file_uri": "gs://a/b"}}),
        (
            "openai-chat",
            "gpt-5",
            {"type": "image_url", "image_url": {"url": "https://x.org/a.png"}},
        ),
        (
            "anthropic",
            "claude-sonnet-4-5",
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": "aGk="},
            },
        ),
    ],
)
def test_a_picture_keeps_the_fields_beside_the_one_that_is_redacted(format, model, part, inner):
    beside = {"odd": {"x_b": 1}, "note": "to a@b.example"} if inner else {"x_b": 1, "x_c": 2}
    text = {"text": "see"} if format == "gemini" else {"type": "text", "text": "see"}
    parts = [text, {**part, **beside}]
    key, list_key = ("parts", "contents") if format == "gemini" else ("content", "messages")
    body = {list_key: [{"role": "user", key: parts}]}
    body |= {} if format == "gemini" else {"model": model, "max_tokens": 99}
    spec = C.default() | C.redact(["email"], fields=["x_b"])
    request = compile(read_session(body, format=format), spec, model=model, cache=False).request
    clean = {"odd": {"x_b": HIDDEN}, "note": "to [EMAIL]"} if inner else {"x_b": HIDDEN, "x_c": 2}
    sent = request[list_key][0][key][1]
    note = sent.get("note", "")
    assert {**sent, **({"note": "to [EMAIL]"} if inner else {})} == {**part, **clean}
    assert "a@b.example" not in note
