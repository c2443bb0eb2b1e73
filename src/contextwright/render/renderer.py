"""The contract of a provider format, and what all renderers share."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import msgspec

from contextwright.blocks.block import Block, Blocks, Message
from contextwright.errors import ModelError
from contextwright.formats.document_text import document_text
from contextwright.formats.tool_schemas import as_it_came, is_hosted, keys_beside
from contextwright.render.body_context import deep, merged
from contextwright.render.body_wires import body_wires
from contextwright.render.draft import BlockCalls, RequestDraft
from contextwright.render.event_cost import EventCost, MessageCost
from contextwright.render.insertion import Insertion
from contextwright.render.known_wires import (
    stubs_of_tools,
    tokens_of_tools,
    wires_alone,
    wires_of_blocks,
    wires_of_tools,
)
from contextwright.render.message_layout import Layout
from contextwright.render.request_wires import RequestWires, request_wires, token_sums
from contextwright.render.response_format import ResponseFormat
from contextwright.render.shared_rules import AskRules, Rule, Violation, broken_rules
from contextwright.render.source_messages import SourceMessages
from contextwright.render.target import Target
from contextwright.render.wire import (
    Count,
    Wire,
    clean,
    in_words,
    ordered,
    schema_of,
    schema_tokens,
)
from contextwright.session.event import AnyPart, File, Image, Opaque, Thinking, Tool

Request = dict[str, Any]


class Overhead(msgspec.Struct, frozen=True):
    """Tokens that stand in no text of the request.

    Args:
        request: once a request.
        message: around a message: role and separators.
        call: around a tool call, beside its name and arguments.
        result: around a tool result, beside its text.
        tools: once a request that has tools.
        tool: around a tool's schema, beside its canonical JSON.
        thinking: around a reasoning item.
    """

    request: int = 3
    message: int = 4
    call: int = 8
    result: int = 8
    tools: int = 16
    tool: int = 8
    thinking: int = 4


class SendableParts(msgspec.Struct, frozen=True):
    """The parts of messages that a provider can be sent.

    Args:
        reasoning_of: the maker whose reasoning it takes back; empty for none.
        reasoning_form: fields of a reasoning part of which one must be there.
        assistant_media: whether pictures and files of the assistant are sent.
        opaque_of: the format whose parts of unknown kinds it takes back, but for what
            stands in results; empty for none.
    """

    reasoning_of: str = ""
    reasoning_form: tuple[str, ...] = ()
    assistant_media: bool = False
    opaque_of: str = ""

    def refusal(self, part: AnyPart, message: Message, format: str) -> str:
        """The reason for which a part is not sent; empty where it is."""
        if isinstance(part, Opaque):
            is_own = part.format == self.opaque_of
            if (message.role != "tool") if is_own else document_text(part):
                return ""
            return f"a part of {part.format} of the kind {part.kind!r}"
        if isinstance(part, (Image, File)):
            if message.role == "assistant" and not self.assistant_media:
                return f"pictures and files of the assistant are not sent to {format}"
            return ""
        if not isinstance(part, Thinking):
            return ""
        if part.provider != self.reasoning_of or not self.reasoning_of:
            return f"reasoning of {part.provider or 'an unknown provider'} is not sent to {format}"
        if not any(getattr(part, field) for field in self.reasoning_form):
            forms = " or ".join(_FORMS[field] for field in self.reasoning_form)
            return f"reasoning without its {forms} can not be sent back"
        if not message.whole:
            return "reasoning does not go with a message that was changed"
        return ""


_OF_TOOLS = ("tool_choice", "parallel_tool_calls")
_FORMS = {"text": "text", "signature": "signature", "redacted": "encrypted form"}


class Rendered(msgspec.Struct, frozen=True):
    """A request, and what the engine put into it."""

    request: Request
    inserted: tuple[Insertion, ...]


class Renderer:
    """One provider's words. Stateless; all functions are pure. A provider's own says how a message
    is sent (`message_wires`), how messages become a request (`build`), and what one costs
    (`measure_wire`).

    Attributes:
        rules: what the provider refuses, by name.
        message_rules: those of them that look at each message alone.
        tail_rules: those of them that a list which keeps them keeps with more behind it, where that
            keeps them by itself and has none of its ids; also what a list has in front of a message
            that `begins_anew`.
        id_rules: those of them that a list keeps of which no two messages have an id
            (`message_ids`), and that are asked of a message alone where they are rules of messages
            as well; a list that broke one breaks it however it goes on.
        tool_rules: those of them that look at the list of its tools alone, where it has one.
        repaired: those that a list of messages is made anew for, which no request came with.
        overhead: tokens around the content.
        parts: the parts of messages that it can be sent.
        cache_order: the keys of a request in the order in which a cache reads them; the last
            is the conversation's.
        marks_cache: whether it caches only what stands in front of a breakpoint.
        cached_as: the model by whose rules it caches prefixes of one that has no such marks.
        id_pattern, id_prefix, name_pattern: see `RequestDraft`.
        needs_tools: whether the provider refuses calls in the history without tools.
        schema_key: the key of a tool's JSON Schema.
        tool_form: the format whose tools it takes as they came; empty for none.
        shared_tool_keys: what it takes of tools of its maker's other format.
        context_keys: the fields of a request that hold context; all others are parameters.
        answer_schema: the field in which a request says the shape of its answer.
    """

    rules: Mapping[str, Rule]
    message_rules: frozenset[str] = frozenset()
    tail_rules: frozenset[str] = frozenset()
    id_rules: frozenset[str] = frozenset()
    tool_rules: frozenset[str] = frozenset()
    repaired: frozenset[str] = frozenset()
    overhead: Overhead = Overhead()
    parts: SendableParts = SendableParts()
    cache_order: tuple[str, ...] = ("tools", "system", "messages")
    marks_cache: bool = False
    cached_as: str = ""
    id_pattern: str = r"[A-Za-z0-9_-]{1,64}"
    id_prefix: str = "call_"
    name_pattern: str = r"[A-Za-z0-9_-]{1,64}"
    needs_tools: bool = False
    schema_key: str = "parameters"
    tool_form: str = ""
    shared_tool_keys: Mapping[str, tuple[str, ...]] = {}
    context_keys: tuple[str, ...] = ("messages", "tools")
    answer_schema: tuple[str, ...] = ("response_format",)

    def message_wires(
        self, message: Message, where: str, calls: BlockCalls, draft: RequestDraft, target: Target
    ) -> Iterable[Wire]:
        """A message as the provider has it, or as several. The next requests hold the same objects:
        nothing may be written into them.

        Args:
            where: the event that it comes from.
            calls: the calls of its block.
        """
        raise NotImplementedError

    def build(self, layout: Layout, target: Target, draft: RequestDraft) -> Request:
        """The request of a layout."""
        raise NotImplementedError

    def frame_of_record(self, fields: Wire, target: Target) -> Wire:
        """The fields of the request that a list of messages is, or a record of a conversation, with
        None where its context stands.

        Args:
            fields: what stood beside the messages in the record.
        """
        return {"model": target.model, self.cache_order[-1]: None}

    def takes_message(self, data: Any, *, leads: bool) -> bool:
        """Whether a request can have a message of a list as it came.

        Args:
            data: the message, or a group of items. leads: whether only the system spoke before.
        """
        names = (self.repaired & self.message_rules) - self.id_rules
        try:
            return self.keeps(names, {self.cache_order[-1]: self.wires_in(data)})
        except (LookupError, TypeError, AttributeError):
            return False  # of a form that the rules do not know

    def wires_in(self, data: Any) -> list[Any]:
        """The messages that a message of a list stands for."""
        return [data]

    def wires(self, block: Block, draft: RequestDraft, target: Target) -> list[tuple[str, Wire]]:
        """The messages of a block, each with the event that it comes from."""
        if target.sources is not None:
            return list(body_wires(self, block, draft, target, target.sources))
        pairs: list[tuple[str, Wire]] = []
        calls = draft.calls(block)
        for message in block.messages:
            where = message.event_id or block.id
            words = in_words(message, self.parts.opaque_of)
            for wire in self.message_wires(words, where, calls, draft, target):
                pairs.append((where, wire))
        return pairs

    def part_wires(
        self, part: AnyPart, message: Message, where: str, calls: BlockCalls, draft: RequestDraft
    ) -> list[Wire]:
        """A part of a message as the provider has it, to stand among others as they came."""
        raise NotImplementedError

    def tool_wire(self, tool: Tool, draft: RequestDraft) -> Wire:
        """A tool as the provider has it."""
        wire: Wire = {"name": draft.name(tool.name), self.schema_key: schema_of(tool)}
        if tool.description:
            wire["description"] = clean(tool.description)
        return ordered({**self.own_keys(tool), **wire})

    def takes_tool(self, tool: Tool) -> bool:
        """Whether it can be sent a tool: one that runs at a provider, at that provider only."""
        form, value = as_it_came(tool)
        return form == self.tool_form or not is_hosted(value)

    def own_keys(self, tool: Tool) -> Wire:
        """What a tool says beside its typed fields, as far as this provider takes it."""
        form, value = as_it_came(tool)
        keys = keys_beside(value)
        if form == self.tool_form:
            return keys
        shared = self.shared_tool_keys.get(form, ())
        return {key: item for key, item in keys.items() if key in shared}

    def lost_keys(self, tool: Tool) -> list[str]:
        """The keys of a tool that say something and are not sent to this provider."""
        keys, own = keys_beside(as_it_came(tool)[1]), self.own_keys(tool)
        return [key for key, item in keys.items() if item and key not in own and key != "type"]

    def measure_wire(self, wire: Wire, count: Count) -> int:
        """Tokens of a message."""
        raise NotImplementedError

    def measure_system(self, request: Request, count: Count) -> int:
        """Tokens of the system text, where it is no message."""
        return 0

    def response_fields(self, response_format: ResponseFormat) -> Request:
        """The fields of a request that ask for an answer of this shape.

        Raises:
            ModelError: the provider has none for it.
        """
        raise ModelError(
            f"{type(self).__name__.removesuffix('Renderer')} requests have no response format",
            where="response_format",
            fix="ask for the shape in the instruction, or take a format that has one",
        )

    def with_response_format(self, request: Request, target: Target) -> Request:
        """A request that asks for the target's response format, if there is one."""
        if target.response_format is None:
            return request
        return merged(request, self.response_fields(target.response_format))

    def tools_of(self, request: Request) -> list[Wire]:
        """The tools of a request."""
        return request.get("tools") or []

    def draft(self, sign: str = "") -> RequestDraft:
        """A new request, empty; `sign` is the session's."""
        return RequestDraft(self.id_pattern, self.id_prefix, self.name_pattern, sign)

    def conversation(
        self, layout: Layout, target: Target, draft: RequestDraft
    ) -> list[tuple[str, Wire]]:
        """The messages of all blocks, each with the event that it comes from."""
        return wires_of_blocks(self, layout.conversation, draft, target)

    def tool_wires(self, layout: Layout, draft: RequestDraft) -> list[Wire]:
        """The tools of a request; where history needs some and none are given, those that the
        session called, without parameters."""
        if layout.tools or not self.needs_tools:
            return wires_of_tools(self, layout.tools, draft)
        names = [draft.name(name) for name in layout.called]
        draft.inserted.extend(Insertion("tool_stub", "tools", name) for name in names)
        return stubs_of_tools(self, layout.called, draft)

    def body_tools(
        self, layout: Layout, sources: SourceMessages, draft: RequestDraft
    ) -> list[Wire] | None:
        """The tools of a body, as they came, without those that are not to be seen now; None where
        there are none."""
        if not (layout.tools or sources.body.is_request):
            return self.tool_wires(layout, draft) or None
        if layout.tools == sources.body.tools:
            return sources.body.fields.get("tools")
        if not layout.tools:
            return self.tool_wires(layout, draft) or None
        own = sources.body.format
        return [
            tool.extra[own] if isinstance(tool.extra.get(own), dict) else self.as_sent(tool, draft)
            for tool in layout.tools
        ] or None

    def as_sent(self, tool: Tool, draft: RequestDraft) -> Wire:
        """A tool as the provider has it, also one that runs there."""
        _, value = as_it_came(tool)
        return ordered(value) if is_hosted(value) else self.tool_wire(tool, draft)

    def render(self, layout: Layout, target: Target) -> Rendered:
        """The request with the list of what is in no block."""
        draft = self.draft(target.sign)
        request = self.with_parameters(self.build(layout, target, draft), target)
        return Rendered(request, (*layout.inserted, *draft.inserted))

    def request(self, layout: Layout, target: Target) -> Request:
        """The keyword arguments of the provider's SDK call, as plain JSON data."""
        request = self.build(layout, target, self.draft(target.sign))
        return self.with_parameters(request, target)

    def with_parameters(self, request: Request, target: Target) -> Request:
        """The request with what the session's body asks for in another provider's words; of tools,
        where it has some."""
        if target.translation is None:
            return request
        fields = target.translation.fields
        untooled = not request.get("tools")
        chosen = {key: v for key, v in fields.items() if not (untooled and key in _OF_TOOLS)}
        return merged(request, chosen)

    def cost(self, block: Block, target: Target) -> int:
        """Tokens that a conversation block adds at most: content, overheads, images."""
        pairs = wires_alone(self, block, target).pairs
        count, tokens = target.counter.counting(), self.cost_beside(block, pairs, target)
        for _, wire in pairs:
            tokens += self.measure_wire(wire, count)
        return tokens

    def cost_beside(self, block: Block, pairs: list[tuple[str, Wire]], target: Target) -> int:
        """Tokens of what is said beside a block's messages where nothing else is said."""
        return 0

    def event_cost(self, target: Target) -> EventCost | None:
        """As `cost` of an exchange as it came, told from its events for those where these tell it;
        None where a block has to be made of each."""
        return None

    def message_cost(self, target: Target) -> MessageCost | None:
        """As `cost` of a block, told from its messages for those where these tell it; None where
        the provider's own have to be made of each."""
        return None

    def markers_cost(self, blocks: Blocks, target: Target) -> int:
        """Tokens of what conversation blocks share, beside the cost of each."""
        return 0

    def section_cost(self, text: str, target: Target) -> int:
        """Tokens that a section adds at most: as a message of its own."""
        return target.counter.count(clean(text)) + self.overhead.message + 1

    def margin(self, target: Target) -> int:
        """Tokens that are added at most for the form's sake, whatever the blocks are."""
        return 0

    def measure(self, request: Request, target: Target) -> int:
        """Tokens of a whole request: at most the empty request's, the costs of its blocks and
        sections, and the margin."""
        count, tools = target.counter.count, self.tools_of(request)
        tokens = self.overhead.request + self.measure_system(request, count)
        tokens += token_sums(self, self.wires_of(request), target)[-1]
        if tools:
            tokens += self.overhead.tools
            tokens += self.overhead.tool * len(tools) + sum(tokens_of_tools(tools, target))
        schema = deep(request, self.answer_schema) if target.sources is not None else None
        if target.response_format is not None:
            schema = target.response_format.json_schema
        return tokens + (self.overhead.tool + schema_tokens(schema, count) if schema else 0)

    def wires_of(self, request: Request) -> list[Wire]:
        """The messages of a request."""
        return request[self.cache_order[-1]]

    def message_ids(self, wire: Any) -> Iterable[Hashable]:
        """What stands in a message that no other one may have, by the rules of ids."""
        return ()

    def begins_anew(self, wire: Any) -> bool:
        """Whether a message is none that those in front of it wait for."""
        return False

    def validate(
        self, request: Request, target: Target, ask: AskRules | None = None
    ) -> list[Violation]:
        """The rules that the request breaks. What concerns a message alone is asked of those that
        no request before had, and what concerns neighbours of those behind the request before.

        Args:
            ask: asks rules; by default each one, of all that it is about.
        """
        conversation, tools = request.get(self.cache_order[-1]), request.get("tools")
        wires: list[Wire] = conversation if isinstance(conversation, list) else []
        with request_wires(target) as known:
            known.go_on(wires, target)
            unbroken = self._unbroken(request, known, len(wires), ask)
            if known.allows_tools(tools):
                unbroken |= self.tool_rules
            violations: list[Violation] = []
            if not unbroken.issuperset(self.rules):
                others = {name: rule for name, rule in self.rules.items() if name not in unbroken}
                violations = (ask or broken_rules)(others, request)
            if not violations:
                known.allow(len(wires), tools)
        return violations

    def _unbroken(
        self, request: Request, known: RequestWires, count: int, ask: AskRules | None
    ) -> frozenset[str]:
        """The rules that a request keeps since parts of it do, and what stands beside these."""
        if not count:
            return frozenset()
        fresh, tail = known.unchecked(count, self)
        alone, among, unbroken = self.message_rules, self.tail_rules, self.id_rules
        parts = [(alone | among, fresh)] if fresh == tail else [(alone, fresh), (among, tail)]
        around = known.without_tools(request)
        for names, part in parts:
            if not part or self.keeps(names, {**around, self.cache_order[-1]: part}, ask):
                unbroken |= names
            else:
                unbroken -= names
        return unbroken if known.ids_differ(self) else unbroken - (self.id_rules | among)

    def keeps(self, names: Iterable[str], request: Request, ask: AskRules | None = None) -> bool:
        """Whether a request keeps all of these rules."""
        return not (ask or broken_rules)({name: self.rules[name] for name in names}, request)
