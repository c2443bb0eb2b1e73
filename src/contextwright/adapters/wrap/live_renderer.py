"""Messages in the caller's own objects as a provider format: what they cost, whoever is sent
them, and the texts that they hold in the end."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from contextwright.blocks.block import Block
from contextwright.render.draft import RequestDraft
from contextwright.render.message_layout import Layout
from contextwright.render.providers import Provider, register
from contextwright.render.renderer import Count, Overhead, Renderer, Request, SendableParts
from contextwright.render.target import Target
from contextwright.render.wire import Wire
from contextwright.session.event import AnyPart, Opaque, Text, Thinking, ToolCall, ToolResult
from contextwright.text.ref_notes import without_event_notes
from contextwright.tokens.counter import Counter

FORMAT = "live-messages"
OVERHEAD = 4
"""Tokens of a message beside its texts: OpenAI's number, since the provider is not known here."""
_DATA = re.compile(r"[^\s]{200,}")
"""Base64, keys and the like: no words, and counted by no provider as text."""


class LiveRenderer(Renderer):
    """Renders for nobody: the request is the texts by event, from which the caller's messages are
    written. Everything that a message says is counted, parts that nobody here knows included;
    pictures and files are not. It has no rules: the messages keep those that they came with."""

    rules = {}
    overhead = Overhead(0, OVERHEAD, 0, 0, 0, 0, 0)
    parts = SendableParts(assistant_media=True)
    cache_order = ("system", "messages")

    def wires(self, block: Block, draft: RequestDraft, target: Target) -> list[tuple[str, Wire]]:
        """The messages of a block, each part with its text."""
        pairs: list[tuple[str, Wire]] = []
        for message in block.messages:
            parts = [_wire_part(part) for part in message.parts]
            wire = {"event": message.event_id, "role": message.role, "parts": parts}
            pairs.append((message.event_id, wire))
        return pairs

    def build(self, layout: Layout, target: Target, draft: RequestDraft) -> Request:
        """The texts of the system, and of every message by part."""
        return {
            "system": [section.text for section in (*layout.system, *layout.tail)],
            "messages": [wire for _, wire in self.conversation(layout, target, draft)],
        }

    def measure_system(self, request: Request, count: Count) -> int:
        """Tokens of the system's texts."""
        return sum(count(text) + OVERHEAD for text in request["system"])

    def measure_wire(self, wire: Wire, count: Count) -> int:
        """Tokens of a message."""
        return OVERHEAD + sum(count(part["text"]) for part in wire["parts"])


PROVIDER = register(Provider(FORMAT, LiveRenderer()))


def _wire_part(part: AnyPart) -> dict[str, str]:
    if isinstance(part, ToolResult):
        return {"kind": "result", "call": part.call_id, "text": words(part)}
    return {"kind": "text" if isinstance(part, Text) else "other", "text": words(part)}


def words(part: AnyPart) -> str:
    """Everything that a part says."""
    if isinstance(part, Text | Thinking):
        return part.text
    if isinstance(part, ToolCall):
        return f"{part.name} {part.arguments}"
    if isinstance(part, ToolResult):
        unknown = [words(one) for one in part.content if isinstance(one, Opaque)]
        return "\n".join(filter(None, (part.text, *unknown)))
    return "\n".join(strings(part.value)) if isinstance(part, Opaque) else ""


def strings(value: Any) -> Iterator[str]:
    """The words in JSON data."""
    if isinstance(value, str):
        yield _DATA.sub("", value)
    elif isinstance(value, Mapping | list):
        items: Any = value.values() if isinstance(value, Mapping) else value  # pyright: ignore
        for item in items:
            yield from strings(item)


def message_tokens(parts: Iterable[AnyPart], counter: Counter) -> int:
    """Tokens of a message of these parts."""
    return OVERHEAD + sum(counter.count(words(part)) for part in parts)


class SentCounter(Counter):
    """Counts a text as it will be sent: with a mark that names an artifact, or with none, where
    the engine's names an event.

    Args:
        inner: counts tokens.
        mark: a mark, as long as they are; empty where the whole is put aside nowhere.
    """

    def __init__(self, inner: Counter, mark: str) -> None:
        super().__init__(inner.id, inner.base, inner.hundredths, digits=inner.digits)
        self._inner = inner
        self._mark_tokens = inner.count(mark) + 1 if mark else 0

    def _count(self, text: str) -> int:
        """Tokens of the text, as it will be sent."""
        sent = without_event_notes(text)
        return self._inner.count(sent) + (self._mark_tokens if sent != text else 0)
