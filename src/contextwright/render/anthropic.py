"""Anthropic Messages."""

from collections.abc import Iterator
from typing import Any

from contextwright.blocks.block import Block, Message
from contextwright.blocks.escape import section
from contextwright.blocks.layering import CacheClass
from contextwright.render.alternate import EARLIER, NOTHING_NEW, add_tail, merged
from contextwright.render.anthropic_rules import RULES
from contextwright.render.message_layout import Layout, Section
from contextwright.render.renderer import Count, Request, Violation, violations
from contextwright.render.target import Target
from contextwright.render.wire import (
    EMPTY,
    NOT_JSON,
    NameMap,
    arguments_of,
    clean,
    cost_of_image,
    describe,
    joined,
    ordered,
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

ID = r"[A-Za-z0-9_-]{1,256}"
NAME = r"[A-Za-z0-9_-]{1,64}"
LOOK_BACK = 18
"""Parts between two breakpoints: the cache looks back 20 blocks, so a long loop needs a
second one."""
_OVERHEAD = OVERHEADS["anthropic"]
_BREAKPOINT = {"type": "ephemeral"}
_MARKABLE = {"text", "tool_result", "tool_use", "image", "document"}
Wire = dict[str, Any]


class AnthropicRenderer:
    """Keyword arguments of `client.messages.create`."""

    format = "anthropic"

    def cost(self, block: Block, target: Target) -> int:
        """Tokens of the block's messages, and of stubs for the tools that they call."""
        count = target.counter.count
        wires = list(_wires(block, NameMap(ID, "toolu_", NAME)))
        stubs = sum(_OVERHEAD.tool + _schema(stub, count) for stub in _stubs(wires))
        return stubs + sum(_measure(wire, count) for wire in wires)

    def section_cost(self, text: str, target: Target) -> int:
        """Tokens of a section in a message of its own."""
        return target.counter.count(clean(text)) + _OVERHEAD.message + 1

    def margin(self, target: Target) -> int:
        """A user's turn at the beginning and at the end, and tools that history needs."""
        turns = self.section_cost(EARLIER, target) + self.section_cost(NOTHING_NEW, target)
        return turns + _OVERHEAD.tools

    def request(self, layout: Layout, target: Target) -> Request:
        """Model, max_tokens, system, messages, tools; with breakpoints if the target caches."""
        names = NameMap(ID, "toolu_", NAME)
        wires = [wire for block in layout.conversation for wire in _wires(block, names)]
        if not wires or wires[0]["role"] != "user":
            wires.insert(0, {"role": "user", "content": [_text(EARLIER)]})
        messages = merged(wires, "content")
        tail = _text(joined(layout.tail)) if layout.tail else None
        if tail:
            add_tail(messages, tail, "content", is_result="tool_result")
        elif messages[-1]["role"] == "assistant":
            messages.append({"role": "user", "content": [_text(NOTHING_NEW)]})
        tools = [_tool(tool, names) for tool in layout.tools] or _stubs(messages)
        system = _system(layout.system)
        if target.cache:
            _mark(tools, system, layout.system)
            _mark_messages(messages, tail)
        request: Request = {
            "model": target.model,
            "max_tokens": target.reserved_output or 1,
            "messages": messages,
        }
        if system:
            request["system"] = system
        if tools:
            request["tools"] = tools
        return request

    def measure(self, request: Request, target: Target) -> int:
        """Tokens of a whole request."""
        count = target.counter.count
        tokens = _OVERHEAD.request
        tokens += sum(count(part["text"]) + 1 for part in request.get("system", ()))
        tokens += sum(_measure(wire, count) for wire in request["messages"])
        tools = request.get("tools", [])
        if tools:
            tokens += _OVERHEAD.tools
            tokens += sum(_OVERHEAD.tool + _schema(tool, count) for tool in tools)
        return tokens

    def validate(self, request: Request, target: Target) -> list[Violation]:
        """The rules that the request breaks."""
        return violations(RULES, request)


def _text(text: str) -> Wire:
    return {"type": "text", "text": text}


def _system(sections: tuple[Section, ...]) -> list[Wire]:
    return [_text(clean(part.text)) for part in sections if part.text.strip()]


def _wires(block: Block, names: NameMap) -> Iterator[Wire]:
    calls = {
        part.id: part for m in block.messages for part in m.parts if isinstance(part, ToolCall)
    }
    sent = {id: names.id(id, f"{block.id}/{place}") for place, id in enumerate(calls)}
    for message in block.messages:
        parts = [
            wire
            for part in _in_order(message)
            if (wire := _part(part, message, calls, sent, names)) is not None
        ]
        if message.role == "system":
            said = "\n".join(texts(message))
            parts = [_text(section(said, source="system"))] if said else []
        if message.role == "user" and not parts:
            parts = [_text(EMPTY)]
        if parts:
            role = "assistant" if message.role == "assistant" else "user"
            yield {"role": role, "content": parts}


def _in_order(message: Message) -> list[AnyPart]:
    """Calls last, everything else in the model's own order (AN5)."""
    if message.role != "assistant":
        return list(message.parts)
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    return [*(part for part in message.parts if not isinstance(part, ToolCall)), *calls]


def _part(
    part: AnyPart,
    message: Message,
    calls: dict[str, ToolCall],
    sent: dict[str, str],
    names: NameMap,
) -> Wire | None:
    if isinstance(part, Text):
        return _text(clean(part.text)) if part.text.strip() else None
    if isinstance(part, ToolCall):
        if calls.get(part.id) is not part:
            return None
        arguments = arguments_of(part) or {}
        name = names.name(part.name)
        return {"type": "tool_use", "id": sent[part.id], "name": name, "input": arguments}
    if isinstance(part, ToolResult):
        return _result(part, calls.get(part.call_id), sent)
    if isinstance(part, Thinking):
        return _thinking(part, message)
    if isinstance(part, Image) and message.role == "user":
        return _image(part)
    if isinstance(part, File) and message.role == "user":
        return _file(part)
    return None


def _thinking(part: Thinking, message: Message) -> Wire | None:
    """Only Claude's own, signed, in a message that is as it was."""
    if part.provider != "anthropic" or not message.whole:
        return None
    if part.redacted:
        return {"type": "redacted_thinking", "data": part.redacted}
    if not part.signature:
        return None
    return {"type": "thinking", "thinking": part.text, "signature": part.signature}


def _image(part: Image) -> Wire:
    if part.data:
        source = {"type": "base64", "media_type": part.media_type, "data": part.data}
    elif part.url:
        source = {"type": "url", "url": clean(part.url)}
    else:
        return _text(describe(part))
    return {"type": "image", "source": source}


def _file(part: File) -> Wire:
    if part.data and part.media_type == "application/pdf":
        source = {"type": "base64", "media_type": part.media_type, "data": part.data}
        return {"type": "document", "source": source}
    if part.url and part.media_type == "application/pdf":
        return {"type": "document", "source": {"type": "url", "url": clean(part.url)}}
    return _text(describe(part))


def _result(part: ToolResult, call: ToolCall | None, sent: dict[str, str]) -> Wire:
    content: list[Wire] = []
    if call is not None and arguments_of(call) is None:
        content.append(_text(NOT_JSON.format(clean(call.arguments)[:200]).strip()))
    for piece in part.content:
        if isinstance(piece, Text):
            if piece.text.strip():
                content.append(_text(clean(piece.text)))
        elif isinstance(piece, Image):
            content.append(_image(piece))
        elif isinstance(piece, File):
            content.append(_text(describe(piece)))
    wire: Wire = {
        "type": "tool_result",
        "tool_use_id": sent.get(part.call_id, part.call_id),
        "content": content or [_text(EMPTY)],
    }
    if part.status in {"error", "interrupted"}:
        wire["is_error"] = True
    return wire


def _tool(tool: Tool, names: NameMap) -> Wire:
    wire: Wire = {"name": names.name(tool.name), "input_schema": schema_of(tool)}
    if tool.description:
        wire["description"] = clean(tool.description)
    return ordered(wire)


def _stubs(messages: list[Wire]) -> list[Wire]:
    """History with calls needs tools (AN9): where none are given, the used ones, bare."""
    used = {
        part["name"]
        for message in messages
        for part in message["content"]
        if part["type"] == "tool_use"
    }
    return [{"name": name, "input_schema": {"type": "object"}} for name in sorted(used)]


def _mark(tools: list[Wire], system: list[Wire], sections: tuple[Section, ...]) -> None:
    """Breakpoints behind the STABLE system text and behind all of it; behind the tools where
    there is none."""
    lasting = [place for place, part in enumerate(sections) if part.cache is CacheClass.STABLE]
    if lasting and lasting[-1] < len(system) - 1:
        system[lasting[-1]]["cache_control"] = _BREAKPOINT
    if system:
        system[-1]["cache_control"] = _BREAKPOINT
    elif tools:
        tools[-1]["cache_control"] = _BREAKPOINT


def _mark_messages(messages: list[Wire], tail: Wire | None) -> None:
    """Breakpoints at the end of what will stand there again, in front of the tail, and one
    more within reach of its look-back. With those of the system text at most four."""
    lasting = [
        part
        for message in messages
        for part in (message["content"][: _place(message["content"], tail)])
        if part["type"] in _MARKABLE
    ]
    if lasting:
        lasting[-1]["cache_control"] = _BREAKPOINT
    if len(lasting) > LOOK_BACK:
        lasting[-LOOK_BACK]["cache_control"] = _BREAKPOINT


def _place(content: list[Wire], tail: Wire | None) -> int:
    return next((place for place, part in enumerate(content) if part is tail), len(content))


def _measure(wire: Wire, count: Count) -> int:
    return _OVERHEAD.message + sum(_measure_part(part, count) for part in wire["content"])


def _measure_part(part: Wire, count: Count) -> int:
    kind = part["type"]
    if kind == "text":
        return count(part["text"]) + 1
    if kind == "tool_use":
        return _OVERHEAD.call + count(part["name"]) + _schema(part["input"], count)
    if kind == "tool_result":
        return _OVERHEAD.result + sum(_measure_part(piece, count) for piece in part["content"])
    if kind == "image":
        return cost_of_image(Image(data=part["source"].get("data", "")), "anthropic")
    if kind == "document":
        return max(1500, len(part["source"].get("data", "")) * 3 // 16)
    return _OVERHEAD.thinking + count(part.get("thinking", "") or part.get("data", ""))


def _schema(value: Wire, count: Count) -> int:
    return schema_tokens({k: v for k, v in value.items() if k != "cache_control"}, count)
