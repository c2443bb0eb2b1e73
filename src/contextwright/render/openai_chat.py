"""OpenAI Chat Completions, and what is compatible with it."""

from collections.abc import Hashable, Iterable
from functools import cache
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from contextwright.blocks.block import Block, Message
from contextwright.formats.fields import object_if
from contextwright.formats.tool_schemas import as_it_came
from contextwright.render.body_context import instruction_of, is_as_it_came, with_context
from contextwright.render.draft import BlockCalls, RequestDraft
from contextwright.render.event_cost import ChatCost, EventCost, MessageCost
from contextwright.render.known_wires import known_wire
from contextwright.render.message_layout import Layout
from contextwright.render.opaque import beside_tokens, opaque_tokens
from contextwright.render.openai import OpenAIRenderer, named_schema
from contextwright.render.openai_chat_rules import (
    ALONE,
    PLAIN,
    RULES,
    are_plain,
    faults_alone,
    ids_of,
)
from contextwright.render.providers import Provider
from contextwright.render.renderer import Request
from contextwright.render.response_format import ResponseFormat
from contextwright.render.shared_rules import AskRules, objects
from contextwright.render.source_messages import SourceMessages
from contextwright.render.target import Target
from contextwright.render.wire import (
    Count,
    Wire,
    arguments_text,
    clean,
    data_url,
    is_sendable,
    only_text,
    ordered,
    texts,
)
from contextwright.session.event import File, Image, Text, Tool, ToolCall, ToolResult

_WIRE = itemgetter(1)
_KNOWN = frozenset({"role", "content", "tool_calls", "tool_call_id"})
ANSWER_LIMITS = ("max_completion_tokens", "max_tokens")
"""The fields in which a request says how long its answer may be."""


class _Parted(NamedTuple):
    """Names of rules: those of a message alone, all others, and those that plain messages may
    break."""

    alone: frozenset[str]
    others: frozenset[str]
    beside_plain: frozenset[str]


@cache
def _parted(names: frozenset[str]) -> _Parted:
    return _Parted(names & ALONE.keys(), names - ALONE.keys(), names - PLAIN)


class OpenAIChatRenderer(OpenAIRenderer):
    """Keyword arguments of `client.chat.completions.create`."""

    rules = RULES
    message_rules = frozenset({"U1", "U2", "U4", "OC1", "OC4", "OC7"})
    tail_rules = frozenset({"OC2", "U2.sent"})
    id_rules = frozenset({"U3"})
    tool_rules = frozenset({"OC6"})
    repaired = frozenset({"U1", "U3", "U4", "OC1", "OC2"})
    cache_order = ("tools", "messages")
    id_pattern = r"[\x21-\x7e]{1,40}"
    tool_form = "openai-chat"
    shared_tool_keys = MappingProxyType({"openai-responses": ("strict",)})

    def build(self, layout: Layout, target: Target, draft: RequestDraft) -> Request:
        """Model, messages, and tools if there are any."""
        if target.sources is not None:
            return self._with_body(layout, target, target.sources, draft)
        messages: list[Wire] = []
        system, tail = draft.joined(layout.system, "system"), draft.joined(layout.tail, "tail")
        if system.strip():
            messages.append(known_wire({"role": "system", "content": system}))
        messages += map(_WIRE, self.conversation(layout, target, draft))
        if tail.strip():
            self._add_tail(messages, tail)
        self.add_note(messages, layout, draft)
        request: Request = {"model": target.model, "messages": messages}
        if layout.tools:
            request["tools"] = self.tool_wires(layout, draft)
        return self.with_response_format(request, target)

    def _with_body(
        self, layout: Layout, target: Target, sources: SourceMessages, draft: RequestDraft
    ) -> Request:
        """The caller's own body: its system messages, the engine's context, the conversation."""
        instruction = instruction_of(layout, sources, field=False)
        blocks = instruction.messages
        messages = [wire for block in blocks for _, wire in self.wires(block, draft, target)]
        system = draft.joined(instruction.context, "system")
        if system.strip():
            messages.append({"role": "system", "content": system})
        messages += map(_WIRE, self.conversation(layout, target, draft))
        if (tail := draft.joined(layout.tail, "tail")).strip():
            self._add_tail(messages, tail)
        if not (sources.body.is_request and is_as_it_came(messages, sources, skipped=0)):
            self.add_note(messages, layout, draft)
        context: Request = {"messages": messages}
        if (tools := self.body_tools(layout, sources, draft)) is not None:
            context["tools"] = tools
        request = with_context(sources, context, self.context_keys, target.model)
        if "reserved_output" in target.overrides:
            limits = {key for key in ANSWER_LIMITS if request.get(key) is not None}
            request.update(dict.fromkeys(limits, target.reserved_output))
        return self.with_response_format(request, target)

    def message_ids(self, wire: Any) -> Iterable[Hashable]:
        """Of calls, and of what answers them."""
        return ids_of(wire)

    def keeps(self, names: Iterable[str], request: Request, ask: AskRules | None = None) -> bool:
        """As for all; those of a message alone by one look at each."""
        if self.rules is not RULES:
            return super().keeps(names, request, ask)
        parted, messages = _parted(frozenset(names)), request["messages"]
        if are_plain(messages, alone=bool(parted.alone)):
            return super().keeps(parted.beside_plain, request, ask)
        for message in objects(messages) if parted.alone else ():
            for name, _ in faults_alone(message):
                if name in parted.alone:
                    return False
        return super().keeps(parted.others, request, ask)

    def begins_anew(self, wire: Any) -> bool:
        """Whether it is no tool's."""
        return object_if(wire).get("role") != "tool"

    def takes_message(self, data: Any, *, leads: bool) -> bool:
        """As for all; it says something."""
        says = any(data.get(key) for key in ("content", "tool_calls", "refusal", "audio"))
        return says and super().takes_message(data, leads=leads)

    def response_fields(self, response_format: ResponseFormat) -> Request:
        """`response_format`."""
        if not response_format.schema:
            return {"response_format": {"type": "json_object"}}
        schema = named_schema(response_format)
        return {"response_format": {"type": "json_schema", "json_schema": schema}}

    def tool_wire(self, tool: Tool, draft: RequestDraft) -> Wire:
        """A function tool."""
        function, (form, value) = super().tool_wire(tool, draft), as_it_came(tool)
        inner = value.get("function", value) if form == self.tool_form else function
        around = {key: function.pop(key) for key in value if key in function and key not in inner}
        return ordered({**around, "function": function, "type": "function"})

    def cost(self, block: Block, target: Target) -> int:
        """As for all. Most exchanges are one message of one text, or calls with their results: what
        is around these is known."""
        if target.sources is not None:
            return super().cost(block, target)
        if (text := only_text(block)).strip():
            return self.overhead.message + target.counter.count(clean(text))
        tokens = None
        if block.has_calls:
            tokens = self._chat_cost(target, target.counter.count).of_events(block.messages)
        return super().cost(block, target) if tokens is None else tokens

    def event_cost(self, target: Target) -> EventCost | None:
        """Of most exchanges, unless they came in a body, which they may leave as they came."""
        if target.sources is not None:
            return None
        return self._chat_cost(target, target.counter.counting_in_passing()).of_events

    def message_cost(self, target: Target) -> MessageCost | None:
        """Of most exchanges, as `event_cost`."""
        if target.sources is not None:
            return None
        return self._chat_cost(target, target.counter.counting()).of_events

    def _chat_cost(self, target: Target, count: Count) -> ChatCost:
        return ChatCost(self.draft(target.sign), self.overhead, count)

    def measure_wire(self, wire: Wire, count: Count) -> int:
        """Tokens of a message."""
        tokens = self.overhead.message
        if wire.get("role") == "tool":
            tokens += self.overhead.result
        content = wire.get("content")
        if isinstance(content, str):
            tokens += count(content)
        elif content:
            tokens += sum(self.measure_part(part, count) for part in content)
        for call in wire.get("tool_calls") or ():
            tokens += self._measure_call(call, count)
        return (
            tokens
            if _KNOWN.issuperset(wire)
            else tokens + beside_tokens(wire, _KNOWN, count, "openai")
        )

    def _measure_call(self, call: Wire, count: Count) -> int:
        function = object_if(call.get("function"))
        name, arguments = function.get("name"), function.get("arguments")
        if not isinstance(name, str) or not isinstance(arguments, str):
            return self.overhead.call + opaque_tokens(call, count, "openai")
        return self.overhead.call + count(name) + count(arguments)

    def message_wires(
        self, message: Message, where: str, calls: BlockCalls, draft: RequestDraft, target: Target
    ) -> Iterable[Wire]:
        """A message; of a tool's, one a result."""
        if message.role == "tool":
            return self._tool_messages(message, where, calls, draft)
        if message.role == "assistant":
            return _assistant(message, calls, draft)
        if message.role == "system":
            text = "\n".join(texts(message))
            return [{"role": "system", "content": text}] if text else []
        parts = self.user_parts(message, where, draft)
        alone = len(parts) == 1 and parts[0]["type"] == "text"
        return [{"role": "user", "content": parts[0]["text"] if alone else parts}]

    def user_wire(self, text: str) -> Wire:
        """A user's message of one text."""
        return {"role": "user", "content": text}

    def text_part(self, text: str) -> Wire:
        """A text as a part of a message."""
        return {"type": "text", "text": text}

    def image_part(self, part: Image) -> Wire | None:
        """A picture by its address or its bytes."""
        if not is_sendable(part):
            return None
        image: Wire = {"url": clean(part.url) or data_url(part)}
        if part.detail in {"low", "high", "auto"}:
            image["detail"] = part.detail
        return {"type": "image_url", "image_url": image}

    def file_part(self, part: File) -> Wire | None:
        """A file by its id or its bytes."""
        if part.file_id:
            return {"type": "file", "file": {"file_id": clean(part.file_id)}}
        if not part.data:
            return None
        file = {"filename": clean(part.name) or "file", "file_data": data_url(part)}
        return {"type": "file", "file": file}

    def _tool_messages(
        self, message: Message, where: str, calls: BlockCalls, draft: RequestDraft
    ) -> list[Wire]:
        """A tool message a result; its pictures behind them all: only a user may send pictures."""
        wires: list[Wire] = []
        images: list[Wire] = []
        for result in message.parts:
            if not isinstance(result, ToolResult) or result.call_id not in calls.calls:
                continue
            text = draft.result_text(result, calls.calls[result.call_id], where)
            id = calls.ids.get(result.call_id, result.call_id)
            wires.append({"role": "tool", "tool_call_id": id, "content": text})
            if len(result.content) != 1 or type(result.content[0]) is not Text:
                images += self.images(result)
        if images:
            draft.put("moved_media", where)
            wires.append({"role": "user", "content": images})
        return wires

    def _add_tail(self, messages: list[Wire], text: str) -> None:
        if messages and messages[-1].get("role") == "user":
            content = messages[-1].get("content") or []
            own = [self.text_part(content)] if isinstance(content, str) else content
            messages[-1] = {**messages[-1], "content": [self.text_part(text), *own]}
        else:
            messages.append({"role": "user", "content": text})


def _assistant(message: Message, calls: BlockCalls, draft: RequestDraft) -> list[Wire]:
    words: list[str] = []
    sent: list[Wire] = []
    for part in message.parts:
        if isinstance(part, Text):
            if part.text.strip():
                words.append(clean(part.text))
        elif isinstance(part, ToolCall) and calls.calls.get(part.id) is part:
            sent.append(_call(part, calls.ids.get(part.id, part.id), draft))
    content = "\n".join(words)
    wire: Wire = {"role": "assistant", "content": content or None}
    if sent:
        wire["tool_calls"] = sent
    return [wire] if content or sent else []


def _call(call: ToolCall, id: str, draft: RequestDraft) -> Wire:
    function = {"name": draft.name(call.name), "arguments": arguments_text(call)}
    return {"id": id, "type": "function", "function": function}


PROVIDER = Provider("openai-chat", OpenAIChatRenderer())
