"""OpenAI Responses."""

import re
from collections.abc import Hashable, Iterable, Iterator
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from contextwright.blocks.block import Block, Message
from contextwright.formats.fields import list_if
from contextwright.formats.openai_responses import items_of_group
from contextwright.formats.tool_schemas import as_it_came
from contextwright.render.body_context import (
    in_order_of_body,
    instruction_of,
    is_as_it_came,
    with_context,
)
from contextwright.render.draft import BlockCalls, RequestDraft
from contextwright.render.message_layout import Layout
from contextwright.render.opaque import opaque_tokens
from contextwright.render.openai import OpenAIRenderer, named_schema
from contextwright.render.openai_responses_rules import RULES, ids_of, reasons
from contextwright.render.providers import Provider
from contextwright.render.renderer import Request, SendableParts
from contextwright.render.response_format import ResponseFormat
from contextwright.render.source_messages import SourceMessages
from contextwright.render.source_wires import SourceWire
from contextwright.render.target import Target
from contextwright.render.wire import (
    Count,
    Wire,
    arguments_text,
    clean,
    data_url,
    is_sendable,
    ordered,
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


class OpenAIResponsesRenderer(OpenAIRenderer):
    """Keyword arguments of `client.responses.create`, with nothing stored at the provider."""

    rules = RULES
    message_rules = frozenset({"U1", "U4", "OR1", "OR4", "OR7"})
    tail_rules = frozenset({"U2", "OR2", "OR5"})
    id_rules = frozenset({"OR4"})
    tool_rules = frozenset({"U8"})
    repaired = frozenset({"U1", "U4", "OR2", "OR4", "OR5", "OR7"})
    parts = _PARTS
    cache_order = ("tools", "instructions", "input")
    context_keys = ("input", "instructions", "tools")
    answer_schema = ("text", "format")
    id_pattern = r"[\x21-\x7e]{1,64}"
    tool_form = "openai-responses"
    shared_tool_keys = MappingProxyType({"openai-chat": ("strict",)})

    def message_ids(self, wire: Any) -> Iterable[Hashable]:
        """Of calls, of what answers them, and of items."""
        return ids_of(wire)

    def build(self, layout: Layout, target: Target, draft: RequestDraft) -> Request:
        """Model, instructions, input, tools."""
        if target.sources is not None:
            return self._with_body(layout, target, target.sources, draft)
        items = [item for _, item in self.conversation(layout, target, draft)]
        _tell_apart(items)
        system, tail = draft.joined(layout.system, "system"), draft.joined(layout.tail, "tail")
        if tail.strip():
            self._add_tail(items, tail)
        self.add_note(items, layout, draft)
        request: Request = {"model": target.model, "input": items, "store": False}
        if system.strip():
            request["instructions"] = system
        if layout.tools:
            request["tools"] = self.tool_wires(layout, draft)
        if any(item["type"] == "reasoning" for item in items):
            request["include"] = ["reasoning.encrypted_content"]
        return self.with_response_format(request, target)

    def _with_body(
        self, layout: Layout, target: Target, sources: SourceMessages, draft: RequestDraft
    ) -> Request:
        """The caller's own body: instructions with the engine's context behind them, system items
        and the conversation."""
        field = isinstance(sources.body.fields.get("instructions"), str)
        instruction = instruction_of(layout, sources, field=field)
        blocks = (*instruction.messages, *layout.conversation)
        wires = [wire for block in blocks for _, wire in self.wires(block, draft, target)]
        wires = in_order_of_body(wires)
        came = is_as_it_came(wires, sources, skipped=len(instruction.own))
        if (tail := draft.joined(layout.tail, "tail")).strip():
            self._add_tail(wires, tail)
        if not (sources.body.is_request and came):
            self.add_note(wires, layout, draft)
        whole = sources.body.single and came and len(wires) == 1 and not tail.strip()
        context: Request = {"input": wires[0]["content"] if whole else wires}
        if not wires and "input" not in sources.body.fields:
            del context["input"]
        own = [wire for block in instruction.own for _, wire in self.wires(block, draft, target)]
        texts = [text for wire in own if isinstance(text := wire.get("content"), str)]
        if added := draft.joined(instruction.context, "system").strip():
            texts.append(added)
        if texts:
            context["instructions"] = "\n\n".join(texts)
        elif sources.body.fields.get("instructions", "") is None:
            context["instructions"] = None
        if (tools := self.body_tools(layout, sources, draft)) is not None:
            context["tools"] = tools
        request = with_context(sources, context, self.context_keys, target.model)
        if "reserved_output" in target.overrides and "max_output_tokens" in request:
            request["max_output_tokens"] = target.reserved_output
        return self.with_response_format(request, target)

    def wires(self, block: Block, draft: RequestDraft, target: Target) -> list[tuple[str, Wire]]:
        """The items of a block; of a group that came in a body, each by itself."""
        pairs: list[tuple[str, Wire]] = []
        for where, wire in super().wires(block, draft, target):
            if not isinstance(wire, SourceWire):
                pairs.append((where, wire))
                continue
            for item in items_of_group(wire):
                one = SourceWire(item, wire.source, wire.places, touched=wire.touched)
                pairs.append((where, one))
        return pairs

    def frame_of_record(self, fields: Wire, target: Target) -> Wire:
        """With nothing stored at the provider, and what it has stored of it before."""
        names = ("instructions", "previous_response_id", "conversation")
        own = {key: fields[key] for key in names if fields.get(key) is not None}
        return {"model": target.model, "input": None, **own, "store": False}

    def wires_in(self, data: Any) -> list[Any]:
        """The items of a group."""
        return items_of_group(data)

    def wires_of(self, request: Request) -> list[Wire]:
        """The items of a request."""
        return items_of_group({"items": request.get("input") or []})

    def response_fields(self, response_format: ResponseFormat) -> Request:
        """`text.format`."""
        if not response_format.schema:
            return {"text": {"format": {"type": "json_object"}}}
        return {"text": {"format": {"type": "json_schema", **named_schema(response_format)}}}

    def tool_wire(self, tool: Tool, draft: RequestDraft) -> Wire:
        """A function tool."""
        wire: Wire = {**super().tool_wire(tool, draft), "type": "function"}
        if as_it_came(tool)[0] != self.tool_form:  # the API's default is strict
            wire.setdefault("strict", False)
        return ordered(wire)

    def measure_system(self, request: Request, count: Count) -> int:
        """Tokens of the instructions."""
        text = request.get("instructions", "")
        return count(text) + self.overhead.message if text else 0

    def measure_wire(self, wire: Wire, count: Count) -> int:
        """Tokens of an item."""
        overhead, kind = self.overhead, wire.get("type", "message")
        if kind == "function_call":
            return overhead.call + count(wire["name"]) + count(wire.get("arguments") or "")
        if kind == "reasoning":
            text = "".join(str(part.get("text", "")) for part in list_if(wire.get("summary")))
            # encrypted reasoning is billed by its clear text: at most a token three characters
            return overhead.thinking + max(
                count(text), len(wire.get("encrypted_content") or "") // 3
            )
        if kind not in ("message", "function_call_output"):
            return overhead.message + opaque_tokens(wire, count, "openai")
        content = wire.get("output" if kind == "function_call_output" else "content") or ""
        tokens = overhead.result if kind == "function_call_output" else overhead.message
        if isinstance(content, str):
            return tokens + count(content)
        return tokens + sum(self.measure_part(part, count) for part in content)

    def message_wires(
        self, message: Message, where: str, calls: BlockCalls, draft: RequestDraft, target: Target
    ) -> Iterator[Wire]:
        """The items of a message: itself, its reasoning, its calls, its results."""
        if message.role == "tool":
            for part in message.parts:
                if isinstance(part, ToolResult) and part.call_id in calls.calls:
                    yield self._output(part, where, calls, draft)
        elif message.role == "assistant":
            produced = list(_produced(message, calls, draft))
            if produced and reasons(target.model):
                yield from _reasoning(message)
            yield from produced
        else:
            of_system = message.role == "system"
            system_parts = [self.text_part(text) for text in texts(message)] if of_system else []
            parts = system_parts if of_system else self.user_parts(message, where, draft)
            if parts:
                yield {"type": "message", "role": message.role, "content": parts}

    def part_wires(
        self, part: AnyPart, message: Message, where: str, calls: BlockCalls, draft: RequestDraft
    ) -> list[Wire]:
        """As for all; what the assistant said is output."""
        wires = super().part_wires(part, message, where, calls, draft)
        if message.role != "assistant" or not isinstance(part, Text):
            return wires
        return [{**wire, "type": "output_text", "annotations": []} for wire in wires]

    def user_wire(self, text: str) -> Wire:
        """A user's message of one text."""
        return {"type": "message", "role": "user", "content": [self.text_part(text)]}

    def text_part(self, text: str) -> Wire:
        """A text as a part of a message."""
        return {"type": "input_text", "text": text}

    def image_part(self, part: Image) -> Wire | None:
        """A picture by its id, its address or its bytes."""
        if not is_sendable(part) and not part.file_id:
            return None
        detail = part.detail if part.detail in {"low", "high"} else "auto"
        wire: Wire = {"type": "input_image", "detail": detail}
        if part.file_id:
            return {**wire, "file_id": clean(part.file_id)}
        return {**wire, "image_url": clean(part.url) or data_url(part)}

    def file_part(self, part: File) -> Wire | None:
        """A file by its id, its address or its bytes."""
        if part.file_id:
            return {"type": "input_file", "file_id": clean(part.file_id)}
        if part.url.startswith("https://") and not part.data:
            return {"type": "input_file", "file_url": clean(part.url)}
        if not part.data:
            return None
        name = clean(part.name) or "file"
        return {"type": "input_file", "filename": name, "file_data": data_url(part)}

    def _output(self, part: ToolResult, where: str, calls: BlockCalls, draft: RequestDraft) -> Wire:
        text, images = draft.result_text(part, calls.calls[part.call_id], where), self.images(part)
        output: Any = [self.text_part(text), *images] if images else text
        call_id = calls.id_of(part.call_id)
        return {"type": "function_call_output", "call_id": call_id, "output": output}

    def _add_tail(self, items: list[Wire], text: str) -> None:
        part = self.text_part(text)
        if items and items[-1].get("role") == "user":
            content = items[-1].get("content") or []
            own = [self.text_part(content)] if isinstance(content, str) else content
            items[-1] = {**items[-1], "content": [part, *own]}
        else:
            items.append({"type": "message", "role": "user", "content": [part]})


def _produced(message: Message, calls: BlockCalls, draft: RequestDraft) -> Iterator[Wire]:
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
                made = "rs_" + sha256(f"{item['id']} {place}".encode()).hexdigest()[:24]
                item = items[place] = {**item, "id": made}
            seen.add(item["id"])


PROVIDER = Provider("openai-responses", OpenAIResponsesRenderer())
