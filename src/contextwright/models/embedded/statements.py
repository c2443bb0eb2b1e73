"""What was said, a sentence at a time, with who said it."""

import msgspec

from contextwright.blocks.block import Block
from contextwright.session.event import Text, ToolResult
from contextwright.spec.task import Task
from contextwright.text.sentences import sentences

MOST = 8
"""Sentences of one message that are looked at: its first, and its last."""
LONGEST = 300
"""Characters of a sentence that are kept; it ends at a word."""


class Statement(msgspec.Struct, frozen=True):
    """One sentence.

    Args:
        who: `user`, `assistant`, or a tool's name; empty for a note or a state value.
        text: the sentence.
        place: the block that it is from, counted from 0.
        first: whether it begins its message.
    """

    who: str
    text: str
    place: int
    first: bool = False


def statements(task: Task) -> list[Statement]:
    """The sentences of a task's blocks, in order."""
    return [said for place, block in enumerate(task.blocks) for said in said_in(block, place)]


def said_in(block: Block, place: int) -> list[Statement]:
    """The sentences of one block."""
    if not block.messages:
        return _split("", block.text, place)
    found: list[Statement] = []
    for message in block.messages:
        for part in message.parts:
            if isinstance(part, Text):
                found += _split(message.role, part.text, place)
            elif isinstance(part, ToolResult):
                found += _split(part.name or "tool", part.text, place)
    return found


def _split(who: str, text: str, place: int) -> list[Statement]:
    found = sentences(text[:20_000])
    if len(found) > MOST:
        found = found[: MOST // 2] + found[-MOST // 2 :]
    return [Statement(who, _short(text), place, n == 0) for n, text in enumerate(found)]


def _short(text: str) -> str:
    if text.startswith(("```", "~~~")) and "\n" in text:
        return _short_code(text)
    folded = " ".join(text.split())
    if len(folded) <= LONGEST:
        return folded
    return (
        folded[:LONGEST].rpartition(" ")[0] + " ..."
        if " " in folded[:LONGEST]
        else folded[:LONGEST]
    )


def _short_code(text: str) -> str:
    """A code block keeps its lines, as many as there is room for, and its fences."""
    if len(text) <= LONGEST:
        return text
    head = text[:LONGEST].rpartition("\n")[0]
    return f"{head}\n...\n{text[:3]}" if "\n" in head else text.partition("\n")[0].strip("`~ ")
