"""OpenAI Responses."""

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from contextwright.blocks.block import Block, Message
from contextwright.render.draft import BlockCalls, Draft
from contextwright.render.message_layout import Layout
from contextwright.render.openai_chat import OPENAI_OVERHEAD, file_tokens
from contextwright.render.openai_responses_rules import RULES, reasons
from contextwright.render.providers import Provider
from contextwright.render.renderer import MessageRenderer, Request, SendableParts
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
from contextwright.session.event import (
    AnyPart,
    File,
    Image,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)

_ID = re.compile(r"rs_[A-Za-z0-9_-]{1,61}")
_PARTS = SendableParts(reasoning_of="openai", reasoning_form=("redacted",))


class OpenAIResponsesRenderer(MessageRenderer):
    """Keyword arguments of `client.responses.create`, with nothing stored at the provider."""

    rules = RULES
    overhead = OPENAI_OVERHEAD
    parts = _PARTS
    cache_order = ("tools", "instructions", "input")
    id_pattern = r"[\x21-\x7e]{1,64}"

    def build(self, layout: Layout, target: Target, draft: Draft) -> Request:
        """Model, instructions, input, tools."""
        items = [item for _, item in self.conversation(layout, target, draft)]
        _tell_apart(items)
        system, tail = draft.joined(layout.system, "system"), draft.joined(layout.tail, "tail")
        if tail.strip():
            _add_tail(items, tail)
        request: Request = {"model": target.model, "input": items, "store": False}
        if system.strip():
            request["instructions"] = system
        if layout.tools:
            request["tools"] = self.tool_wires(layout, draft)
        if any(item["type"] == "reasoning" for item in items):
            request["include"] = ["reasoning.encrypted_content"]
        return request

    def tool_wire(self, tool: Tool, draft: Draft) -> Wire:
        """A function tool."""
        wire: Wire = {
            "type": "function",
            "name": draft.name(tool.name),
            "parameters": schema_of(tool),
            "strict": False,
        }
        if tool.description:
            wire["description"] = clean(tool.description)
        return ordered(wire)

    def measure_system(self, request: Request, count: Count) -> int:
        """Tokens of the instructions."""
        text = request.get("instructions", "")
        return count(text) + self.overhead.message if text else 0

    def measure_wire(self, wire: Wire, count: Count) -> int:
        """Tokens of an item."""
        overhead, kind = self.overhead, wire["type"]
        if kind == "function_call":
            return overhead.call + count(wire["name"]) + count(wire["arguments"])
        if kind == "reasoning":
            text = "".join(part["text"] for part in wire["summary"])
            # encrypted reasoning is billed by its clear text: at most a token three characters
            return overhead.thinking + max(count(text), len(wire["encrypted_content"]) // 3)
        content = wire["output"] if kind == "function_call_output" else wire["content"]
        tokens = overhead.result if kind == "function_call_output" else overhead.message
        if isinstance(content, str):
            return tokens + count(content)
        return tokens + sum(_measure_part(part, count) for part in content)

    def wires(self, block: Block, draft: Draft, target: Target) -> Iterator[tuple[str, Wire]]:
        """The items of a block, each with the event that it comes from."""
        calls = draft.calls(block)
        for message in block.messages:
            where = message.event_id or block.id
            for item in _items(message, where, calls, draft, target.model):
                yield where, item


def _items(
    message: Message, where: str, calls: BlockCalls, draft: Draft, model: str
) -> Iterator[Wire]:
    if message.role == "tool":
        for part in message.parts:
            if isinstance(part, ToolResult) and part.call_id in calls.calls:
                yield _output(part, where, calls, draft)
    elif message.role == "assistant":
        produced = list(_produced(message, calls, draft))
        if produced and reasons(model):
            yield from _reasoning(message)
        yield from produced
    else:
        yield from _plain_message(message, where, draft)


def _plain_message(message: Message, where: str, draft: Draft) -> Iterator[Wire]:
    if message.role == "system":
        parts = [_text(text) for text in texts(message)]
    else:
        parts = [wire for part in message.parts if (wire := _part(part, where, draft)) is not None]
        parts = parts or [_text(draft.empty(where))]
    if parts:
        yield {"type": "message", "role": message.role, "content": parts}


def _text(text: str) -> Wire:
    return {"type": "input_text", "text": text}


def _part(part: AnyPart, where: str, draft: Draft) -> Wire | None:
    if isinstance(part, Text):
        return _text(clean(part.text)) if part.text.strip() else None
    if isinstance(part, Image):
        return _image(part) or _text(draft.media(part, where))
    if isinstance(part, File):
        return _file(part) or _text(draft.media(part, where))
    return None


def _image(part: Image) -> Wire | None:
    if not is_sendable(part) and not part.file_id:
        return None
    detail = part.detail if part.detail in {"low", "high"} else "auto"
    wire: Wire = {"type": "input_image", "detail": detail}
    if part.file_id:
        return {**wire, "file_id": clean(part.file_id)}
    url = part.url or f"data:{part.media_type};base64,{part.data}"
    return {**wire, "image_url": clean(url)}


def _file(part: File) -> Wire | None:
    if part.file_id:
        return {"type": "input_file", "file_id": clean(part.file_id)}
    if part.url.startswith("https://") and not part.data:
        return {"type": "input_file", "file_url": clean(part.url)}
    if not part.data:
        return None
    data = clean(f"data:{part.media_type};base64,{part.data}")
    return {"type": "input_file", "filename": clean(part.name) or "file", "file_data": data}


def _produced(message: Message, calls: BlockCalls, draft: Draft) -> Iterator[Wire]:
    text = "\n".join(texts(message))
    if text:
        yield {"type": "message", "role": "assistant", "content": text}
    for part in message.parts:
        if isinstance(part, ToolCall) and calls.is_sent(part):
            yield {
                "type": "function_call",
                "call_id": calls.id_of(part.id),
                "name": draft.name(part.name),
                "arguments": arguments_text(part),
            }


def _reasoning(message: Message) -> Iterator[Wire]:
    """OpenAI's own reasoning, in its encrypted form, in front of what it produced (OR5, OR6)."""
    for part in message.parts:
        if isinstance(part, Thinking) and not _PARTS.refusal(part, message, ""):
            text = clean(part.text)
            summary = [{"type": "summary_text", "text": text}] if text else []
            yield {
                "type": "reasoning",
                "id": _reasoning_id(part),
                "summary": summary,
                "encrypted_content": clean(part.redacted),
            }


def _reasoning_id(part: Thinking) -> str:
    """The id that came with it, or one made of its content: the type asks for one."""
    known = part.extra.get("openai-responses", {}).get("id")
    made = sha256(part.redacted.encode("utf-8", "replace")).hexdigest()[:24]
    return known if isinstance(known, str) and _ID.fullmatch(known) else f"rs_{made}"


def _tell_apart(items: list[Wire]) -> None:
    """An id of its own for reasoning that stands there twice (OR4)."""
    seen: set[str] = set()
    for place, item in enumerate(items):
        if item["type"] == "reasoning":
            if item["id"] in seen:
                item["id"] = "rs_" + sha256(f"{item['id']} {place}".encode()).hexdigest()[:24]
            seen.add(item["id"])


def _output(part: ToolResult, where: str, calls: BlockCalls, draft: Draft) -> Wire:
    pictures = [_image(piece) for piece in part.content if isinstance(piece, Image)]
    images = [picture for picture in pictures if picture is not None]
    text = draft.result_text(part, calls.calls[part.call_id], where)
    output: Any = [_text(text), *images] if images else text
    return {
        "type": "function_call_output",
        "call_id": calls.id_of(part.call_id),
        "output": output,
    }


def _add_tail(items: list[Wire], text: str) -> None:
    part = _text(text)
    if items and items[-1].get("role") == "user":
        items[-1] = {**items[-1], "content": [part, *items[-1]["content"]]}
    else:
        items.append({"type": "message", "role": "user", "content": [part]})


def _measure_part(part: Wire, count: Count) -> int:
    if part["type"] == "input_text":
        return count(part["text"]) + 1
    if part["type"] == "input_image":
        data = part.get("image_url", "").partition(";base64,")[2]
        return cost_of_image(Image(data=data, detail=part["detail"]), "openai")
    return file_tokens(part.get("file_data", ""))


PROVIDER = Provider("openai-responses", OpenAIResponsesRenderer())
