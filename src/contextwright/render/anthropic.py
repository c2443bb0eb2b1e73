"""Anthropic Messages."""

from collections.abc import Hashable, Iterable, Iterator
from itertools import islice
from typing import Any

import msgspec

from contextwright.blocks.block import Message
from contextwright.blocks.layering import CacheClass
from contextwright.errors import ModelError
from contextwright.formats.anthropic import SYSTEM_FIELD
from contextwright.formats.document_text import file_text
from contextwright.formats.fields import list_if, object_if
from contextwright.render.alternate import AlternatingRenderer
from contextwright.render.anthropic_rules import RULES, ids_of
from contextwright.render.body_context import (
    instruction_of,
    is_as_it_came,
    is_touched,
    with_context,
    with_moving_breakpoints,
)
from contextwright.render.breakpoints import (
    BREAKPOINT,
    MARKABLE,
    MarkedTask,
    reach_of,
    with_breakpoints,
    with_mark,
)
from contextwright.render.draft import BlockCalls, RequestDraft
from contextwright.render.message_layout import Layout, Section
from contextwright.render.opaque import beside_tokens, opaque_tokens
from contextwright.render.providers import Provider
from contextwright.render.renderer import Overhead, Request, SendableParts
from contextwright.render.response_format import ResponseFormat
from contextwright.render.source_messages import SourceMessages
from contextwright.render.target import Target
from contextwright.render.task_breakpoint import marked_task
from contextwright.render.unsigned_turn import without_thinking
from contextwright.render.wire import (
    Count,
    Wire,
    arguments_of,
    clean,
    cost_of_image,
    file_tokens,
    schema_tokens,
)
from contextwright.session.event import (
    AnyPart,
    File,
    Image,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from contextwright.tokens.model_rules import CacheRules

_TEXT_KEYS = frozenset({"type", "text", "cache_control"})
_PARTS = SendableParts(reasoning_of="anthropic", reasoning_form=("signature", "redacted"))


class AnthropicRenderer(AlternatingRenderer):
    """Keyword arguments of `client.messages.create`."""

    rules = RULES
    message_rules = frozenset({"U1", "AN4", "AN5", "AN6", "AN8"})
    tail_rules = frozenset({"AN2"})
    id_rules = frozenset({"AN4"})
    tool_rules = frozenset({"AN9"})
    repaired = frozenset({"U1", "AN2", "AN4", "AN6", "AN8"})
    context_keys = ("messages", "system", "tools")
    answer_schema = ("output_config", "format")
    marks_cache = True
    cached_as = "claude"
    overhead = Overhead(message=4, call=12, result=12, tools=16)
    """Anthropic adds some 350 tokens of a system prompt of its own once tools are there. They are
    billed, not sent: calibration learns them, a budget does not count them."""
    parts = _PARTS
    id_pattern = r"[A-Za-z0-9_-]{1,256}"
    id_prefix = "toolu_"
    result_key = "tool_result"
    needs_tools = True
    schema_key = "input_schema"
    tool_form = "anthropic"

    def text_part(self, text: str) -> Wire:
        """A text as a part of a message."""
        return _text(text)

    def build(self, layout: Layout, target: Target, draft: RequestDraft) -> Request:
        """Model, max_tokens, system, messages, tools; with breakpoints if the target caches."""
        if target.sources is not None:
            return self._with_body(layout, target, target.sources, draft)
        messages, tail = self.turns(layout, target, draft)
        tools = _with_one_breakpoint(self.tool_wires(layout, draft))
        system = [
            _text(draft.section(part, "system")) for part in layout.system if part.text.strip()
        ]
        if target.cache:
            context: Request = {"messages": messages, "system": system, "tools": tools}
            task = marked_task(self, layout.conversation, context, target)
            _mark(tools, system, layout.system)
            others = sum("cache_control" in part for part in (*tools, *system))
            _mark_messages(messages, tail, task, target.cache_rules, others)
        request: Request = {
            "model": target.model,
            "max_tokens": target.reserved_output or 1,
            "messages": messages,
        }
        if system:
            request["system"] = system
        if tools:
            request["tools"] = tools
        return self.with_response_format(request, target)

    def _with_body(
        self, layout: Layout, target: Target, sources: SourceMessages, draft: RequestDraft
    ) -> Request:
        """The caller's own body; with breakpoints of ours, up to four in all, where its context
        was changed or they were asked for."""
        body = sources.body
        field = "system" in body.fields
        instruction = instruction_of(layout, sources, field=field)
        blocks = (*instruction.messages, *layout.conversation)
        rest = msgspec.structs.replace(layout, conversation=blocks)
        messages, tail = self.turns(rest, target, draft)
        came = is_as_it_came(messages, sources, skipped=len(instruction.own))
        messages = with_moving_breakpoints(messages, sources)
        context: Request = {"messages": messages}
        own = [wire for block in instruction.own for _, wire in self.wires(block, draft, target)]
        added = [_text(draft.section(s, "system")) for s in instruction.context if s.text.strip()]
        if own and not added:
            context["system"] = own[0]["content"]
        elif own or added:
            context["system"] = [part for wire in own for part in self.parts_in(wire)] + added
        tools = self.body_tools(layout, sources, draft)
        if tools is not None:
            context["tools"] = tools
        touched = not came or added or any(map(is_touched, own))
        if target.cache and (touched or not body.is_request or "cache" in target.overrides):
            task = marked_task(self, blocks, context, target)
            context = with_breakpoints(context, tail, body.fields, target.cache_rules, task)
        request = with_context(sources, context, self.context_keys, target.model)
        if target.reasoning != "bound":  # which may go without what it thought behind an edit
            request = without_thinking(request, draft)
        if "reserved_output" in target.overrides or not _leaves_room(request):
            request = {**request, "max_tokens": target.reserved_output or 1}
        return self.with_response_format(request, target)

    def frame_of_record(self, fields: Wire, target: Target) -> Wire:
        """With the room for the answer; the system text is its own field's, where it came so."""
        return {
            "model": target.model,
            "max_tokens": target.reserved_output or 1,
            "messages": None,
            "system": None,
        }

    def message_ids(self, wire: Any) -> Iterable[Hashable]:
        """Of calls."""
        return ids_of(wire)

    def takes_message(self, data: Any, *, leads: bool) -> bool:
        """As for all; the system does not speak first within the messages."""
        in_field = leads and data["role"] == SYSTEM_FIELD
        return in_field or (not leads and super().takes_message(data, leads=leads))

    def response_fields(self, response_format: ResponseFormat) -> Request:
        """`output_config.format`.

        Raises:
            ModelError: no schema: Claude takes one, not "any JSON object".
        """
        if not response_format.schema:
            raise ModelError(
                "Claude has no response format without a schema",
                where="response_format",
                fix="give the JSON Schema of the answer",
            )
        schema = response_format.json_schema
        return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}

    def tools_of(self, request: Request) -> list[Wire]:
        """The tools of a request, without breakpoints."""
        tools = request.get("tools") or ()
        return [_unmarked(tool) if "cache_control" in tool else tool for tool in tools]

    def measure_system(self, request: Request, count: Count) -> int:
        """Tokens of the system parts."""
        system = request.get("system") or ()
        if isinstance(system, str):
            return count(system) + 1
        return sum(self.measure_part(part, count) for part in system)

    def measure_part(self, part: Wire, count: Count) -> int:
        """Tokens of a part of a message."""
        kind, overhead = part.get("type"), self.overhead
        if kind == "text" and isinstance(part.get("text"), str):
            return count(part["text"]) + 1 + beside_tokens(part, _TEXT_KEYS, count, "anthropic")
        if kind == "tool_use" and isinstance(part.get("name"), str):
            arguments = schema_tokens(part.get("input"), count)
            return overhead.call + count(part["name"]) + arguments
        if kind == "tool_result":
            content = part.get("content")
            inner = [_text(content)] if isinstance(content, str) else list_if(content)
            return overhead.result + sum(self.measure_part(one, count) for one in inner)
        source = object_if(part.get("source"))
        if kind == "image" and source:
            return cost_of_image(Image(data=str(source.get("data", ""))), "anthropic")
        if kind == "document" and source.get("type") in ("base64", "url", "file"):
            return file_tokens(str(source.get("data", "")), least=1500)
        if kind in ("thinking", "redacted_thinking"):
            words = str(part.get("thinking", "") or part.get("data", ""))
            return overhead.thinking + count(words)
        return opaque_tokens(part, count, "anthropic")

    def message_parts(
        self, message: Message, where: str, calls: BlockCalls, draft: RequestDraft
    ) -> list[Wire]:
        """The parts of a message as they are sent."""
        wires = (_part(part, message, where, calls, draft) for part in _in_order(message))
        return [wire for wire in wires if wire is not None]


def _leaves_room(request: Request) -> bool:
    """Whether a request says how long its answer may be, and more than it may think."""
    limit = request.get("max_tokens")
    budget = object_if(request.get("thinking")).get("budget_tokens", 0)
    return type(limit) is int and (type(budget) is not int or budget < max(limit, 1))


def _text(text: str) -> Wire:
    return {"type": "text", "text": text}


def _in_order(message: Message) -> list[AnyPart]:
    """Calls last, everything else in the model's own order (AN5)."""
    if message.role != "assistant":
        return list(message.parts)
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    return [*(part for part in message.parts if not isinstance(part, ToolCall)), *calls]


def _part(
    part: AnyPart, message: Message, where: str, calls: BlockCalls, draft: RequestDraft
) -> Wire | None:
    if isinstance(part, Text):
        return _text(clean(part.text)) if part.text.strip() else None
    if isinstance(part, ToolCall):
        if not calls.is_sent(part):
            return None
        arguments = arguments_of(part) or {}
        name = draft.name(part.name)
        return {"type": "tool_use", "id": calls.id_of(part.id), "name": name, "input": arguments}
    if isinstance(part, ToolResult):
        return _result(part, where, calls, draft)
    if isinstance(part, Thinking):
        return _thinking(part, message)
    if isinstance(part, (Image, File)) and message.role == "user":
        return _media(part, where, draft)
    return None


def _thinking(part: Thinking, message: Message) -> Wire | None:
    """Only Claude's own, signed, in a message that is as it was."""
    if _PARTS.refusal(part, message, ""):
        return None
    if part.redacted:
        return {"type": "redacted_thinking", "data": part.redacted}
    return {"type": "thinking", "thinking": part.text, "signature": part.signature}


def _media(part: Image | File, where: str, draft: RequestDraft) -> Wire:
    kind = "image" if isinstance(part, Image) else "document"
    if isinstance(part, File) and (text := file_text(part)):
        source = {"type": "text", "media_type": "text/plain", "data": clean(text)}
        title = {"title": clean(part.name)} if part.name else {}
        return {"type": kind, "source": source, **title}
    if kind == "document" and part.media_type != "application/pdf":
        return _text(draft.media(part, where))
    if part.data:
        source = {"type": "base64", "media_type": part.media_type, "data": part.data}
    elif part.url:
        source = {"type": "url", "url": clean(part.url)}
    else:
        return _text(draft.media(part, where))
    return {"type": kind, "source": source}


def _result(part: ToolResult, where: str, calls: BlockCalls, draft: RequestDraft) -> Wire:
    draft.missing(part, where)
    note = draft.arguments_note(calls.calls.get(part.call_id), where)
    content: list[Wire] = [_text(note)] if note else []
    for piece in part.content:
        if isinstance(piece, Text):
            if piece.text.strip():
                content.append(_text(clean(piece.text)))
        elif isinstance(piece, Image):
            content.append(_media(piece, where, draft))
        elif isinstance(piece, File):
            content.append(_text(draft.media(piece, where)))
    wire: Wire = {
        "type": "tool_result",
        "tool_use_id": calls.id_of(part.call_id),
        "content": content or [_text(draft.empty(where))],
    }
    if part.status in {"error", "interrupted"}:
        wire["is_error"] = True
    return wire


def _mark(tools: list[Wire], system: list[Wire], sections: tuple[Section, ...]) -> None:
    """Breakpoints behind the STABLE system text and behind all of it; behind the tools where
    there is none. One that came with the tools stands for that behind the STABLE text."""
    marked = any("cache_control" in tool for tool in tools)
    lasting = [place for place, part in enumerate(sections) if part.cache is CacheClass.STABLE]
    if lasting and lasting[-1] < len(system) - 1 and not marked:
        system[lasting[-1]]["cache_control"] = BREAKPOINT
    if system:
        system[-1]["cache_control"] = BREAKPOINT
    elif not marked:
        # none may stand on a tool that is loaded later
        first = [place for place, tool in enumerate(tools) if not tool.get("defer_loading")]
        for place in first[-1:]:
            tools[place] = {**tools[place], "cache_control": BREAKPOINT}


def _with_one_breakpoint(tools: list[Wire]) -> list[Wire]:
    """The tools with the last of the breakpoints that came with them: of four in a request the
    others are the system text's and the conversation's."""
    marked = [place for place, tool in enumerate(tools) if "cache_control" in tool]
    own = [place for place in marked if tools[place]["cache_control"]]
    for place in marked:
        if place not in own[-1:]:
            tools[place] = _unmarked(tools[place])
    return tools


def _mark_messages(
    messages: list[Wire],
    tail: Wire | None,
    task: MarkedTask | None,
    rules: CacheRules,
    others: int,
) -> None:
    """Breakpoints at the end of what will stand there again, in front of the tail, one more
    within reach of its look-back, and where one is left over, behind the task.

    Args:
        others: breakpoints in front of the messages.
    """
    reach = reach_of(rules)
    lasting = list(islice(_lasting(messages, tail), reach + 1))  # the last one first
    places = [*lasting[:1], *(lasting[reach - 1 : reach] if 0 < reach < len(lasting) else ())]
    if task is not None and ((0, task.part) in places or others + len(places) < rules.breakpoints):
        messages[0] = task.marked
    for at, place in places:
        content = messages[at]["content"]
        if "cache_control" not in content[place]:
            messages[at] = {**messages[at], "content": with_mark(content, place)}


def _lasting(messages: list[Wire], tail: Wire | None) -> Iterator[tuple[int, int]]:
    """Where what may have a breakpoint stands in front of the tail of each message, from the end
    on."""
    for at in range(len(messages) - 1, -1, -1):
        content = messages[at]["content"]
        stop = len(content)
        if tail is not None:
            stop = next((place for place, part in enumerate(content) if part is tail), stop)
        for place in range(stop - 1, -1, -1):
            if content[place]["type"] in MARKABLE:
                yield at, place


def _unmarked(value: Wire) -> Wire:
    return {key: item for key, item in value.items() if key != "cache_control"}


PROVIDER = Provider("anthropic", AnthropicRenderer(), sample_model="claude-sonnet-4-5")
