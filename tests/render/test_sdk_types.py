"""What is rendered is what each provider's own SDK types accept."""

from typing import Any

import pytest
from hypothesis import given, settings
from pydantic import ConfigDict, TypeAdapter

from contextwright import C, ReadBack, Session, compile, target
from contextwright.errors import BudgetError, StepError
from contextwright.session.event import File, Image, Text, Thinking, Tool, ToolCall, ToolResult
from contextwright.testing import sessions, specs, target_for


def request(session, spec, format):
    try:
        return compile(session, spec, target=target_for(format)).request
    except (BudgetError, StepError):
        return None


def adapter(kind: Any) -> TypeAdapter:
    return TypeAdapter(kind, config=ConfigDict(extra="forbid") if kind is dict else None)


@pytest.fixture(scope="module")
def openai_chat():
    from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam

    return adapter(ChatCompletionMessageParam), adapter(ChatCompletionToolParam)


@pytest.fixture(scope="module")
def anthropic():
    from anthropic.types import MessageParam, TextBlockParam, ToolParam

    return adapter(MessageParam), adapter(ToolParam), adapter(TextBlockParam)


def rich_session():
    """One of everything."""
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    session = Session(
        "s",
        state={"goal": "ship"},
        tools=[Tool(name="search", description="Find.", parameters=schema)],
    )
    session.add("system", "Be brief.")
    session.user(
        Text(text="look"),
        Image(data="aGk=", width=10, height=10, detail="low"),
        Image(url="https://example.org/a.png"),
        File(name="a.pdf", media_type="application/pdf", data="aGk="),
    )
    session.assistant(
        Thinking(text="hm", signature="c2ln", provider="anthropic"),
        Thinking(text="hm", redacted="ZW5j", provider="openai"),
        Text(text="two at once"),
        ToolCall(id="a", name="search", arguments='{"q": "x"}'),
        ToolCall(id="b", name="search", arguments="not json"),
    )
    session.result("b", "second", error=True)
    session.add("tool", ToolResult(call_id="a", content=(Text(text="first"), Image(data="aGk="))))
    session.user("go on")
    return session


SPEC = C.default() + C.from_state("goal") | C.budget(50_000)


def check_chat(body, types):
    messages, tools = types
    for message in body["messages"]:
        messages.validate_python(message)
    for tool in body.get("tools", ()):
        tools.validate_python(tool)


def test_openai_chat_accepts_one_of_everything(openai_chat):
    check_chat(request(rich_session(), SPEC, "openai-chat"), openai_chat)


@given(sessions(), specs())
def test_openai_chat_accepts_what_is_generated(openai_chat, session, spec):
    body = request(session, spec, "openai-chat")
    if body is not None:
        check_chat(body, openai_chat)


def check_responses(body):
    from openai.types.responses import ResponseInputItemParam

    items = adapter(ResponseInputItemParam)
    for item in body["input"]:
        items.validate_python(item)


def test_openai_responses_accepts_one_of_everything():
    body = request(rich_session(), SPEC, "openai-responses")
    check_responses(body)
    assert body["include"] == ["reasoning.encrypted_content"]


@settings(max_examples=25)
@given(sessions(), specs())
def test_openai_responses_accepts_what_is_generated(session, spec):
    body = request(session, spec, "openai-responses")
    if body is not None:
        check_responses(body)


def check_anthropic(body, types):
    messages, tools, texts = types
    for message in body["messages"]:
        messages.validate_python(message)
    for tool in body.get("tools", ()):
        tools.validate_python(tool)
    for text in body.get("system", ()):
        texts.validate_python(text)


def test_the_tools_that_read_back_are_what_each_sdk_takes(openai_chat, anthropic):
    from google.genai import types
    from openai.types.responses import ToolParam

    session = rich_session()
    pack = compile(session, SPEC, model="gpt-5", read_back=True)
    read_back = ReadBack(session, pack)
    for schema in read_back.schemas("openai-chat"):
        openai_chat[1].validate_python(schema)
    for schema in read_back.schemas("openai-responses"):
        adapter(ToolParam).validate_python(schema)
    for schema in read_back.schemas("anthropic"):
        anthropic[1].validate_python(schema)
    for schema in read_back.schemas("gemini"):
        types.FunctionDeclaration.model_validate(schema)
    assert read_back.names == ("expand", "search_context")


def test_anthropic_accepts_one_of_everything(anthropic):
    reads_all = target("claude-opus-5", reserved_output=0)
    body = compile(rich_session(), SPEC, target=reads_all).request
    check_anthropic(body, anthropic)
    assert '"signature":"c2ln"' in str(body).replace("'", '"').replace(": ", ":")


@given(sessions(), specs())
def test_anthropic_accepts_what_is_generated(anthropic, session, spec):
    body = request(session, spec, "anthropic")
    if body is not None:
        check_anthropic(body, anthropic)


def check_gemini(body):
    from google.genai import types

    for content in body["contents"]:
        types.Content.model_validate(content)
    types.GenerateContentConfig.model_validate(body["config"])


def test_gemini_accepts_one_of_everything():
    check_gemini(request(rich_session(), SPEC, "gemini"))


@given(sessions(), specs())
def test_gemini_accepts_what_is_generated(session, spec):
    body = request(session, spec, "gemini")
    if body is not None:
        check_gemini(body)
