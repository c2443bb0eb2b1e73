"""Gemini `contents`, as google-genai takes them."""

from collections.abc import Iterator
from typing import Any

from contextwright.blocks.block import Block, Message
from contextwright.blocks.escape import section
from contextwright.render.alternate import EARLIER, NOTHING_NEW, add_tail, merged
from contextwright.render.gemini_rules import RULES
from contextwright.render.message_layout import Layout
from contextwright.render.renderer import Count, Request, Violation, violations
from contextwright.render.target import Target
from contextwright.render.wire import (
    EMPTY,
    NameMap,
    arguments_of,
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
from contextwright.tokens.overhead import OVERHEADS

NAME = r"[A-Za-z_][A-Za-z0-9_.-]{0,63}"
ID = r"[\x21-\x7e]{1,256}"
SKIP_SIGNATURE = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""base64 of `skip_thought_signature_validator`: what Google takes where a signature was lost."""
_OVERHEAD = OVERHEADS["gemini"]
Wire = dict[str, Any]


class GeminiRenderer:
    """Keyword arguments of `client.models.generate_content`."""

    format = "gemini"

    def cost(self, block: Block, target: Target) -> int:
        """Tokens of the block's contents."""
        names = NameMap(ID, "call_", NAME)
        return sum(_measure(wire, target.counter.count) for wire in _wires(block, names))

    def section_cost(self, text: str, target: Target) -> int:
        """Tokens of a section in a content of its own."""
        return target.counter.count(clean(text)) + _OVERHEAD.message + 1

    def margin(self, target: Target) -> int:
        """A user's turn at the beginning and at the end."""
        return self.section_cost(EARLIER, target) + self.section_cost(NOTHING_NEW, target)

    def request(self, layout: Layout, target: Target) -> Request:
        """Model, contents, and a config with instruction, tools and the answer's limit."""
        names = NameMap(ID, "call_", NAME)
        wires = [wire for block in layout.conversation for wire in _wires(block, names)]
        if not wires or wires[0]["role"] != "user":
            wires.insert(0, {"role": "user", "parts": [{"text": EARLIER}]})
        contents = merged(wires, "parts")
        if layout.tail:
            tail = {"text": joined(layout.tail)}
            add_tail(contents, tail, "parts", is_result="function_response")
        elif contents[-1]["role"] == "model":
            contents.append({"role": "user", "parts": [{"text": NOTHING_NEW}]})
        if target.model.rpartition("/")[2].startswith("gemini-3"):
            _sign(contents)
        config: Wire = {"max_output_tokens": target.reserved_output or 1}
        if layout.system:
            config["system_instruction"] = joined(layout.system)
        if layout.tools:
            declared = [_tool(tool, names) for tool in layout.tools]
            config["tools"] = [{"function_declarations": declared}]
        return {"model": target.model, "contents": contents, "config": config}

    def measure(self, request: Request, target: Target) -> int:
        """Tokens of a whole request."""
        count = target.counter.count
        config = request.get("config", {})
        tokens = _OVERHEAD.request + count(config.get("system_instruction", "")) + 1
        tokens += sum(_measure(wire, count) for wire in request["contents"])
        for group in config.get("tools", ()):
            declared = group["function_declarations"]
            tokens += _OVERHEAD.tools
            tokens += sum(_OVERHEAD.tool + schema_tokens(tool, count) for tool in declared)
        return tokens

    def validate(self, request: Request, target: Target) -> list[Violation]:
        """The rules that the request breaks."""
        return violations(RULES, request)


def _wires(block: Block, names: NameMap) -> Iterator[Wire]:
    calls = {
        part.id: part for m in block.messages for part in m.parts if isinstance(part, ToolCall)
    }
    sent = {id: names.id(id, f"{block.id}/{place}") for place, id in enumerate(calls)}
    for message in block.messages:
        parts = [
            wire for part in message.parts for wire in _part(part, message, calls, sent, names)
        ]
        if message.role == "tool":
            # pictures stand behind all responses: no response content takes them on 2.x
            parts.sort(key=lambda wire: "function_response" not in wire)
        if message.role == "system":
            said = "\n".join(texts(message))
            parts = [{"text": section(said, source="system")}] if said else []
        if message.role == "user" and not parts:
            parts = [{"text": EMPTY}]
        if parts:
            yield {"role": "model" if message.role == "assistant" else "user", "parts": parts}


def _part(
    part: AnyPart,
    message: Message,
    calls: dict[str, ToolCall],
    sent: dict[str, str],
    names: NameMap,
) -> Iterator[Wire]:
    if isinstance(part, Text):
        if part.text.strip():
            yield {"text": clean(part.text), **_signature(part, message)}
    elif isinstance(part, ToolCall):
        if calls.get(part.id) is part:
            arguments = arguments_of(part) or {}
            call = {"id": sent[part.id], "name": names.name(part.name), "args": arguments}
            yield {"function_call": call, **_signature(part, message)}
    elif isinstance(part, ToolResult):
        yield _result(part, calls.get(part.call_id), sent, names)
        for piece in part.content:
            if isinstance(piece, Image) and is_sendable(piece):
                yield _blob(piece)
    elif isinstance(part, Thinking):
        if part.provider == "google" and message.whole and part.text:
            yield {"text": clean(part.text), "thought": True, **_signed(part.signature)}
    elif isinstance(part, (Image, File)):
        yield _blob(part)


def _signature(part: AnyPart, message: Message) -> Wire:
    """The thought signature that came with a part; it holds only for the message as it was."""
    kept = part.extra.get("gemini", {}) if message.whole else {}
    return _signed(kept.get("thought_signature", "") if isinstance(kept, dict) else "")  # pyright: ignore


def _signed(signature: Any) -> Wire:
    return {"thought_signature": signature} if isinstance(signature, str) and signature else {}


def _result(part: ToolResult, call: ToolCall | None, sent: dict[str, str], names: NameMap) -> Wire:
    key = "error" if part.status in {"error", "interrupted"} else "result"
    response: Wire = {
        "id": sent.get(part.call_id, part.call_id),
        "name": names.name(call.name if call is not None else part.name),
        "response": {key: result_text(part, call)},
    }
    return {"function_response": response}


def _blob(part: Image | File) -> Wire:
    if part.data:
        return {"inline_data": {"mime_type": part.media_type, "data": part.data}}
    if part.url.startswith(("gs://", "https://generativelanguage.googleapis.com/")):
        return {"file_data": {"mime_type": part.media_type, "file_uri": clean(part.url)}}
    return {"text": describe(part)}


def _sign(contents: list[Wire]) -> None:
    """Gemini 3: in the current turn the first call of a content is signed (GE6)."""
    start = 0
    for place, content in enumerate(contents):
        if content["role"] == "user" and any(
            "function_response" not in p for p in content["parts"]
        ):
            start = place
    for content in contents[start:]:
        calls = [part for part in content["parts"] if "function_call" in part]
        if calls and "thought_signature" not in calls[0]:
            calls[0]["thought_signature"] = SKIP_SIGNATURE


def _tool(tool: Tool, names: NameMap) -> Wire:
    wire: Wire = {"name": names.name(tool.name), "parameters_json_schema": schema_of(tool)}
    if tool.description:
        wire["description"] = clean(tool.description)
    return ordered(wire)


def _measure(wire: Wire, count: Count) -> int:
    return _OVERHEAD.message + sum(_measure_part(part, count) for part in wire["parts"])


def _measure_part(part: Wire, count: Count) -> int:
    if "text" in part:
        return count(part["text"]) + 1
    if "function_call" in part:
        call = part["function_call"]
        return _OVERHEAD.call + count(call["name"]) + schema_tokens(call["args"], count)
    if "function_response" in part:
        response = part["function_response"]
        texts = response["response"].values()
        return _OVERHEAD.result + count(response["name"]) + sum(map(count, texts))
    blob = part.get("inline_data") or part["file_data"]
    if blob["mime_type"].startswith("image/"):
        return cost_of_image(Image(data=blob.get("data", "")), "google")
    return max(1000, len(blob.get("data", "")) * 3 // 16)
