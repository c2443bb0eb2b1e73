"""`C.summary_constraint()`: agents speak to each other in summaries while the context is full
(cooling-and-forgetting.md#summary-constraint)."""

from typing import ClassVar

from contextwright.atoms.shorten import SUMMARY_ROOM, shortened, summary_task
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.block_texts import rewrite
from contextwright.blocks.fidelity import Fidelity
from contextwright.errors import SpecError, is_number
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.ranges import Ranges, ValueRange
from contextwright.spec.traits import Traits
from contextwright.text.ref_notes import message_note

LEAST = 16
"""Tokens that a message keeps at least: a short sentence."""
WINDOW = 128_000
"""Tokens that pressure is measured against where nothing else is said."""


class UnderPressure(Atom, frozen=True, kw_only=True):
    """What other agents said keeps `compression_ratio` of its tokens once the pressure is at or
    over the threshold: the tokens of what stands to the left, of those of the window. Below it
    nothing changes.

    Other agents are authors that are named and are not the agent that the request is for. Their
    messages of the running turn count too: they are finished, and agents of a pipeline share a
    turn. What the user and the system said, this agent's own words, tool executions, pinned
    blocks and the newest exchange stay.

    Args:
        pressure_threshold: from 0 to 1.
        compression_ratio: of a message's tokens, over 0 and below 1; at least 16 stay.
        max_tokens: that a message may keep whatever the ratio; 0 for no such limit.
        window: tokens of the model's window.
        model: who summarizes; empty for the engine's.
    """

    word: ClassVar[str] = "summary_constraint"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS
    positional: ClassVar[int] = 2
    ranges: ClassVar[Ranges] = {
        "pressure_threshold": ValueRange(0.5, 0.95),
        "compression_ratio": ValueRange(0.05, 0.5),
    }

    pressure_threshold: float = 0.8
    compression_ratio: float = 0.2
    max_tokens: int = 0
    window: int = WINDOW
    model: str = ""

    def __post_init__(self) -> None:
        refuse_no_shares(self.pressure_threshold, self.compression_ratio, repr(self))
        if self.window < 1 or self.max_tokens < 0:
            raise SpecError(
                f"window is {self.window}, max_tokens {self.max_tokens}",
                where=repr(self),
                fix="give the window in tokens, and max_tokens=0 for no limit",
            )

    @property
    def traits(self) -> Traits:
        """Once there is pressure, a block is looked at alone."""
        return Traits(view="block")

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks, other agents' messages in short."""
        used = sum(map(inputs.cost, blocks))
        if used < self.pressure_threshold * self.window:
            inputs.unsure(self.word)
            return blocks
        why = f"pressure of {self.pressure_threshold:g} reached"
        return tuple(
            self._short(block, inputs, why) if _is_others(block, inputs) else block
            for block in blocks
        )

    def _short(self, block: Block, inputs: Inputs, why: str) -> Block:
        def on_text(text: str, ref: str) -> str:
            tokens = inputs.count(text)
            room = room_for(tokens, self.compression_ratio, self.max_tokens)
            if tokens <= room:
                return text
            task = summary_task(text, room, model=self.model)
            answer = inputs.ask(task) if room >= SUMMARY_ROOM else None
            tail = f"\n{message_note(ref)}"
            return shortened(text, room, answer, inputs.count, tail).text

        messages = rewrite(block, on_text=on_text)
        if messages is block.messages:
            return block
        return block.lower(Fidelity.SUMMARIZED, messages=messages, why=why)


def refuse_no_shares(threshold: float, ratio: float, where: str) -> None:
    """Refuse a threshold or a ratio that is no share.

    Raises:
        SpecError: as said.
    """
    fits = is_number(threshold) and is_number(ratio)
    if not fits or not 0 <= threshold <= 1 or not 0 < ratio < 1:
        raise SpecError(
            f"pressure_threshold is {threshold}, compression_ratio {ratio}",
            where=where,
            fix="give 0 <= pressure_threshold <= 1 and 0 < compression_ratio < 1",
        )


def room_for(tokens: int, ratio: float, max_tokens: int = 0) -> int:
    """Tokens that a message of so many may keep."""
    room = max(LEAST, int(tokens * ratio))
    return min(room, max_tokens) if max_tokens else room


def _is_others(block: Block, inputs: Inputs) -> bool:
    """Whether another agent said it, and nothing holds it."""
    if block.order < 0 or block.role != "assistant" or len(block.messages) != 1:
        return False
    if not inputs.protection.may_change(block) or block.fidelity <= Fidelity.SUMMARIZED:
        return False
    return block.author not in {"", "assistant", inputs.agent}
