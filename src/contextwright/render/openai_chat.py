"""OpenAI Chat Completions, and what is compatible with it."""

from collections.abc import Iterator
from typing import Any

from contextwright.blocks.block import Block, Message
from contextwright.render.message_layout import Layout
from contextwright.render.openai_chat_rules import RULES
from contextwright.render.renderer import Count, Request, Violation, violations
from contextwright.render.target import Target
from contextwright.render.wire import (
    EMPTY,
    NameMap,
    arguments_text,
    calls_of,
    clean,
    cost_of_image,
    describe,
    is_sendable,
    joined,
    ordered,
    result_text,
    schema_of,
    schema_tokens,
    texts,
)
from contextwright.session.event import File, Image, Text, Tool, ToolCall, ToolResult
from contextwright.tokens.overhead import OVERHEADS

ID = r"[\x21-\x7e]{1,40}"
NAME = r"[A-Za-z0-9_-]{1,64}"
_OVERHEAD = OVERHEADS["openai-chat"]
Wire = dict[str, Any]


class OpenAIChatRenderer:
    """Keyword arguments of `client.chat.completions.create`."""

    format = "openai-chat"

    def cost(self, block: Block, target: Target) -> int:
        """Tokens of the block's messages."""
        names = NameMap(ID, "call_", NAME)
        return sum(_measure(wire, target.counter.count) for wire in _wires(block, names))

    def section_cost(self, text: str, target: Target) -> int:
        """Tokens of a section in a message of its own."""
        return target.counter.count(clean(text)) + _OVERHEAD.message + 1

    def margin(self, target: Target) -> int:
        """Nothing is added for the form's sake."""
        return 0

    def request(self, layout: Layout, target: Target) -> Request:
        """Model, messages, and tools if there are any."""
        messages: list[Wire] = []
        system, tail = joined(layout.system), joined(layout.tail)
        if system.strip():
            messages.append({"role": "system", "content": system})
        names = NameMap(ID, "call_", NAME)
        for block in layout.conversation:
            messages.extend(_wires(block, names))
        if tail.strip():
            _add_tail(messages, tail)
        request: Request = {"model": target.model, "messages": messages}
        if layout.tools:
            request["tools"] = [_tool(tool, names) for tool in layout.tools]
        return request

    def measure(self, request: Request, target: Target) -> int:
        """Tokens of a whole request."""
        count = target.counter.count
        tokens = _OVERHEAD.request
        tokens += sum(_measure(wire, count) for wire in request["messages"])
        tools = request.get("tools", [])
        if tools:
            tokens += _OVERHEAD.tools
            tokens += sum(_OVERHEAD.tool + schema_tokens(tool, count) for tool in tools)
        return tokens

    def validate(self, request: Request, target: Target) -> list[Violation]:
        """The rules that the request breaks."""
        return violations(RULES, request)


def _wires(block: Block, names: NameMap) -> Iterator[Wire]:
    calls = calls_of(block)
    sent = {id: names.id(id, f"{block.id}/{place}") for place, id in enumerate(calls)}
    for message in block.messages:
        if message.role == "tool":
            yield from _tool_messages(message, calls, sent)
        elif message.role == "assistant":
            yield from _assistant(message, calls, sent, names)
        else:
            yield from _said(message)


def _said(message: Message) -> Iterator[Wire]:
    if message.role == "system":
        text = "\n".join(texts(message))
        if text:
            yield {"role": "system", "content": text}
        return
    parts = [wire for part in message.parts if (wire := _part(part)) is not None]
    if not parts:
        yield {"role": "user", "content": EMPTY}
    elif len(parts) == 1 and parts[0]["type"] == "text":
        yield {"role": "user", "content": parts[0]["text"]}
    else:
        yield {"role": "user", "content": parts}


def _part(part: Any) -> Wire | None:
    if isinstance(part, Text):
        return {"type": "text", "text": clean(part.text)} if part.text.strip() else None
    if isinstance(part, Image):
        return _image(part)
    if isinstance(part, File):
        return _file(part)
    return None


def _image(part: Image) -> Wire:
    if not is_sendable(part):
        return {"type": "text", "text": describe(part)}
    url = part.url or f"data:{part.media_type};base64,{part.data}"
    image: Wire = {"url": clean(url)}
    if part.detail in {"low", "high", "auto"}:
        image["detail"] = part.detail
    return {"type": "image_url", "image_url": image}


def _file(part: File) -> Wire:
    if part.file_id:
        return {"type": "file", "file": {"file_id": clean(part.file_id)}}
    if not part.data:
        return {"type": "text", "text": describe(part)}
    data = clean(f"data:{part.media_type};base64,{part.data}")
    name = clean(part.name) or "file"
    return {"type": "file", "file": {"filename": name, "file_data": data}}


def _assistant(
    message: Message, calls: dict[str, ToolCall], sent: dict[str, str], names: NameMap
) -> Iterator[Wire]:
    content = "\n".join(texts(message))
    wire: Wire = {"role": "assistant", "content": content or None}
    asked = [p for p in message.parts if isinstance(p, ToolCall) and calls.get(p.id) is p]
    if asked:
        wire["tool_calls"] = [_call(call, sent[call.id], names) for call in asked]
    if content or asked:
        yield wire


def _call(call: ToolCall, id: str, names: NameMap) -> Wire:
    function = {"name": names.name(call.name), "arguments": arguments_text(call)}
    return {"id": id, "type": "function", "function": function}


def _tool_messages(
    message: Message, calls: dict[str, ToolCall], sent: dict[str, str]
) -> Iterator[Wire]:
    """A tool message a result; its pictures behind them all: only a user may send pictures."""
    images: list[Wire] = []
    for result in message.parts:
        if not isinstance(result, ToolResult) or result.call_id not in calls:
            continue
        text = result_text(result, calls[result.call_id])
        yield {"role": "tool", "tool_call_id": sent[result.call_id], "content": text}
        images += [_image(p) for p in result.content if isinstance(p, Image) and is_sendable(p)]
    if images:
        yield {"role": "user", "content": images}


def _tool(tool: Tool, names: NameMap) -> Wire:
    function: Wire = {"name": names.name(tool.name), "parameters": schema_of(tool)}
    if tool.description:
        function["description"] = clean(tool.description)
    return ordered({"type": "function", "function": function})


def _add_tail(messages: list[Wire], text: str) -> None:
    if messages and messages[-1]["role"] == "user":
        content = messages[-1]["content"]
        said = [{"type": "text", "text": content}] if isinstance(content, str) else content
        messages[-1] = {"role": "user", "content": [{"type": "text", "text": text}, *said]}
    else:
        messages.append({"role": "user", "content": text})


def _measure(wire: Wire, count: Count) -> int:
    tokens = _OVERHEAD.message
    if wire["role"] == "tool":
        tokens += _OVERHEAD.result
    content = wire.get("content")
    if isinstance(content, str):
        tokens += count(content)
    elif content:
        tokens += sum(_measure_part(part, count) for part in content)
    for call in wire.get("tool_calls", ()):
        function = call["function"]
        tokens += _OVERHEAD.call + count(function["name"]) + count(function["arguments"])
    return tokens


def _measure_part(part: Wire, count: Count) -> int:
    if part["type"] == "text":
        return count(part["text"]) + 1
    if part["type"] == "image_url":
        url: str = part["image_url"]["url"]
        data = url.partition(";base64,")[2]
        detail = part["image_url"].get("detail", "")
        return cost_of_image(Image(data=data, detail=detail), "openai")
    return file_tokens(part["file"].get("file_data", ""))


def file_tokens(data: str) -> int:
    """Tokens of an attached file: a quarter of its bytes, as its text would have, or more."""
    return max(1000, len(data) * 3 // 16)
