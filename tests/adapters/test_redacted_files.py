"""Pictures and files of a framework's own messages: what a spec redacts goes from their names and
texts, and the file itself stays, in a user's message and in a tool's result."""

import base64
from typing import NamedTuple

import pytest

from contextwright import C, Context
from contextwright.adapters.message_mapping import MappedRequest

KEY = "AKIAIOSFODNN7EXAMPLE"
TEXT = f"name,key\nzoe,{KEY}\n"
CLEAN = TEXT.replace(KEY, "[REDACTED]")
ADDRESS = f"https://files.io/a.png?X-Amz-Credential={KEY}"


def based(text):
    return base64.b64encode(text.encode()).decode()


class Framework(NamedTuple):
    """How a framework's messages are made, and what is read of them."""

    mapping: object
    table: object
    paper: object
    picture: object
    asks: object
    answers: object
    said: object


def langchain():
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    from contextwright.adapters.langchain.chat_messages import MESSAGES

    def asks(*items):
        return [HumanMessage(list(items))]

    def answers(*items):
        call = AIMessage("", tool_calls=[{"name": "read", "args": {}, "id": "c1"}])
        return [HumanMessage("go"), call, ToolMessage(list(items), tool_call_id="c1")]

    table = {"type": "file", "base64": based(TEXT), "mime_type": "text/csv", "filename": "t.csv"}
    paper = {"type": "file", "base64": based("%PDF"), "mime_type": "application/pdf"}
    paper["filename"] = f"{KEY}.pdf"
    picture = {"type": "image_url", "image_url": {"url": ADDRESS}}
    return Framework(
        MESSAGES, table, paper, picture, asks, answers, lambda message: str(message.content)
    )


def pydantic_ai():
    from pydantic_ai.messages import (
        BinaryContent,
        ImageUrl,
        ModelRequest,
        ModelResponse,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    from contextwright.adapters.pydantic_ai.prompt_messages import MESSAGES

    def asks(*items):
        return [ModelRequest(parts=[UserPromptPart(list(items))])]

    def answers(*items):
        call = ModelResponse(parts=[ToolCallPart("read", {}, "c1")])
        back = ModelRequest(parts=[ToolReturnPart("read", list(items), "c1")])
        return [*asks("go"), call, back]

    def said(message):
        # the bytes as a provider is sent them
        contents = [item for part in message.parts for item in [part.content]]
        items = [one for each in contents for one in (each if isinstance(each, list) else [each])]
        return str(
            [(getattr(one, "data_uri", one), getattr(one, "identifier", "")) for one in items]
        )

    table = BinaryContent(TEXT.encode(), media_type="text/csv", identifier="t.csv")
    paper = BinaryContent(b"%PDF", media_type="application/pdf", identifier=f"{KEY}.pdf")
    return Framework(MESSAGES, table, paper, ImageUrl(ADDRESS), asks, answers, said)


def agent_framework():
    from agent_framework import Content, Message

    from contextwright.adapters.agent_framework.message_contents import MessageContents
    from contextwright.adapters.message_parts import PartedMessages

    def content(item):
        return Content.from_text(item) if isinstance(item, str) else item

    def asks(*items):
        return [Message("user", list(map(content, items)))]

    def answers(*items):
        call = Message("assistant", [Content.from_function_call("c1", "read", arguments="{}")])
        back = Content.from_function_result("c1", result=list(map(content, items)))
        return [*asks("go"), call, Message("tool", [back])]

    def said(message):
        items = [one for each in message.contents for one in (each.items or [each])]
        return str([(one.text, one.uri) for one in items])

    table = Content.from_uri(f"data:text/csv;base64,{based(TEXT)}", media_type="text/csv")
    picture = Content.from_uri(ADDRESS, media_type="image/png")
    mapping = PartedMessages(MessageContents(), Content.from_text)
    return Framework(mapping, table, None, picture, asks, answers, said)


def inspect_ai():
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageTool,
        ChatMessageUser,
        ContentDocument,
        ContentImage,
        ContentText,
    )
    from inspect_ai.tool import ToolCall

    from contextwright.adapters.inspect_ai.chat_content import CHAT

    def content(item):
        return ContentText(text=item) if isinstance(item, str) else item

    def asks(*items):
        return [ChatMessageUser(content=list(map(content, items)))]

    def answers(*items):
        call = ChatMessageAssistant(content="", tool_calls=[ToolCall("c1", "read", {})])
        back = ChatMessageTool(content=list(map(content, items)), tool_call_id="c1")
        return [*asks("go"), call, back]

    address = f"data:text/csv;base64,{based(TEXT)}"
    table = ContentDocument(document=address, filename="t.csv", mime_type="text/csv")
    paper = ContentDocument(document="a.pdf", filename=f"{KEY}.pdf", mime_type="application/pdf")
    picture = ContentImage(image=ADDRESS)
    return Framework(CHAT, table, paper, picture, asks, answers, lambda m: str(m.content))


MADE = {"langchain_core": langchain, "pydantic_ai": pydantic_ai}
MADE |= {"agent_framework": agent_framework, "inspect_ai": inspect_ai}


@pytest.fixture(params=MADE)
def framework(request):
    pytest.importorskip(request.param)
    return MADE[request.param]()


@pytest.fixture(params=["asks", "answers"])
def sent(request, framework):
    """What is read of a user's message, or of a result, that holds these items."""

    def sent(*items):
        messages = getattr(framework, request.param)(*items)
        asked = MappedRequest(framework.mapping, messages, model="gpt-5")
        compiled = Context(C.default() | C.redact(["secrets"]), model="gpt-5")(asked.body)
        return framework.said(asked.messages_of(compiled)[-1])

    return sent


def test_a_file_of_text_is_sent_without_what_is_redacted(framework, sent):
    said = sent("look", framework.table)
    assert "look" in said and based(CLEAN) in said and based(TEXT) not in said


def test_a_file_whose_name_is_redacted_is_sent_under_another(framework, sent):
    if framework.paper is None:
        pytest.skip("its files have no names")
    said = sent("look", framework.paper)
    assert "[REDACTED].pdf" in said and KEY not in said
    assert based("%PDF") in said or "a.pdf" in said


def test_a_picture_whose_address_is_redacted_is_named_where_it_stood(framework, sent):
    said = sent("see", framework.picture, "and say")
    assert KEY not in said and "not sent: its address was redacted" in said
    assert "see" in said and "and say" in said


def test_a_picture_alone_whose_address_is_redacted_is_named(framework, sent):
    assert "not sent: its address was redacted" in sent(framework.picture)


def test_what_has_nothing_to_redact_is_the_caller_s_own(framework):
    picture, file = framework.picture, framework.paper
    for messages in (framework.asks("a", picture), framework.answers("a", file or picture)):
        asked = MappedRequest(framework.mapping, messages, model="gpt-5")
        compiled = Context(C.default() | C.redact(["email"]), model="gpt-5")(asked.body)
        assert all(one is other for one, other in zip(asked.messages_of(compiled), messages))
