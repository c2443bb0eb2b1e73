"""Use the room that the stages of a limit left: what went last comes back first.

A stage takes whole exchanges, or shortens all that is old, and may so free more than was asked.
What comes back begins at a round place of the log wherever that still fills the request, and what
comes back in short does so in a round number of tokens: while these stand, the bytes do too, as
in any step (rules.md#steps-down).
"""

from collections.abc import Container, Iterator

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.block_texts import shorten_results
from contextwright.blocks.fidelity import Fidelity
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.drop_order import DropKey
from contextwright.spec.inputs import Inputs
from contextwright.text.content_router import shorten

FULL = 85
"""Percent of a limit from which on a request counts as filled."""
GRAINS = (64, 32, 16, 8, 4, 2, 1)
"""Multiples of which the first exchange that comes back is one, if the request is full so."""
PIECES = 4
"""Exchanges that stand in short and come back in more words; of those that were dropped only the
next one, so that the conversation has no gaps."""
LEAST = 48
"""Tokens of a text below which it does not come back: it would name itself and no more."""

_Pair = tuple[Block | None, Block]
"""A block as it stands now, None where it was dropped, and as it was."""


class _Room:
    """Tokens that are free, and the blocks that took some of them."""

    def __init__(self, state: BudgetState, blocks: Blocks) -> None:
        self.inputs, self.limit = state.inputs, state.limit
        self.free = -state.over(blocks)
        self.back: dict[tuple[str, str], Block] = {}

    def is_full(self, taken: int = 0) -> bool:
        return (self.free - taken) * 100 <= (100 - FULL) * self.limit

    def needs(self, now: Block | None, block: Block) -> int:
        """Tokens that a block takes beside those of what stands for it."""
        return self.inputs.cost(block) - (self.inputs.cost(now) if now is not None else 0)

    def take(self, now: Block | None, block: Block) -> None:
        self.free -= self.needs(now, block)
        self.back[block.id, block.source] = block


def refilled(
    state: BudgetState, whole: Blocks, undropped: Blocks, blocks: Blocks, key: DropKey
) -> Blocks:
    """The blocks with more of what was dropped or shortened, as far as it fits.

    Args:
        state: the space there is.
        whole: the blocks before any stage.
        undropped: those before the first that drops; empty where none did.
        blocks: as the stages left them; they fit.
        key: what was dropped first.
    """
    room = _Room(state, blocks)
    if room.is_full():
        return blocks
    present = {(block.id, block.source): block for block in blocks}
    own = {(block.id, block.source) for block in whole}
    made = tuple(block for block in blocks if (block.id, block.source) not in own)
    summarized = {id for block in made for id in block.lineage}
    last_first = sorted(whole, key=key, reverse=True)
    pairs = [(present.get((block.id, block.source)), block) for block in last_first]
    texts = {(block.id, block.source) for block in undropped if block.order < 0}
    markers = state.markers_of_texts(whole, blocks) if texts else 0
    room.free -= markers
    _bring_back([p for p in pairs if p[0] is None and (p[1].id, p[1].source) in texts], room)
    if not room.back:
        room.free += markers
    absent = [pair for pair in pairs if pair[0] is None and pair[1].order >= 0]
    _bring_back(absent, room, summarized)
    _bring_back([pair for pair in pairs if _is_shorter(*pair)], room)
    if not room.back:
        return blocks
    standing = (room.back.get((b.id, b.source), present.get((b.id, b.source))) for b in whole)
    return (*made, *(block for block in standing if block is not None))


def _bring_back(pairs: list[_Pair], room: _Room, summarized: Container[str] = ()) -> None:
    """Blocks as they were, without gaps, as many as fit; the next one in as many words as fit,
    but for one that a summary tells."""
    fitting: list[_Pair] = []
    needed = 0
    for now, block in pairs:
        needed += room.needs(now, block)
        if needed > room.free:
            break
        fitting.append((now, block))
    chosen = _from_a_round_place(fitting, room)
    for now, block in chosen:
        room.take(now, block)
    if len(chosen) < len(fitting) or not pairs:
        return
    for now, block in pairs[len(fitting) :][: 1 if pairs[0][0] is None else PIECES]:
        if room.is_full() or (block.lineage and block.lineage[0] in summarized):
            return
        if (short := _longest(now, block, room)) is not None:
            room.take(now, short)


def _longest(now: Block | None, block: Block, room: _Room) -> Block | None:
    """The block in as many words as fit; None where it says no more so than it does now."""
    for short in _in_short(block, room):
        needed = room.needs(now, short)
        if needed <= 0:  # in fewer words it says no more either
            return None
        if needed <= room.free:
            return short
    return None


def _is_shorter(now: Block | None, block: Block) -> bool:
    """Whether it was shortened; a summary was paid for, and stays. Texts are made anew by each
    compile, so that what says the same may be another block."""
    return now not in (None, block) and now.fidelity is not Fidelity.SUMMARIZED


def _from_a_round_place(pairs: list[_Pair], room: _Room) -> list[_Pair]:
    first = min((block.order for _, block in pairs), default=0)
    for grain in GRAINS[:-1]:
        start = -(-first // grain) * grain
        chosen = [(now, block) for now, block in pairs if block.order >= start]
        if first >= 0 and room.is_full(sum(room.needs(*pair) for pair in chosen)):
            return chosen
    return pairs


def _in_short(block: Block, room: _Room) -> Iterator[Block]:
    """The block shortened by its kind of content, in fewer and fewer tokens."""
    tokens = LEAST
    while tokens < room.free // max(1, len(block.results)):
        tokens = tokens * 9 // 8
    while tokens >= LEAST:
        yield _shortened(block, tokens, room.inputs)
        tokens = tokens * 8 // 9


def _shortened(block: Block, most: int, inputs: Inputs) -> Block:
    """The block with results and texts of at most so many tokens each. Remembered: a long result
    that stands cut is offered the same places at every turn."""
    table = inputs.memo.table(("room for", most, inputs.counter_id))
    made = table.get(block)
    if made is None:
        count = inputs.count

        def on_text(text: str, ref: str) -> str:
            return shorten(text, most, count, ref=ref).text

        messages = shorten_results(block, count, min_tokens=most, max_tokens=most, on_text=on_text)
        why = f"there was room for {most} tokens each"
        made = table[block] = block.lower(Fidelity.COMPACTED, messages=messages, why=why)
    return made
