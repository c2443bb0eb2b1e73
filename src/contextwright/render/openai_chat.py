"""OpenAI Chat Completions, and what is compatible with it."""

from collections.abc import Iterator

from contextwright.blocks.block import Block, Message
from contextwright.render.draft import BlockCalls, Draft
from contextwright.render.message_layout import Layout
from contextwright.render.openai_chat_rules import RULES
from contextwright.render.providers import Provider
from contextwright.render.renderer import MessageRenderer, Overhead, Request
from contextwright.render.target import Target
from contextwright.render.wire import (
    Count,
    Wire,
    arguments_text,
    clean,
    cost_of_image,
    is_sendable,
    ordered,
    schema_of,
    texts,
)
from contextwright.session.event import AnyPart, File, Image, Text, Tool, ToolCall, ToolResult

OPENAI_OVERHEAD = Overhead(result=4, tools=12)
"""OpenAI's cookbook, "How to count tokens with tiktoken": 3 a message, 3 to prime the answer;
7 + 12 for functions. Calls are not documented: 8 is above what was seen."""


class OpenAIChatRenderer(MessageRenderer):
    """Keyword arguments of `client.chat.completions.create`."""

    rules = RULES
    overhead = OPENAI_OVERHEAD
    cache_order = ("tools", "messages")
    id_pattern = r"[\x21-\x7e]{1,40}"

    def build(self, layout: Layout, target: Target, draft: Draft) -> Request:
        """Model, messages, and tools if there are any."""
        messages: list[Wire] = []
        system, tail = draft.joined(layout.system, "system"), draft.joined(layout.tail, "tail")
        if system.strip():
            messages.append({"role": "system", "content": system})
        messages += [wire for _, wire in self.conversation(layout, target, draft)]
        if tail.strip():
            _add_tail(messages, tail)
        request: Request = {"model": target.model, "messages": messages}
        if layout.tools:
            request["tools"] = self.tool_wires(layout, draft)
        return request

    def tool_wire(self, tool: Tool, draft: Draft) -> Wire:
        """A function tool."""
        function: Wire = {"name": draft.name(tool.name), "parameters": schema_of(tool)}
        if tool.description:
            function["description"] = clean(tool.description)
        return ordered({"type": "function", "function": function})

    def measure_wire(self, wire: Wire, count: Count) -> int:
        """Tokens of a message."""
        tokens = self.overhead.message
        if wire["role"] == "tool":
            tokens += self.overhead.result
        content = wire.get("content")
        if isinstance(content, str):
            tokens += count(content)
        elif content:
            tokens += sum(_measure_part(part, count) for part in content)
        for call in wire.get("tool_calls", ()):
            function = call["function"]
            tokens += self.overhead.call + count(function["name"]) + count(function["arguments"])
        return tokens

    def wires(self, block: Block, draft: Draft, target: Target) -> Iterator[tuple[str, Wire]]:
        """The messages of a block, each with the event that it comes from."""
        calls = draft.calls(block)
        for message in block.messages:
            where = message.event_id or block.id
            if message.role == "tool":
                wires = _tool_messages(message, where, calls, draft)
            elif message.role == "assistant":
                wires = _assistant(message, calls, draft)
            else:
                wires = _plain_message(message, where, draft)
            for wire in wires:
                yield where, wire


def _plain_message(message: Message, where: str, draft: Draft) -> Iterator[Wire]:
    if message.role == "system":
        text = "\n".join(texts(message))
        if text:
            yield {"role": "system", "content": text}
        return
    parts = [wire for part in message.parts if (wire := _part(part, where, draft)) is not None]
    if not parts:
        yield {"role": "user", "content": draft.empty(where)}
    elif len(parts) == 1 and parts[0]["type"] == "text":
        yield {"role": "user", "content": parts[0]["text"]}
    else:
        yield {"role": "user", "content": parts}


def _part(part: AnyPart, where: str, draft: Draft) -> Wire | None:
    if isinstance(part, Text):
        return {"type": "text", "text": clean(part.text)} if part.text.strip() else None
    if isinstance(part, Image):
        return _image(part) or {"type": "text", "text": draft.media(part, where)}
    if isinstance(part, File):
        return _file(part) or {"type": "text", "text": draft.media(part, where)}
    return None


def _image(part: Image) -> Wire | None:
    if not is_sendable(part):
        return None
    url = part.url or f"data:{part.media_type};base64,{part.data}"
    image: Wire = {"url": clean(url)}
    if part.detail in {"low", "high", "auto"}:
        image["detail"] = part.detail
    return {"type": "image_url", "image_url": image}


def _file(part: File) -> Wire | None:
    if part.file_id:
        return {"type": "file", "file": {"file_id": clean(part.file_id)}}
    if not part.data:
        return None
    data = clean(f"data:{part.media_type};base64,{part.data}")
    name = clean(part.name) or "file"
    return {"type": "file", "file": {"filename": name, "file_data": data}}


def _assistant(message: Message, calls: BlockCalls, draft: Draft) -> Iterator[Wire]:
    content = "\n".join(texts(message))
    wire: Wire = {"role": "assistant", "content": content or None}
    sent = [p for p in message.parts if isinstance(p, ToolCall) and calls.is_sent(p)]
    if sent:
        wire["tool_calls"] = [_call(call, calls.id_of(call.id), draft) for call in sent]
    if content or sent:
        yield wire


def _call(call: ToolCall, id: str, draft: Draft) -> Wire:
    function = {"name": draft.name(call.name), "arguments": arguments_text(call)}
    return {"id": id, "type": "function", "function": function}


def _tool_messages(message: Message, where: str, calls: BlockCalls, draft: Draft) -> Iterator[Wire]:
    """A tool message a result; its pictures behind them all: only a user may send pictures."""
    images: list[Wire] = []
    for result in message.parts:
        if not isinstance(result, ToolResult) or result.call_id not in calls.calls:
            continue
        text = draft.result_text(result, calls.calls[result.call_id], where)
        yield {"role": "tool", "tool_call_id": calls.id_of(result.call_id), "content": text}
        pictures = (_image(part) for part in result.content if isinstance(part, Image))
        images += [picture for picture in pictures if picture is not None]
    if images:
        draft.put("moved_media", where)
        yield {"role": "user", "content": images}


def _add_tail(messages: list[Wire], text: str) -> None:
    if messages and messages[-1]["role"] == "user":
        content = messages[-1]["content"]
        own = [{"type": "text", "text": content}] if isinstance(content, str) else content
        messages[-1] = {"role": "user", "content": [{"type": "text", "text": text}, *own]}
    else:
        messages.append({"role": "user", "content": text})


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


PROVIDER = Provider("openai-chat", OpenAIChatRenderer())
