"""`C.truncate(max_tokens)`: a hard cut (context-algebra.md#truncation)."""

from typing import ClassVar, Literal

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.block_texts import rewrite
from contextwright.blocks.fidelity import Fidelity
from contextwright.errors import SpecError
from contextwright.session.event import ToolCall
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.ranges import EVERY, Ranges, ValueRange
from contextwright.spec.traits import Traits
from contextwright.text.call_arguments import shorten_arguments
from contextwright.text.cut import Count, Keep, cut
from contextwright.text.ref_notes import cut_note, is_noted, without_notes

MARKER = "[... truncated ...]"
"""What stands where a text was cut whose whole is nowhere, or has no room for where it is
(context-algebra.md#truncation)."""
NOTE_SHARE = 2
"""Where the whole of a text is says no more than half of what is left of it."""
ARGUMENT_TOKENS = 60
"""Tokens of an argument that stays whole in any case: ids, paths and queries are shorter."""


class Truncate(Atom, frozen=True, kw_only=True):
    """Cut every agent output, tool result and text to `max_tokens`, between graphemes. What is
    cut says where its whole is, if that takes at most half of the tokens.

    The user's words and what is protected (`blocks.protection`) stay whole.

    Args:
        max_tokens: of each, with what says that it was cut.
        strategy: what stays: the `tail`, the `head`, or both ends (`bookend`).
    """

    word: ClassVar[str] = "truncate"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS
    ranges: ClassVar[Ranges] = {"max_tokens": ValueRange(50, 8000, log=True), "strategy": EVERY}

    max_tokens: int
    strategy: Literal["head", "tail", "bookend"] = "tail"

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise SpecError(
                f"max_tokens is {self.max_tokens}", where=repr(self), fix="at least 1 token"
            )

    @property
    def traits(self) -> Traits:
        """A block at a time."""
        return Traits(view="block", maps=True)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks, none of their texts longer than the limit, but where what says that it
        was cut takes more than the cut saves."""
        edge = inputs.protection.edge
        return inputs.rewritten(
            self, blocks, lambda block: self.truncated(block, inputs), before=edge
        )

    def truncated(self, block: Block, inputs: Inputs) -> Block:
        """One block, cut."""

        def short(text: str, ref: str) -> str:
            limit, keep, count = self.max_tokens, self.strategy, inputs.count
            return _cut_with_note(text, ref, limit, keep, count, share=NOTE_SHARE)

        def on_result(text: str, call: ToolCall, ref: str) -> str:
            return short(text, ref)

        why = f"cut to {self.max_tokens:,} tokens, {self.strategy} kept"
        if not block.messages:
            text = short(block.text, "")  # a section names its ref in its opening
            cut_short = block.lower(Fidelity.TRUNCATED, text=text, why=why)
            return cut_short if inputs.cost(cut_short) < inputs.cost(block) else block
        messages = rewrite(block, on_result=on_result, on_text=short)
        if messages is block.messages:
            return block
        return block.lower(Fidelity.TRUNCATED, messages=messages, why=why)


def truncate_to(block: Block, max_tokens: int, inputs: Inputs) -> Block:
    """A block with each of its results, outputs and long arguments cut, with its ref beside."""

    def short(text: str, ref: str) -> str:
        note, left = cut_note(ref), _cut_with_note(text, ref, max_tokens, "bookend", inputs.count)
        # where there is room for the note alone, the way back is worth more than a few words
        is_told = left == text or note in left or inputs.count(note) > max_tokens
        return left if is_told else note

    def on_result(text: str, call: ToolCall, ref: str) -> str:
        return short(text, ref)

    def on_call(call: ToolCall, ref: str) -> str:
        least, count = max(max_tokens, ARGUMENT_TOKENS), inputs.count
        return shorten_arguments(
            call.arguments, min_tokens=least, max_tokens=max_tokens // 2, count=count, ref=ref
        )

    messages = rewrite(block, on_result=on_result, on_text=short, on_call=on_call)
    if messages is block.messages:
        return block
    why = f"cut to {max_tokens:,} tokens each to fit the budget"
    return msgspec.structs.replace(block, messages=messages, fidelity=Fidelity.TRUNCATED, why=why)


def _cut_with_note(
    text: str, ref: str, max_tokens: int, keep: Keep, count: Count, *, share: int = 1
) -> str:
    """A text in at most `max_tokens`, with where its whole is, once, however often it was cut.

    Args:
        ref: of the whole; empty where there is none.
        share: the note has room where it takes at most such a part of the tokens.
    """
    if count(text) <= max_tokens:
        return text
    note = cut_note(ref) if ref else MARKER
    marker = note if count(note) * share <= max_tokens else MARKER
    body = without_notes(text, ref)
    if body != text:  # what it said before of where its whole is goes, and that it is cut stays
        if is_noted(text, ref):
            body = body.rstrip()  # the note was a line of its own
        joined = f"{body.rstrip()}\n{marker}"
        if count(joined) <= max_tokens:
            return joined
        max_tokens = min(max_tokens, count(body) - 1)
    return cut(body, max_tokens, keep, count, marker=marker)
