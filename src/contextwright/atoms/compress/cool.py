"""`C.cool()`: what is over a threshold in tokens is brought under it
(cooling-and-forgetting.md#cooled-functor): context is heat."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate, compress, repeat
from operator import sub
from typing import ClassVar

from contextwright.atoms.cooled_blocks import (
    TextCooling,
    arguments_gain,
    calls_of_events,
    cooled,
    room_of,
    shortened_tokens,
    texts_of,
)
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import Layer
from contextwright.blocks.protection import whole_of_its_own
from contextwright.errors import SpecError
from contextwright.session.event import Event, ToolCall
from contextwright.spec.inputs import Inputs
from contextwright.spec.ranges import EVERY, Ranges, ValueRange
from contextwright.spec.traits import Traits
from contextwright.spec.word_roles import Shortener
from contextwright.text.ref_notes import may_be_noted

SHARES = (4, 16)
"""A text keeps a quarter of its tokens; where that was not enough, a sixteenth."""
STEP = 4
"""Blocks that are cooled together: between two steps no block changes, so a provider's cache
keeps its prefix."""
_FRAMING = {Layer.SYSTEM, Layer.TASK, Layer.TOOLS}


class Cool(Shortener, frozen=True, kw_only=True):
    """Nothing while what stands to the left has at most `threshold` tokens. Over it, agents'
    outputs, tool results and context texts are summarized, and long arguments of calls cut, the
    oldest first, until it is under.

    Never touched: what is protected (`blocks.protection`): what the user or the system said, the
    live edge, pinned blocks, tier 1, the newest open failure of a tool. Where those alone are over
    the threshold, the rest is cooled all the same and says so; a `budget` behind it decides what
    goes.

    Args:
        threshold: tokens, as they are sent.
        model: who summarizes; empty for the engine's.
        prompt: what matters.
        steps: whether it goes down to half of the threshold at once, and leaves all as it is until
            the next step (rules.md#steps-down). What may not be cooled may be over it by itself:
            then a step comes with every half of the threshold that is new. False: as little as it
            takes, at every request.
    """

    word: ClassVar[str] = "cool"
    ranges: ClassVar[Ranges] = {
        "threshold": ValueRange(512, 32_768, log=True),
        "steps": EVERY,
    }

    threshold: int = 4096
    model: str = ""
    prompt: str = ""
    steps: bool = True

    def __post_init__(self) -> None:
        if self.threshold < 1:
            raise SpecError(
                f"threshold is {self.threshold}", where=repr(self), fix="give at least 1 token"
            )

    @property
    def traits(self) -> Traits:
        """Its steps."""
        stepped = "threshold" if self.steps else ""
        return Traits(view="least" if self.steps else "all", stepped=stepped, notable=True)

    def least(self, block: Block, inputs: Inputs) -> int:
        """A sixteenth of each text, and of each long argument, that may be cooled."""
        cost = inputs.cost(block)
        return cost - _gain(SHARES[-1], block, inputs) if _may_cool(block) else cost

    def least_of_events(self, events: Sequence[Event], inputs: Inputs) -> int | None:
        """As `least`, where none of its texts is one that may have been shortened before."""
        cost = inputs.event_cost(events) if inputs.event_cost is not None else None
        if cost is None or events[0].role != "assistant":
            return cost  # the user's words
        if any(event.is_pinned for event in events):
            return cost
        gain = arguments_gain(calls_of_events(events), SHARES[-1], inputs)
        for text in texts_of(events):
            tokens = inputs.count(text)
            if room := room_of(tokens, SHARES[-1]):
                if may_be_noted(text):
                    return None
                gain += tokens - room
        return cost - gain

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks, as many of them cooled as it takes.

        How many it takes is told from what is asked of a model, not from its answers: so the same
        blocks are cooled before and after it answered.
        """
        over = sum(inputs.costs(blocks)) - self.threshold
        if over <= 0:
            return blocks
        may = self._may(blocks, inputs)
        places = tuple(compress(range(len(blocks)), may))
        counts: list[int] = []
        before: Iterable[int] = repeat(0)
        for share in SHARES:
            if over <= 0 or not places:
                break
            gains = tuple(compress(_gains(share, blocks, inputs), may))
            sums = tuple(accumulate(map(sub, gains, before)))
            counts.append(min(len(places), (bisect_left(sums, over) // STEP + 1) * STEP))
            over -= sums[counts[-1] - 1]
            before = gains
        out = list(blocks)
        stop = 0
        for share, count in reversed([*zip(SHARES, counts, strict=False)]):
            chosen = places[stop:count]
            short = self._cooled(tuple(map(blocks.__getitem__, chosen)), share, over > 0, inputs)
            for place, block in zip(chosen, short, strict=True):
                out[place] = block
            stop = max(stop, count)
        return tuple(out)

    def shortest(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """A sixteenth of each text that may be cooled."""
        may = self._may(blocks, inputs)
        short = iter(self._cooled(tuple(compress(blocks, may)), SHARES[-1], True, inputs))
        pairs = zip(may, blocks, strict=True)
        return tuple(next(short) if free else block for free, block in pairs)

    def _may(self, blocks: Blocks, inputs: Inputs) -> bytearray:
        """Which blocks may be cooled."""
        may = bytearray(inputs.memo.column("may cool", blocks, _may_cool))
        for place in inputs.whole_places(self, blocks):
            may[place] = False
        return may

    def _cooled(self, blocks: Blocks, share: int, is_over: bool, inputs: Inputs) -> Blocks:
        """These blocks with one of `share` parts of their texts."""
        still = "; tokens over it stay: protected, or in short" if is_over else ""
        cooling = TextCooling(
            self.model, self.prompt, share, f"over {self.threshold} tokens{still}"
        )
        return tuple(cooled(blocks, cooling, inputs))


def _may_cool(block: Block) -> bool:
    """Whether nothing of its own holds a block."""
    if whole_of_its_own(block) or block.tier == 1:
        return False
    return bool(block.messages) or block.layer not in _FRAMING


def _gains(share: int, blocks: Blocks, inputs: Inputs) -> tuple[int, ...]:
    """Tokens that cooling each block to this share of its texts saves at least."""
    key = ("gain", share, inputs.counter_id)
    return inputs.memo.map(key, blocks, lambda block: _gain(share, block, inputs))


def _gain(share: int, block: Block, inputs: Inputs) -> int:
    rooms = ((tokens, room_of(tokens, share)) for tokens in shortened_tokens(block, inputs))
    calls = (part for m in block.messages for part in m.parts if isinstance(part, ToolCall))
    return sum(tokens - room for tokens, room in rooms if room) + arguments_gain(
        calls, share, inputs
    )
