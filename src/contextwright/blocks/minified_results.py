"""Results of JSON without the blanks that JSON does not need.

It is the same value: what must stay word for word (`blocks.protection`) may be sent so, but for
what is held for its own sake, and but for what the next call may quote.
"""

from contextwright.blocks.block import Block
from contextwright.blocks.block_texts import rewrite
from contextwright.blocks.escape import disarmed
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.protection import whole_of_its_own
from contextwright.blocks.read_back_tools import is_reading
from contextwright.session.event import AnyPart, Text, ToolCall, ToolResult
from contextwright.text.cut import Count
from contextwright.text.file_arguments import names_file
from contextwright.text.json_rows import loaded, minimal

WHY = "JSON without its blanks"
_BLANKS = " \t\r\n"
"""What JSON calls blanks."""


def without_blanks_of_json(text: str) -> str:
    """A text that is one line of JSON, and nothing else, without the blanks that JSON does not
    need; other texts as they are."""
    line = text.strip(_BLANKS)
    # `strip` alone takes more than JSON's blanks
    is_line = "\r" not in line and line == text.strip() and loaded(text) is not None
    return minimal(text) if is_line else text


def minified(block: Block, count: Count) -> Block:
    """The exchange, its results of one line of JSON without blanks where that is shorter. As they
    came stay those of calls that name a file, which an edit may quote; what the agent read back;
    and all of an exchange that failed, or is pinned.

    Args:
        count: tokens of a text.
    """

    def on_result(text: str, call: ToolCall, ref: str) -> str:
        short = without_blanks_of_json(text)
        if short == text or names_file(call.arguments) or is_reading(call):
            return text
        # what reads as a mark of ours would be disarmed in it, and the value another one
        is_same = disarmed(short, ref) == short
        return short if is_same and count(short) < count(text) else text

    if not block.results or block.failed or whole_of_its_own(block):
        return block
    messages = rewrite(block, on_result=on_result)
    if messages is block.messages or block.fidelity < Fidelity.COMPACTED:
        return block
    return block.lower(Fidelity.COMPACTED, messages=messages, why=WHY)


def is_minified(now: Block, block: Block) -> bool:
    """Whether all that a block says is still said: word for word, or as the same JSON without
    blanks."""
    old = [part for message in block.messages for part in message.parts]
    new = [part for message in now.messages for part in message.parts]
    return len(old) == len(new) and all(map(_is_same, old, new))


def _is_same(old: AnyPart, new: AnyPart) -> bool:
    if not isinstance(old, ToolResult) or not isinstance(new, ToolResult):
        return old == new
    pictures = [
        [piece for piece in part.content if not isinstance(piece, Text)] for part in (old, new)
    ]
    same_value = new.text in {old.text, without_blanks_of_json(old.text)}
    return same_value and old.call_id == new.call_id and pictures[0] == pictures[1]
