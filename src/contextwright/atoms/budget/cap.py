"""`C.cap(max_tokens)`: the most that one term may take (phased-injection.md#injector-budgets)."""

from typing import ClassVar

from contextwright.atoms.compress.truncate import Truncate
from contextwright.blocks.block import Block, Blocks
from contextwright.errors import SpecError
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.ranges import Ranges, ValueRange
from contextwright.spec.traits import Traits
from contextwright.spec.word_roles import OldestFirst

LEAST = 12
"""Tokens below which a rest of a block is not worth a cut."""


class Cap(OldestFirst, frozen=True, kw_only=True):
    """At most `max_tokens` for what stands to the left, overheads included: the blocks with the
    highest scores first, else those that stand first; the one that does not fit is cut.

    What is protected (`blocks.protection`) counts first, and stays: a text of the spec's own is cut
    to both ends, what may not be changed makes the manifest say by how much the cap is passed. So
    it says of tools: none is left out but by name.

    Args:
        max_tokens: of the term.
        steps: whether a conversation goes down to half of it at once, and what comes then follows
            as it is until it is over again (rules.md#steps-down), and what holds of what left is
            told beside the cap, in up to 40 percent of it and 2,400 tokens (rules.md#left-out);
            False: what fits, at every request. Texts have no steps.
    """

    word: ClassVar[str] = "cap"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.BUDGET
    ranges: ClassVar[Ranges] = {"max_tokens": ValueRange(5, 100, of_budget=True)}

    max_tokens: int
    steps: bool = True

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise SpecError(
                f"max_tokens is {self.max_tokens}", where=repr(self), fix="at least 1 token"
            )

    @property
    def traits(self) -> Traits:
        """Its limit."""
        if not self.steps:
            return Traits(bounded=True, cap=self.max_tokens)
        own = self.max_tokens
        return Traits(bounded=True, cap=own, stepped="max_tokens", notable=True, window=own)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """What fits, in its order."""
        stays = inputs.protection.keep_reason
        staying = tuple(block for block in blocks if stays(block))
        fitting = self._staying(staying, inputs)
        sections = inputs.section_costs()
        room = self.max_tokens - sum(map(sections.take, fitting.values()))
        if room < 0:
            inputs.notes.append(f"{self!r} is passed by {-room:,} tokens: {_named(staying)} stays")
        free = (block for block in blocks if block not in fitting)
        for block in sorted(free, key=lambda block: -block.score):
            cost = sections.added(block)
            if cost <= room:
                fitting[block] = block
                room -= sections.take(block)
                continue
            short = self._cut(block, cost - room, inputs)
            if short is not None and sections.added(short) <= room:
                fitting[block] = short
                room -= sections.take(short)
        return tuple(fitting[block] for block in blocks if block in fitting)

    def _staying(self, blocks: Blocks, inputs: Inputs) -> dict[Block, Block]:
        """What is protected, the longest texts cut as far as it takes, and no further than to a
        sentence."""
        fitting = dict(zip(blocks, blocks, strict=True))
        sections = inputs.section_costs()
        over = sum(map(sections.take, blocks)) - self.max_tokens
        for block in sorted(blocks, key=inputs.cost, reverse=True):
            tokens = max(LEAST, inputs.count(block.text) - over)
            if over > 0 and not block.messages and inputs.protection.may_change(block):
                cut = Truncate(max_tokens=tokens, strategy="bookend").truncated(block, inputs)
                gain = sections.leave(block) - sections.added(cut)
                if gain > 0:  # the mark of what is missing may count more than it
                    over -= gain
                    fitting[block] = cut
                sections.take(fitting[block])
        return fitting

    def _cut(self, block: Block, over: int, inputs: Inputs) -> Block | None:
        tokens = inputs.count(block.text) - over
        if block.messages or tokens < LEAST:
            return None
        return Truncate(max_tokens=tokens, strategy="head").truncated(block, inputs)


def _named(blocks: Blocks) -> str:
    """The first of what stays, and how many more."""
    first, *others = blocks
    more = f" and {len(others)} more" if others else ""
    return f"{first.id}{more}"
