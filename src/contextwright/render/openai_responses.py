"""OpenAI Responses."""

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from contextwright.blocks.block import Block, Message
from contextwright.render.message_layout import Layout
from contextwright.render.openai_chat import file_tokens
from contextwright.render.openai_responses_rules import RULES, reasons
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
from contextwright.session.event import File, Image, Text, Thinking, Tool, ToolCall, ToolResult
from contextwright.tokens.overhead import OVERHEADS

ID = r"[\x21-\x7e]{1,64}"
NAME = r"[A-Za-z0-9_-]{1,64}"
_ID = re.compile(r"rs_[A-Za-z0-9_-]{1,61}")
_OVERHEAD = OVERHEADS["openai-responses"]
Wire = dict[str, Any]


class OpenAIResponsesRenderer:
    """Keyword arguments of `client.responses.create`, with nothing stored at the provider."""

    format = "openai-responses"

    def cost(self, block: Block, target: Target) -> int:
        """Tokens of the block's items."""
        items = _items(block, NameMap(ID, "call_", NAME), target.model)
        return sum(_measure(item, target.counter.count) for item in items)

    def section_cost(self, text: str, target: Target) -> int:
        """Tokens of a section in an item of its own."""
        return target.counter.count(clean(text)) + _OVERHEAD.message + 1

    def margin(self, target: Target) -> int:
        """Nothing is added for the form's sake."""
        return 0

    def request(self, layout: Layout, target: Target) -> Request:
        """Model, instructions, input, tools."""
        names = NameMap(ID, "call_", NAME)
        items = [i for block in layout.conversation for i in _items(block, names, target.model)]
        _tell_apart(items)
        system, tail = joined(layout.system), joined(layout.tail)
        if tail.strip():
            _add_tail(items, tail)
        request: Request = {"model": target.model, "input": items, "store": False}
        if system.strip():
            request["instructions"] = system
        if layout.tools:
            request["tools"] = [_tool(tool, names) for tool in layout.tools]
        if any(item["type"] == "reasoning" for item in items):
            request["include"] = ["reasoning.encrypted_content"]
        return request

    def measure(self, request: Request, target: Target) -> int:
        """Tokens of a whole request."""
        count = target.counter.count
        tokens = _OVERHEAD.request + count(request.get("instructions", ""))
        tokens += _OVERHEAD.message if request.get("instructions") else 0
        tokens += sum(_measure(item, count) for item in request["input"])
        tools = request.get("tools", [])
        if tools:
            tokens += _OVERHEAD.tools
            tokens += sum(_OVERHEAD.tool + schema_tokens(tool, count) for tool in tools)
        return tokens

    def validate(self, request: Request, target: Target) -> list[Violation]:
        """The rules that the request breaks."""
        return violations(RULES, request)


def _items(block: Block, names: NameMap, model: str) -> Iterator[Wire]:
    calls = calls_of(block)
    sent = {id: names.id(id, f"{block.id}/{place}") for place, id in enumerate(calls)}
    for message in block.messages:
        if message.role == "tool":
            for part in message.parts:
                if isinstance(part, ToolResult) and part.call_id in calls:
                    yield _output(part, calls[part.call_id], sent[part.call_id])
        elif message.role == "assistant":
            produced = list(_produced(message, calls, sent, names))
            if produced and message.whole and reasons(model):
                yield from _reasoning(message)
            yield from produced
        else:
            yield from _said(message)


def _said(message: Message) -> Iterator[Wire]:
    if message.role == "system":
        parts = [{"type": "input_text", "text": text} for text in texts(message)]
    else:
        parts = [wire for part in message.parts if (wire := _part(part)) is not None]
        parts = parts or [{"type": "input_text", "text": EMPTY}]
    if parts:
        yield {"type": "message", "role": message.role, "content": parts}


def _part(part: Any) -> Wire | None:
    if isinstance(part, Text):
        return {"type": "input_text", "text": clean(part.text)} if part.text.strip() else None
    if isinstance(part, Image):
        return _image(part)
    if isinstance(part, File):
        return _file(part)
    return None


def _image(part: Image) -> Wire:
    if not is_sendable(part) and not part.file_id:
        return {"type": "input_text", "text": describe(part)}
    detail = part.detail if part.detail in {"low", "high"} else "auto"
    wire: Wire = {"type": "input_image", "detail": detail}
    if part.file_id:
        return {**wire, "file_id": clean(part.file_id)}
    url = part.url or f"data:{part.media_type};base64,{part.data}"
    return {**wire, "image_url": clean(url)}


def _file(part: File) -> Wire:
    if part.file_id:
        return {"type": "input_file", "file_id": clean(part.file_id)}
    if part.url.startswith("https://") and not part.data:
        return {"type": "input_file", "file_url": clean(part.url)}
    if not part.data:
        return {"type": "input_text", "text": describe(part)}
    data = clean(f"data:{part.media_type};base64,{part.data}")
    return {"type": "input_file", "filename": clean(part.name) or "file", "file_data": data}


def _produced(
    message: Message, calls: dict[str, ToolCall], sent: dict[str, str], names: NameMap
) -> Iterator[Wire]:
    said = "\n".join(texts(message))
    if said:
        yield {"type": "message", "role": "assistant", "content": said}
    for part in message.parts:
        if isinstance(part, ToolCall) and calls.get(part.id) is part:
            yield {
                "type": "function_call",
                "call_id": sent[part.id],
                "name": names.name(part.name),
                "arguments": arguments_text(part),
            }


def _reasoning(message: Message) -> Iterator[Wire]:
    """OpenAI's own reasoning, in its encrypted form, in front of what it produced (OR5, OR6)."""
    for part in message.parts:
        if isinstance(part, Thinking) and part.provider == "openai" and part.redacted:
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


def _output(part: ToolResult, call: ToolCall, id: str) -> Wire:
    images = [
        _image(p) for p in part.content if isinstance(p, Image) and (is_sendable(p) or p.file_id)
    ]
    text = result_text(part, call)
    output: Any = [{"type": "input_text", "text": text}, *images] if images else text
    return {"type": "function_call_output", "call_id": id, "output": output}


def _tool(tool: Tool, names: NameMap) -> Wire:
    wire: Wire = {
        "type": "function",
        "name": names.name(tool.name),
        "parameters": schema_of(tool),
        "strict": False,
    }
    if tool.description:
        wire["description"] = clean(tool.description)
    return ordered(wire)


def _add_tail(items: list[Wire], text: str) -> None:
    part = {"type": "input_text", "text": text}
    if items and items[-1].get("role") == "user":
        items[-1] = {**items[-1], "content": [part, *items[-1]["content"]]}
    else:
        items.append({"type": "message", "role": "user", "content": [part]})


def _measure(item: Wire, count: Count) -> int:
    kind = item["type"]
    if kind == "function_call":
        return _OVERHEAD.call + count(item["name"]) + count(item["arguments"])
    if kind == "reasoning":
        text = "".join(part["text"] for part in item["summary"])
        # encrypted reasoning is billed by its clear text: at most a token three characters
        return _OVERHEAD.thinking + max(count(text), len(item["encrypted_content"]) // 3)
    content = item["output"] if kind == "function_call_output" else item["content"]
    tokens = _OVERHEAD.result if kind == "function_call_output" else _OVERHEAD.message
    if isinstance(content, str):
        return tokens + count(content)
    return tokens + sum(_measure_part(part, count) for part in content)


def _measure_part(part: Wire, count: Count) -> int:
    if part["type"] == "input_text":
        return count(part["text"]) + 1
    if part["type"] == "input_image":
        data = part.get("image_url", "").partition(";base64,")[2]
        return cost_of_image(Image(data=data, detail=part["detail"]), "openai")
    return file_tokens(part.get("file_data", ""))
