"""What a spec redacts is redacted in a caller's body beside its messages, too."""

import copy

import pydantic
import pytest

from contextwright import C, Context, compile

SPEC = C.default() | C.redact(patterns=["pii"])
SCHEMA = {
    "type": "object",
    "properties": {"who": {"type": "string", "description": "As bob@example.com."}},
}
CHAT = {
    "model": "gpt-5",
    "user": "ada@example.com",
    "metadata": {"team": "eve@example.com"},
    "messages": [{"role": "user", "content": "Hi."}],
    "tools": [
        {"type": "function", "function": {"name": "get", "description": "Asks dan@example.com.", "parameters": SCHEMA}}
    ],
}  # fmt: skip
CLAUDE = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 99,
    "metadata": {"user_id": "ada@example.com"},
    "messages": [{"role": "user", "content": "Hi."}],
    "tools": [{"name": "get", "description": "Asks dan@example.com.", "input_schema": SCHEMA}],
}
GEMINI = {
    "model": "gemini-2.5-pro",
    "contents": [{"role": "user", "parts": [{"text": "Hi."}]}],
    "config": {
        "labels": {"team": "eve@example.com"},
        "tools": [{"function_declarations": [{"name": "get", "description": "Asks dan@example.com."}]}],
    },
}  # fmt: skip
RESPONSES = {
    "model": "gpt-5",
    "input": "Hi.",
    "user": "ada@example.com",
    "text": {"format": {"type": "json_schema", "name": "r", "schema": SCHEMA}},
    "tools": [{"type": "function", "name": "get", "description": "Asks dan@example.com.", "parameters": SCHEMA}],
}  # fmt: skip


@pytest.mark.parametrize("body", [CHAT, CLAUDE, GEMINI, RESPONSES], ids=lambda one: list(one)[1])
def test_tools_and_other_fields_leave_redacted_as_the_receipt_says(body):
    context, given = Context(SPEC), copy.deepcopy(body)
    made = context(given)
    assert "example.com" not in str(made) and "[REDACTED]" in str(made)
    assert given == body
    request = compile(body, SPEC).request
    for key in made.keys() & request.keys():
        assert made[key] == request[key] or key in {"messages", "contents", "input", "config"}


def test_a_field_with_nothing_to_redact_is_the_callers_object():
    body = {**CHAT, "stop": ["END"], "response_format": {"type": "json_object"}}
    made = Context(SPEC)(body)
    assert made["stop"] is body["stop"] and made["response_format"] is body["response_format"]
    assert Context(C.default())(body)["tools"] is body["tools"]


def test_a_field_that_says_something_else_is_looked_at_again():
    context = Context(SPEC)
    context(CHAT)
    made = context({**CHAT, "user": "new@example.com"})
    assert made["user"] == "[REDACTED]"


def test_a_name_of_a_field_is_redacted_as_what_it_holds():
    body = {**CHAT, "metadata": {"eve@example.com": "yes", "team": "blue"}}
    made = Context(SPEC)(body)
    assert made["metadata"] == {"[REDACTED]": "yes", "team": "blue"}


class Tool(pydantic.BaseModel):
    name: str
    about: str = pydantic.Field(alias="description")


def test_an_object_stays_of_its_type_and_keeps_what_is_not_redacted():
    tool = Tool(name="get", description="Asks dan@example.com.")
    other = Tool(name="put", description="Puts.")
    made = Context(SPEC)({**CHAT, "tools": [tool, other]})["tools"]
    assert type(made[0]) is Tool and made[0].about == "Asks [REDACTED]."
    assert made[1] is other and tool.about == "Asks dan@example.com."


def test_a_config_of_the_sdk_says_its_system_text_once():
    types = pytest.importorskip("google.genai.types")
    config = types.GenerateContentConfig(system_instruction="Ask eve@example.com.", temperature=0)
    body = {"model": "gemini-2.5-pro", "contents": GEMINI["contents"], "config": config}
    assert Context(C.default())(body) == body
    made = Context(SPEC)(body)
    assert made.keys() == body.keys() and made["config"].temperature == 0
    assert made["config"].system_instruction == "Ask [REDACTED]."
