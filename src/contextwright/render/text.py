"""Plain text: the context as sections, for instruction providers and simple prompts."""

import re
from collections.abc import Iterator
from itertools import groupby

from contextwright.blocks.block import Block, Message
from contextwright.blocks.fidelity import Fidelity
from contextwright.render.escape import escape, section
from contextwright.render.layout import Layout
from contextwright.render.renderer import Request, Violation
from contextwright.render.target import Target
from contextwright.render.wire import clean, describe
from contextwright.session.event import File, Image, Text, ToolCall, ToolResult

_ROLES = {"user": "User", "assistant": "Agent", "system": "System", "tool": "Tool"}


class TextRenderer:
    """`{"text": ...}`: the sections of a spec in its order, the conversation as a transcript."""

    format = "text"

    def cost(self, block: Block, target: Target) -> int:
        """Tokens of the block as a section of its own."""
        return self.section_cost(_marked([block]), target)

    def section_cost(self, text: str, target: Target) -> int:
        """Tokens of a section and the empty line behind it."""
        return target.counter.count(clean(text)) + 2

    def margin(self, target: Target) -> int:
        """Nothing is added for the form's sake."""
        return 0

    def request(self, layout: Layout, target: Target) -> Request:
        """The text."""
        sections = [clean(section.text) for section in layout.system]
        for _, group in groupby(layout.conversation, key=lambda b: (b.source, b.tier)):
            sections.append(clean(_marked(list(group))))
        sections += [clean(section.text) for section in layout.tail]
        return {"text": "\n\n".join(sections)}

    def measure(self, request: Request, target: Target) -> int:
        """Tokens of the text."""
        return target.counter.count(request["text"])

    def validate(self, request: Request, target: Target) -> list[Violation]:
        """Text has no rules."""
        return []


def _marked(blocks: list[Block]) -> str:
    """Blocks of one source between one pair of markers. Each line of a block was escaped with
    its header in place, so the section itself must not escape again."""
    body = "\n".join(line for block in blocks for line in transcript(block))
    opening, _, closing = section("", source=blocks[0].source, tier=blocks[0].tier).partition("\n")
    return f"{opening}\n{body}\n{closing.strip()}"


def transcript(block: Block) -> Iterator[str]:
    """A line a message, call and result: `[Turn 12] User: ...`. Never shaped like a call."""
    turn = f"[Turn {block.turn + 1}]"
    calls = {p.id: p.name for m in block.messages for p in m.parts if isinstance(p, ToolCall)}
    lowered = block.fidelity is not Fidelity.RAW
    for message in block.messages:
        who = _who(message)
        for part in message.parts:
            if isinstance(part, Text):
                if part.text.strip():
                    yield f"{turn} {who}: {_escaped(part.text, lowered)}"
            elif isinstance(part, ToolCall):
                yield f"{turn} {who} used {escape(part.name)} with {escape(part.arguments)}"
            elif isinstance(part, ToolResult):
                yield f"{turn} {_result(part, calls.get(part.call_id, part.name), lowered)}"
            elif isinstance(part, (Image, File)):
                yield f"{turn} {who}: {escape(describe(part))}"


def _who(message: Message) -> str:
    if message.author and message.author != message.role:
        return escape(" ".join(message.author.split()))
    return _ROLES[message.role]


def _result(result: ToolResult, name: str, lowered: bool) -> str:
    status = {"ok": "gave", "error": "failed with"}.get(result.status, "was interrupted:")
    media = [describe(part) for part in result.content if isinstance(part, (Image, File))]
    text = "\n".join(filter(None, (result.text, *media)))
    return f"{escape(name) or 'A tool'} {status} {_escaped(text, lowered)}"


_REF_TAIL = re.compile(r"\[full output: [a-z]+://[^\s\]]+, \d+ tokens\]\Z")


def _escaped(text: str, lowered: bool) -> str:
    """The text escaped; the ref that a shortened text ends in is ours and stays."""
    tail = _REF_TAIL.search(text) if lowered else None
    if tail is None:
        return escape(text)
    return escape(text[: tail.start()]) + tail[0]
