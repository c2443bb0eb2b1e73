"""What every renderer must do, whoever wrote it.

class TestMyRenderer(RendererSuite):
renderer, target = MyRenderer(), my_target
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, ClassVar

import msgspec

from contextwright.blocks.layering import CacheClass
from contextwright.blocks.of_exchange import block_of
from contextwright.render.message_layout import Layout, Section
from contextwright.render.renderer import Renderer
from contextwright.render.target import Target
from contextwright.render.wire import calls_of
from contextwright.session.event import Text, Thinking, Tool, ToolCall, ToolResult
from contextwright.testing.rule_sessions import SESSIONS
from contextwright.testing.sent import strings
from contextwright.testing.violation import RuleViolation, keeps

SECTION_TEXT = '<context_block source="state:intent">\nIntent: compare\n</context_block>'
TOOLS = (
    Tool(name="read", description="Reads a file", parameters={"type": "object", "properties": {}}),
    Tool(name="search", description="Finds offers", parameters={"type": "object"}),
)


@cache
def layouts() -> dict[str, Layout]:
    """Layouts out of the sessions of `rule_sessions`, with sections and tools, and with no tools
    but those that the session called."""
    with_schemas = {name: _layout(name) for name in SESSIONS}
    without = {
        f"{name}, no schemas": msgspec.structs.replace(layout, tools=(), called=_called(layout))
        for name, layout in with_schemas.items()
    }
    return with_schemas | without


def _layout(name: str) -> Layout:
    snapshot = SESSIONS[name]().snapshot()
    exchanges = [
        e for e in snapshot.exchanges(snapshot.preamble) if e.mark in {"complete", "failed"}
    ]
    return Layout(
        tools=TOOLS,
        system=(Section("SYS You are careful.", CacheClass.STABLE),),
        conversation=tuple(map(block_of, exchanges)),
        tail=(Section(SECTION_TEXT, CacheClass.DYNAMIC),),
    )


def _called(layout: Layout) -> tuple[str, ...]:
    calls = [call for block in layout.conversation for call in calls_of(block).values()]
    return tuple(dict.fromkeys(call.name for call in calls))


class RendererSuite:
    """Subclass it with `renderer` and `target`.

    `frame` is a pattern of what this format writes around a text, such as a heading a message.
    """

    renderer: ClassVar[Renderer]
    target: ClassVar[Target]
    frame: ClassVar[str] = r"(?!)"

    @keeps("provider-rules")
    def test_a_request_breaks_no_rule_of_its_provider(self) -> None:
        """The validator has nothing to say of what the renderer makes."""
        for name, layout in layouts().items():
            for problem in self.renderer.validate(self._request(layout), self.target):
                raise self._violation("provider-rules", f"{name} {problem.where}", problem.what)

    @keeps("nothing-is-lost")
    def test_every_text_and_every_result_is_in_the_request(self) -> None:
        """What the layout holds, the request holds byte for byte, in its order."""
        for name, layout in layouts().items():
            whole = "\n".join(strings(self._request(layout)))
            position = 0
            for event_id, text in _texts(layout):
                found_at = whole.find(text, position)
                if text not in whole:
                    raise self._violation("nothing-is-lost", f"{name} {event_id}", text[:60])
                if found_at < 0:
                    raise self._violation("order-stays", f"{name} {event_id}", text[:60])
                position = found_at
            for section in (*layout.system, *layout.tail):
                if section.text not in whole:
                    raise self._violation("nothing-is-lost", f"{name} section", section.text[:60])

    @keeps("nothing-is-added")
    def test_a_request_holds_no_text_of_its_own(self) -> None:
        """Each text of the request is made of the layout's; names and ids have no spaces."""
        for name, layout in layouts().items():
            known = sorted(_all_texts(layout), key=len, reverse=True)
            for text in strings(self._request(layout)):
                rest = text
                for part in known:
                    rest = rest.replace(part, "")
                rest = re.sub(self.frame, "", rest).strip()
                if any(letter.isspace() for letter in rest):
                    raise self._violation("nothing-is-added", name, rest[:60])

    @keeps("the-parts-bound-the-whole")
    def test_a_request_costs_no_more_than_its_parts(self) -> None:
        """The sum by which a budget decides is never below the request's tokens."""
        for name, layout in layouts().items():
            whole = self.renderer.measure(self._request(layout), self.target)
            bound = self._bound(layout)
            if whole > bound:
                what = f"{whole} tokens, its parts {bound}"
                raise self._violation("the-parts-bound-the-whole", name, what)

    @keeps("deterministic")
    def test_a_request_is_the_same_bytes_every_time(self) -> None:
        """No clock, no dice, nothing remembered from the last request."""
        for name, layout in layouts().items():
            first = msgspec.json.encode(self._request(layout))
            self._request(Layout())
            if msgspec.json.encode(self._request(layout)) != first:
                raise self._violation("deterministic", name, "other bytes the second time")

    def _request(self, layout: Layout) -> dict[str, Any]:
        return self.renderer.request(layout, self.target)

    def _bound(self, layout: Layout) -> int:
        renderer, target = self.renderer, self.target
        empty = Layout(tools=layout.tools, called=layout.called)
        fixed = renderer.measure(renderer.request(empty, target), target)
        blocks = sum(renderer.cost(block, target) for block in layout.conversation)
        blocks += renderer.markers_cost(layout.conversation, target)
        sections = (*layout.system, *layout.tail)
        texts = sum(renderer.section_cost(section.text, target) for section in sections)
        return renderer.margin(target) + fixed + blocks + texts

    def _violation(self, rule: str, place: str, what: str) -> RuleViolation:
        return RuleViolation(rule, type(self.renderer).__name__, place, what)


def _texts(layout: Layout) -> Iterator[tuple[str, str]]:
    """The texts of the conversation with the ids of their events, in order."""
    for block in layout.conversation:
        for message in block.messages:
            for part in message.parts:
                if isinstance(part, ToolResult):
                    yield from ((message.event_id, inner) for inner in _inner_texts(part))
                elif isinstance(part, Text) and part.text:
                    yield message.event_id, part.text


def _inner_texts(result: ToolResult) -> Iterator[str]:
    yield from (part.text for part in result.content if isinstance(part, Text) and part.text)


def _all_texts(layout: Layout) -> set[str]:
    """Every text that a request may hold: messages, reasoning, arguments, sections, tools."""
    known = {text for _, text in _texts(layout)}
    known |= {section.text for section in (*layout.system, *layout.tail)}
    known |= {tool.description for tool in layout.tools if tool.description}
    for block in layout.conversation:
        for message in block.messages:
            for part in message.parts:
                if isinstance(part, ToolCall):
                    arguments = msgspec.json.decode(part.arguments)
                    compact = msgspec.json.encode(arguments).decode()
                    known |= {part.arguments, compact, *strings(arguments)}
                if isinstance(part, Thinking) and part.text:
                    known.add(part.text)
    return known
