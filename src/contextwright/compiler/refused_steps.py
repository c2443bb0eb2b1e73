"""What no step may do to a block: rules that the tracer asks of what a step left."""

from contextwright.blocks.block import Block
from contextwright.blocks.minified_results import is_minified
from contextwright.blocks.protection import Protection, whole_of_its_own
from contextwright.session.event import Text, ToolCall, ToolResult
from contextwright.session.harness_text import without_harness_texts


def refusal(block: Block, now: Block | None, protection: Protection, *, last: bool) -> str:
    """Why a step may not have done to a block what it did; empty where it may."""
    if now is None:
        return protection.keep_reason(block)
    section = bool(block.messages) and not now.messages  # such as `C.layer` makes
    if now.pinned < block.pinned or (now.order != block.order and not section):
        return "its pin and its place are the log's"
    if says_the_same(now, block):
        return ""
    if now.messages and _is_paired(block) and not _is_paired(now):
        return "calls and their results stay or leave together"
    if last or (section and _quotes(block, now)):
        return ""
    # pictures of the user's may be described, words not rewritten
    if not section and block.messages and _has_words(block, now):
        return protection.keep_reason(block)
    if not block.failed and _is_the_same_value(now, block):
        return whole_of_its_own(block)
    return protection.whole_reason(block)


def _is_the_same_value(now: Block, block: Block) -> bool:
    """Whether all that changed are blanks of JSON, wherever it stands: taken out, or given back."""
    return is_minified(now, block) or is_minified(block, now)


def says_the_same(now: Block, block: Block) -> bool:
    """Whether a step left a block's words alone. Told by the words: a memo may give back what it
    made of an equal block, whose messages are other objects."""
    return now.messages == block.messages and now.text == block.text


def _is_paired(block: Block) -> bool:
    """Whether every call has its result, and every result its call."""
    parts = [part for message in block.messages for part in message.parts]
    calls = {part.id for part in parts if isinstance(part, ToolCall)}
    return calls == {part.call_id for part in parts if isinstance(part, ToolResult)}


def _has_words(block: Block, now: Block) -> bool:
    """Whether all that was said is still there, word for word, such as beside a picture that is
    described now."""
    texts = [part.text for m in block.messages for part in m.parts if isinstance(part, Text)]
    return not block.results and all(text in now.plain_text for text in texts)


def _quotes(block: Block, section: Block) -> bool:
    """Whether all that was said stands in a section, word for word, but for what a harness put
    into the user's words, which no section tells in the user's name."""
    return all(
        _words(message.role, part) in section.text
        for message in block.messages
        for part in message.parts
        if isinstance(part, (Text, ToolResult))
    )


def _words(role: str, part: Text | ToolResult) -> str:
    if role == "user" and isinstance(part, Text):
        return without_harness_texts(part.text, stops=True).strip()
    return part.text.strip()
