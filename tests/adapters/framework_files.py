"""Pictures and files of frameworks' own messages, made by their own classes."""

import base64
from typing import NamedTuple

from tests.pictures import png

KEY = "AKIAIOSFODNN7EXAMPLE"
TEXT = f"name,key\nzoe,{KEY}\n"
CLEAN = TEXT.replace(KEY, "[REDACTED]")
SHOT = png(1280, 720)
"""A picture's bytes, in base64."""
ADDRESS = f"https://files.io/a.png?X-Amz-Credential={KEY}"


def based(text):
    return base64.b64encode(text.encode()).decode()


class Framework(NamedTuple):
    """How a framework's messages are made, and what is read of them."""

    mapping: object
    table: object
    paper: object
    picture: object
    shot: object
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
    shot = {"type": "image", "base64": SHOT, "mime_type": "image/png"}
    return Framework(
        MESSAGES, table, paper, picture, shot, asks, answers, lambda message: str(message.content)
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
    shot = BinaryContent(base64.b64decode(SHOT), media_type="image/png")
    return Framework(MESSAGES, table, paper, ImageUrl(ADDRESS), shot, asks, answers, said)


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
    shot = Content.from_uri(f"data:image/png;base64,{SHOT}", media_type="image/png")
    mapping = PartedMessages(MessageContents(), Content.from_text)
    return Framework(mapping, table, None, picture, shot, asks, answers, said)


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
    shot = ContentImage(image=f"data:image/png;base64,{SHOT}")
    return Framework(CHAT, table, paper, picture, shot, asks, answers, lambda m: str(m.content))


def agno():
    from agno.media import File, Image
    from agno.models.message import Message

    from contextwright.adapters.agno.message_fields import MessageFields
    from contextwright.adapters.message_parts import PartedMessages

    def asks(*items):
        texts = [item for item in items if isinstance(item, str)]
        images = [item for item in items if isinstance(item, Image)]
        files = [item for item in items if isinstance(item, File)]
        content = "\n".join(texts) or None
        return [Message(role="user", content=content, images=images or None, files=files or None)]

    def answers(*items):
        # it puts what a result has of pictures and files into a user's message behind it
        function = {"name": "read", "arguments": "{}"}
        call = {"id": "c1", "type": "function", "function": function}
        made = Message(role="assistant", tool_calls=[call])
        back = Message(role="tool", content="made", tool_call_id="c1", tool_name="read")
        return [*asks("go"), made, back, *asks(*items)]

    def said(message):
        files = [(based((f.content or b"").decode()), f.filename) for f in message.files or ()]
        return str([message.content, [image.url for image in message.images or ()], files])

    table = File(content=TEXT.encode(), filename="t.csv")
    paper = File(content=b"%PDF", filename=f"{KEY}.pdf")
    shot = Image(content=base64.b64decode(SHOT), mime_type="image/png")
    mapping = PartedMessages(MessageFields())
    return Framework(mapping, table, paper, Image(url=ADDRESS), shot, asks, answers, said)


def strands():
    from contextwright.adapters.message_parts import PartedMessages
    from contextwright.adapters.strands.content_blocks import ContentBlocks

    def content(item):
        return {"text": item} if isinstance(item, str) else item

    def asks(*items):
        return [{"role": "user", "content": list(map(content, items))}]

    def answers(*items):
        call = {"toolUse": {"toolUseId": "c1", "name": "read", "input": {}}}
        result = {"toolUseId": "c1", "status": "success", "content": list(map(content, items))}
        back = {"role": "user", "content": [{"toolResult": result}]}
        return [*asks("go"), {"role": "assistant", "content": [call]}, back]

    def document(data, kind, name):
        return {"document": {"format": kind, "name": name, "source": {"bytes": data}}}

    def said(message):
        items = [
            one
            for block in message["content"]
            for one in block.get("toolResult", {}).get("content", [block])
        ]
        shown = [
            (based(d["source"]["bytes"].decode()), d["name"])
            if (d := item.get("document"))
            else item
            for item in items
        ]
        return str(shown)

    table = document(TEXT.encode(), "csv", "t")
    paper = document(b"%PDF", "pdf", f"{KEY}.pdf")
    picture = {"image": {"format": "png", "source": {"location": {"type": "s3", "uri": ADDRESS}}}}
    shot = {"image": {"format": "png", "source": {"bytes": base64.b64decode(SHOT)}}}
    mapping = PartedMessages(ContentBlocks(), lambda text: {"text": text})
    return Framework(mapping, table, paper, picture, shot, asks, answers, said)


def haystack():
    from haystack.dataclasses import ChatMessage, ImageContent, TextContent, ToolCall

    from contextwright.adapters.haystack.chat_contents import ChatContents
    from contextwright.adapters.message_parts import PartedMessages

    def content(item):
        return TextContent(item) if isinstance(item, str) else item

    def asks(*items):
        return [ChatMessage.from_user(content_parts=list(map(content, items)))]

    def answers(*items):
        call = ToolCall("read", {}, id="c1")
        back = ChatMessage.from_tool(list(map(content, items)), origin=call)
        return [*asks("go"), ChatMessage.from_assistant(tool_calls=[call]), back]

    def said(message):
        items = [one for result in message.tool_call_results for one in result.result]
        return str(
            [getattr(one, "base64_image", None) or getattr(one, "text", one) for one in items]
        )

    shot = ImageContent(base64_image=SHOT, mime_type="image/png")
    mapping = PartedMessages(ChatContents(), TextContent)
    return Framework(mapping, None, None, None, shot, asks, answers, said)


def llama_index():
    from llama_index.core.base.llms.types import (
        ChatMessage,
        ImageBlock,
        TextBlock,
        ToolCallBlock,
    )

    from contextwright.adapters.llama_index.message_blocks import MessageBlocks
    from contextwright.adapters.message_parts import PartedMessages

    def block(item):
        return TextBlock(text=item) if isinstance(item, str) else item

    def asks(*items):
        return [ChatMessage(role="user", blocks=list(map(block, items)))]

    def answers(*items):
        call = ToolCallBlock(tool_call_id="c1", tool_name="read", tool_kwargs={})
        extra = {"tool_call_id": "c1"}
        back = ChatMessage(role="tool", blocks=list(map(block, items)), additional_kwargs=extra)
        return [*asks("go"), ChatMessage(role="assistant", blocks=[call]), back]

    def said(message):
        return str(
            [getattr(one, "image", None) or getattr(one, "text", one) for one in message.blocks]
        )

    shot = ImageBlock(image=base64.b64decode(SHOT), image_mimetype="image/png")
    mapping = PartedMessages(MessageBlocks(), lambda text: TextBlock(text=text))
    picture = ImageBlock(url=ADDRESS, image_mimetype="image/png")
    return Framework(mapping, None, None, picture, shot, asks, answers, said)


MADE = {"langchain_core": langchain, "pydantic_ai": pydantic_ai}
MADE |= {"agent_framework": agent_framework, "inspect_ai": inspect_ai}
MADE |= {"agno": agno, "strands": strands}
PICTURES = {**MADE, "haystack": haystack, "llama_index": llama_index}
"""Also those of which only pictures are made."""
