"""`C.compress_results(...)`: large tool outputs in short, the whole behind a ref
(phased-injection.md#result-compression)."""

from collections.abc import Sequence
from typing import ClassVar

from contextwright.atoms.execution_line import without_images
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.block_texts import shorten_results
from contextwright.blocks.fidelity import Fidelity
from contextwright.errors import SpecError
from contextwright.session.event import Event
from contextwright.spec.inputs import Inputs
from contextwright.spec.ranges import Ranges, ValueRange
from contextwright.spec.traits import Traits
from contextwright.spec.word_roles import Shortener


class CompressResults(Shortener, frozen=True, kw_only=True):
    """Tool results over a threshold become what names them, by what they are: search hits, files,
    code, JSON, tables, logs, diffs, pages. The newest execution is whole.

    The threshold adapts: `share` percent of the tokens of `budget` that are left, between
    `min_tokens` and `max_tokens`, in steps of a factor of two, so that results keep their bytes
    while it stands. Pictures in old results are described.

    Args:
        budget: tokens that the conversation may take; 0 for a fixed threshold, `max_tokens`.
        share: percent of what is left of it for one result.
        min_tokens: of a threshold; the document's 1,500 characters.
        max_tokens: of a threshold; the document's cap for a single result.
        steps: whether, with a `budget`, nothing is shortened up to it, and then at once down to
            half of it, or as far as that goes (rules.md#steps-down). Without a `budget`, and with
            False, a result is in short as soon as it is not of the newest execution.
    """

    word: ClassVar[str] = "compress_results"
    ranges: ClassVar[Ranges] = {
        "share": ValueRange(2, 50),
        "min_tokens": ValueRange(50, 1000, log=True),
        "max_tokens": ValueRange(1000, 16_000, log=True),
    }

    budget: int = 0
    share: int = 10
    min_tokens: int = 375
    max_tokens: int = 3000
    steps: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.min_tokens <= self.max_tokens or self.budget < 0 or self.share < 1:
            raise SpecError(
                f"min_tokens is {self.min_tokens}, max_tokens {self.max_tokens}, budget "
                f"{self.budget}, share {self.share}",
                where=repr(self),
                fix="give 1 <= min_tokens <= max_tokens, budget >= 0, share >= 1",
            )

    @property
    def traits(self) -> Traits:
        """With a `budget`, its threshold goes by the sum of all."""
        if not self.budget:
            return Traits(view="block", maps=True)
        steps = Traits(view="least", stepped="budget", notable=True)
        return steps if self.steps else Traits(notable=True)

    def least(self, block: Block, inputs: Inputs) -> int:
        """Results of `min_tokens`."""
        if not block.results:
            return inputs.cost(block)
        key = ("least of results", self.min_tokens, inputs.counter_id, inputs.cost)
        limit = self.min_tokens
        return inputs.memo.table(key).remembered(
            block, lambda one: inputs.cost(_short(one, limit, inputs))
        )

    def least_of_events(self, events: Sequence[Event], inputs: Inputs) -> int | None:
        """As `least`, where no result is larger."""
        cost = inputs.event_cost(events) if inputs.event_cost is not None else None
        if cost is None:
            return None
        results = (result for event in events for result in event.results)
        large = any(inputs.count(result.text) > self.min_tokens for result in results)
        return None if large else cost

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks, large results in short."""
        return self._within(self.threshold(sum(map(inputs.cost, blocks))), blocks, inputs)

    def shortest(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """Results of `min_tokens`."""
        return self._within(self.min_tokens, blocks, inputs)

    def _within(self, limit: int, blocks: Blocks, inputs: Inputs) -> Blocks:
        edge = inputs.protection.edge
        return inputs.rewritten(
            ("compress_results", limit),
            blocks,
            lambda block: _short(block, limit, inputs),
            before=edge,
        )

    def threshold(self, used: int) -> int:
        """Tokens that a result may have where so many are used."""
        if not self.budget:
            return self.max_tokens
        left = max(0, self.budget - used) * self.share // 100
        limit = self.min_tokens
        while limit * 2 <= min(left, self.max_tokens):
            limit *= 2
        return limit


def _short(block: Block, limit: int, inputs: Inputs) -> Block:
    if not block.results:
        return block
    block = without_images(block, inputs)
    count = inputs.count_in_passing
    messages = shorten_results(block, count, min_tokens=limit, max_tokens=limit)
    if messages is block.messages:
        return block
    why = f"over {limit:,} tokens a result"
    return block.lower(Fidelity.COMPACTED, messages=messages, why=why)
