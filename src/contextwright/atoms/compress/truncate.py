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
from contextwright.text.cut import cut
from contextwright.text.ref_notes import cut_note, without_notes

MARKER = "[... truncated ...]"
ARGUMENT_TOKENS = 60
"""Tokens of an argument that stays whole in any case: ids, paths and queries are shorter."""


class Truncate(Atom, frozen=True, kw_only=True):
    """Cut every agent output, tool result and text to `max_tokens`, between graphemes.

    The user's words and what is protected (`blocks.protection`) stay whole.

    Args:
        max_tokens: of each, the marker included.
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
        """The same blocks, none of their texts longer than the limit."""
        edge = inputs.protection.edge
        return inputs.rewritten(
            self, blocks, lambda block: self.truncated(block, inputs), before=edge
        )

    def truncated(self, block: Block, inputs: Inputs) -> Block:
        """One block, cut."""

        def short(text: str) -> str:
            return cut(text, self.max_tokens, self.strategy, inputs.count, marker=MARKER)

        def on_result(text: str, call: ToolCall, ref: str) -> str:
            return short(text)

        def on_text(text: str, ref: str) -> str:
            return short(text)

        why = f"cut to {self.max_tokens:,} tokens, {self.strategy} kept"
        if not block.messages:
            text = short(block.text)
            if text == block.text:
                return block
            return block.lower(Fidelity.TRUNCATED, text=text, why=why)
        messages = rewrite(block, on_result=on_result, on_text=on_text)
        if messages is block.messages:
            return block
        return block.lower(Fidelity.TRUNCATED, messages=messages, why=why)


def truncate_to(block: Block, max_tokens: int, inputs: Inputs) -> Block:
    """A block with each of its results, outputs and long arguments cut, with its ref beside."""

    def short(text: str, ref: str) -> str:
        if inputs.count(text) <= max_tokens:
            return text
        note, whole = cut_note(ref), without_notes(text, ref)  # it may have been cut before
        left = cut(whole, max_tokens, "bookend", inputs.count, marker=note)
        # where there is room for the note alone, the way back is worth more than a few words
        return left if note in left or inputs.count(note) > max_tokens else note

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
