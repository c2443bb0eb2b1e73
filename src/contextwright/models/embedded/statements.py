"""What was said, a sentence at a time, with who said it."""

import re
from typing import Any

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.session.event import Text, ToolCall, ToolResult
from contextwright.session.harness_text import without_harness_texts
from contextwright.session.inline_thinking import without_thinking
from contextwright.spec.task import Task
from contextwright.text.ref_notes import without_output_notes
from contextwright.text.sentences import sentences

MAX_SENTENCES = 8
"""Sentences of one message that are looked at: its first, and its last."""
CALL = "call"
"""The speaker of a statement that is a call."""
MAX_CHARS = 300
"""Characters of a sentence that stay; it ends at a word."""


class Statement(msgspec.Struct, frozen=True):
    """One sentence.

    Args:
        who: `user`, `assistant`, or a tool's name; empty for a note or a state value.
        place: the block that it is from, counted from 0.
    """

    speaker: str
    text: str
    place: int
    first: bool = False


def statements(task: Task) -> list[Statement]:
    """The sentences of a task's blocks, in order."""
    return [
        statement
        for place, block in enumerate(task.blocks)
        for statement in statements_in(block, place)
    ]


def statements_in(block: Block, place: int) -> list[Statement]:
    """The sentences of one block."""
    if not block.messages:
        return _split("", block.text, place)
    collected: list[Statement] = []
    for message in block.messages:
        for part in message.parts:
            if isinstance(part, Text):
                is_users = message.role == "user"
                words = without_harness_texts if is_users else without_thinking
                text = words(part.text)
                collected += _split(message.role, text, place)
            elif isinstance(part, ToolResult):
                collected += _split(part.name or "tool", part.text, place)
    return collected


def calls_in(blocks: Blocks) -> tuple[list[Statement], dict[str, Any]]:
    """The calls of blocks, a statement each, and their plain arguments by name, the newest."""
    collected: list[Statement] = []
    arguments: dict[str, Any] = {}
    for place, block in enumerate(blocks):
        for message in block.messages:
            for part in message.parts:
                if isinstance(part, ToolCall):
                    plain = _plain_arguments(part.arguments)
                    arguments |= {
                        re.sub(r"[\W_]+", "", name).casefold(): plain[name] for name in plain
                    }
                    shown = ", ".join(f"{name}={value}" for name, value in plain.items())
                    collected.append(Statement(CALL, _short(f"{part.name}({shown})"), place))
    return collected, arguments


def _plain_arguments(text: str) -> dict[str, Any]:
    try:
        value: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return {}
    named: dict[str, Any] = value if isinstance(value, dict) else {}
    return {name: one for name, one in named.items() if isinstance(one, (str, int, float))}


def _split(speaker: str, text: str, place: int) -> list[Statement]:
    collected = sentences(without_output_notes(text[:20_000]))
    if len(collected) > MAX_SENTENCES:
        collected = collected[: MAX_SENTENCES // 2] + collected[-MAX_SENTENCES // 2 :]
    return [Statement(speaker, _short(text), place, n == 0) for n, text in enumerate(collected)]


def _short(text: str) -> str:
    if text.startswith(("```", "~~~")) and "\n" in text:
        return _short_code(text)
    if len(text) <= MAX_CHARS and text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()  # nothing to fold, as in most
    folded = " ".join(text.split())
    head, space, _ = folded[:MAX_CHARS].rpartition(" ")
    if len(folded) <= MAX_CHARS or not space:
        return folded[:MAX_CHARS]
    return f"{head} ..."


def _short_code(text: str) -> str:
    """A code block keeps its lines, as many as there is room for, and its fences."""
    if len(text) <= MAX_CHARS:
        return text
    head = text[:MAX_CHARS].rpartition("\n")[0]
    return f"{head}\n...\n{text[:3]}" if "\n" in head else text.partition("\n")[0].strip("`~ ")
