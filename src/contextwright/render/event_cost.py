"""Tokens of an exchange as OpenAI Chat has it, told from its events, or from its block's messages:
most of a long session is counted and never sent, so no message of the provider's is made of it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from contextwright.blocks.block import Message
from contextwright.render.draft import RequestDraft
from contextwright.render.wire import EMPTY, Count, arguments_of, arguments_text, clean
from contextwright.session.event import AnyPart, Event, Text, ToolCall, ToolResult

if TYPE_CHECKING:
    from contextwright.render.renderer import Overhead

MessageCost = Callable[[Sequence[Message]], "int | None"]
"""Tokens of the exchange that a block's messages are; None where the provider's have to tell."""
EventCost = Callable[[Sequence[Event]], "int | None"]
"""Tokens of the exchange that some events are; None where only its block can tell."""


class ChatCost(msgspec.Struct, frozen=True):
    """Tokens of exchanges that are words of the user or the assistant, or calls that each have
    their result, all in text.

    Args:
        draft: says how tools are named.
    """

    draft: RequestDraft
    overhead: "Overhead"
    count: Count

    def of_events(self, events: Sequence[Event] | Sequence[Message]) -> int | None:
        """Tokens of an exchange, or of its calls and results as a block has them; None of any
        other."""
        first = events[0]
        if len(events) > 1:
            return self._of_calls(first, events[1:]) if first.role == "assistant" else None
        if len(first.parts) != 1 or first.role not in {"user", "assistant"}:
            return None
        part = first.parts[0]  # most exchanges are this one text
        if not isinstance(part, Text) or not (text := part.text) or text.isspace():
            return None
        return self.overhead.message + self.count(text if text.isascii() else clean(text))

    def _of_calls(
        self, first: Event | Message, answers: Sequence[Event] | Sequence[Message]
    ) -> int | None:
        words: list[str] = []
        tokens = self.overhead.message
        waiting: set[str] = set()
        for part in first.parts:
            if isinstance(part, ToolCall):
                arguments = arguments_text(part)
                if part.id in waiting or (arguments == "{}" and arguments_of(part) is None):
                    return None
                waiting.add(part.id)
                name = self.draft.name(part.name)
                tokens += self.overhead.call + self.count(name) + self.count(arguments)
            elif text := _words(part):
                words.append(clean(text))
            else:
                return None
        if words:
            tokens += self.count("\n".join(words))
        for event in answers:
            for part in event.parts:
                if not isinstance(part, ToolResult) or part.call_id not in waiting:
                    return None
                waiting.remove(part.call_id)
                of_result = self._of_result(part)
                if of_result is None:
                    return None
                tokens += of_result
        return None if waiting else tokens

    def _of_result(self, result: ToolResult) -> int | None:
        for part in result.content:
            if not isinstance(part, Text):
                return None
        text = result.text
        around = self.overhead.message + self.overhead.result
        return around + self.count(clean(text) if text and not text.isspace() else EMPTY)


def _words(part: AnyPart) -> str:
    """The text of a part that is one and not blank, else nothing."""
    return part.text if isinstance(part, Text) and part.text.strip() else ""
