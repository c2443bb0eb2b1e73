"""What goes when a pack does not fit its layers' budgets: select, compress, drop, in the order of
context-packs.md#overflow."""

from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter
from typing import Any

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import Layer
from contextwright.spec.inputs import Inputs
from contextwright.tasks.left_turns import (
    FORM,
    LEAST,
    LEFT_TURNS,
    SHARE,
    LeftTurns,
    room_for_turns,
    summary_of,
)
from contextwright.tasks.proofs import essential
from contextwright.tasks.tool_lines import without_example

LONG = 60
"""Tokens below which a piece of evidence or a background is not shortened any more."""
NEWEST = 2
"""Pieces of evidence that are not `older`: they stay as they are until something is dropped."""
MEMORIES = 160
"""Tokens of the one summary of memories at most."""
Over = Callable[[Blocks], int]
Caps = Callable[[Blocks], dict[str, int]]
LayerStage = tuple[str, Callable[[Blocks], Blocks], bool]
"""Its name in the manifest, what it does, and whether it drops."""
DropKey = Callable[[Block], tuple[Any, ...]]


class _Space(msgspec.Struct, frozen=True, eq=False):
    """What is too much.

    Args:
        over: tokens that the request has too many.
        caps: tokens that each shared layer may have; None where only the request counts.
    """

    inputs: Inputs
    over: Over
    caps: Caps | None

    def excess(self, layer: Layer, blocks: Blocks) -> int:
        """Tokens that a layer has to give: no more than the request has too many."""
        over = self.over(blocks)
        if over <= 0 or self.caps is None:
            return over
        taken = sum(self.inputs.cost(block) for block in blocks if block.layer is layer)
        return min(over, taken - self.caps(blocks)[layer.label])


def layer_stages(
    inputs: Inputs,
    caps: Caps,
    over: Over,
    drop: Callable[[Block], bool],
    turns: LeftTurns,
) -> Iterator[LayerStage]:
    """The stages, cheapest first: first what layers have beyond their shares, then what there is.
    Nothing is dropped before all is as short as it may be.

    Args:
        caps: tokens that each shared layer may have, given what there is.
        over: tokens too many.
        drop: whether a block may be dropped.
        turns: those that leave, and what left before all of this.
    """
    shared, whole = _Space(inputs, over, caps), _Space(inputs, over, None)
    memories = _Memories()
    yield "memory to summary", lambda b: memories.shorter(b, shared), False
    yield "older evidence to summary", lambda b: _evidence_summary(b, shared), False
    yield "more memory to summary", lambda b: memories.shorter(b, whole), False
    yield "all older evidence to summary", lambda b: _evidence_summary(b, whole), False
    yield "tool examples", _without_examples, False
    yield "tighten background", lambda b: _tightened(b, inputs), False
    for rank, layer in _DROPS[:_SHARED_DROPS]:
        yield f"drop {layer.label}", _dropper(rank, layer, shared, drop, turns), True
    for rank, layer in _DROPS:
        if rank == _SHARED_DROPS:
            yield "evidence to summary", lambda b: _evidence_summary(b, whole, newest=0), False
        yield f"drop {layer.label}", _dropper(rank, layer, whole, drop, turns), True


_DROPS = (
    (0, Layer.MEMORY),
    (1, Layer.EVIDENCE),
    (2, Layer.CONVERSATION),
    (3, Layer.EVIDENCE),
    (4, Layer.CONVERSATION),
)
"""Layers in the order in which they give way; last what the checklist can not do without, and what
is told of turns that left."""
_SHARED_DROPS = 3
"""Of those, what goes beyond a layer's share."""


def drop_key_in(blocks: Blocks, inputs: Inputs) -> DropKey:
    """Where a block stands in the order in which a pack lets go; what never goes stands last.

    Memories by their score, working notes behind them; evidence by what it covers; of the
    conversation the oldest turn, in it the user's words last; a summary behind all turns that may
    go: it is short and stands for the oldest. Python's sort is stable: of equal evidence the one
    that stands first, which is the oldest.
    """
    proofs = essential(blocks, inputs.snapshot.state)

    def key(block: Block) -> tuple[Any, ...]:
        if block.layer is Layer.MEMORY:
            return (0, block.source == "working_memory", block.score, block.id)
        if block.layer is Layer.EVIDENCE:
            return (3 if block in proofs else 1, block.score, block.turn)
        if block.layer is Layer.CONVERSATION:
            rank = 4 if block.source == LEFT_TURNS else 2
            return (rank, block.order < 0, block.turn, block.by_user, block.order)
        return (len(_DROPS),)

    return key


def _dropper(
    rank: int, layer: Layer, space: _Space, drop: Callable[[Block], bool], turns: LeftTurns
) -> Callable[[Blocks], Blocks]:
    """Drops of one rank until all fits, or until the layer has no more than its share."""

    def dropped(blocks: Blocks) -> Blocks:
        excess, left = space.excess(layer, blocks), turns.tokens
        if excess + (room_for_turns(left) if rank == 2 and left else 0) <= 0:
            return blocks
        inputs = space.inputs
        key, cost = drop_key_in(blocks, inputs), inputs.cost
        sections = inputs.section_costs(blocks)
        keyed = ((key(block), block) for block in blocks if block.layer is layer)
        going = [each for each in keyed if each[0][0] == rank and drop(each[1])]
        drops: list[Block] = []
        for _, block in sorted(going, key=itemgetter(0)):
            if excess + (room_for_turns(left) if rank == 2 and left else 0) <= 0:
                break
            drops.append(block)
            excess -= sections.leave(block)
            left += cost(block) if block.messages else 0
        leaving = set(drops)
        rest = tuple(block for block in blocks if block not in leaving)
        return turns.with_summary(rest, drops, inputs) if rank == 2 else rest

    return dropped


class _Memories:
    """The memories that say least as one summary, as many of them as it takes: the best stay as
    they are, and the summary is the first to go."""

    def __init__(self) -> None:
        self._whole: Blocks | None = None

    def shorter(self, blocks: Blocks, space: _Space) -> Blocks:
        """The blocks with fewer memories beside one summary, or as they are where that is no
        gain, or none was prepared."""
        inputs, whole = space.inputs, self._whole or blocks
        self._whole = whole
        if not any(block.layer is Layer.MEMORY for block in whole):
            return blocks
        rest = [block for block in blocks if not _is_memory(block)]
        memories = sorted(filter(_is_memory, whole), key=drop_key_in(whole, inputs))
        excess = space.excess(Layer.MEMORY, (*rest, *memories))
        tokens, count = 0, 0
        while count < len(memories) and (excess > 0 or 0 < count < 2):
            cost = inputs.cost(memories[count])
            before, tokens, count = _room(tokens), tokens + cost, count + 1
            excess -= cost - (_room(tokens) - before)
        if count < 2:
            return blocks
        made = _memory_summary(tuple(memories[:count]), _room(tokens) - FORM, inputs)
        if made is None or inputs.cost(made) >= tokens:
            return blocks
        if made.id in {block.id for block in rest}:  # a word summarized the same memories
            made = msgspec.structs.replace(made, id=f"{made.id}~2")
        stay = set(memories[count:])
        best = tuple(block for block in whole if block in stay)
        place = min(n for n, block in enumerate(blocks) if _is_memory(block))
        return (*blocks[:place], *_others(blocks[place:], made, best))


def _others(blocks: Blocks, made: Block, best: Blocks) -> Blocks:
    """The summary and the memories beside it in the place of the memories before."""
    return (made, *best, *(block for block in blocks if not _is_memory(block)))


def _is_memory(block: Block) -> bool:
    notes = block.source == "working_memory"
    return block.layer is Layer.MEMORY and not notes and block.tier != 1 and not block.pinned


def _room(tokens: int) -> int:
    """Tokens at most of a summary of memories of so many tokens, with its form."""
    return min(MEMORIES, max(LEAST, tokens // SHARE)) + FORM if tokens else 0


def _memory_summary(memories: Blocks, room: int, inputs: Inputs) -> Block | None:
    text = summary_of(memories, room, inputs)
    if text is None:
        return None
    return msgspec.structs.replace(
        memories[-1],
        id=f"summary:memory/{memories[-1].id}",
        source="summary:memory",
        text=text,
        score=memories[-1].score,
        fidelity=Fidelity.SUMMARIZED,
        lineage=tuple(id for block in memories for id in block.lineage),
        why=f"summary of the {len(memories)} memories with the lowest scores",
    )


def _evidence_summary(blocks: Blocks, space: _Space, *, newest: int = NEWEST) -> Blocks:
    """Older evidence in fewer words, for the step; addresses stay whole."""
    evidence = [block for block in blocks if block.layer is Layer.EVIDENCE]
    if len(evidence) <= newest:
        return blocks
    inputs, excess, shorter = space.inputs, space.excess(Layer.EVIDENCE, blocks), {}
    ordered = sorted(evidence, key=drop_key_in(blocks, inputs))
    for block in ordered[: len(evidence) - newest]:
        if excess <= 0:
            break
        if block.fidelity <= Fidelity.SUMMARIZED:
            continue
        shorter[block] = _shorter(block, inputs, "older evidence")
        excess -= inputs.cost(block) - inputs.cost(shorter[block])
    return tuple(shorter.get(block, block) for block in blocks)


def _without_examples(blocks: Blocks) -> Blocks:
    def plain(block: Block) -> Block:
        text = without_example(block.text) if block.layer is Layer.TOOLS else block.text
        if text == block.text:
            return block
        return block.lower(Fidelity.TRUNCATED, text=text, why="examples of tools go first")

    return tuple(map(plain, blocks))


def _tightened(blocks: Blocks, inputs: Inputs) -> Blocks:
    return tuple(
        _shorter(block, inputs, "tightened") if _is_background(block) else block for block in blocks
    )


def _is_background(block: Block) -> bool:
    """Whether a block is the step's background, or the summary of the conversation before."""
    return block.source == "background" or (block.layer is Layer.CONVERSATION and block.is_summary)


def _shorter(block: Block, inputs: Inputs, why: str) -> Block:
    tokens = inputs.count(block.text)
    if tokens < LONG:
        return block
    text = summary_of((block,), max(LONG // SHARE, tokens // SHARE), inputs)
    if text is None or inputs.count(text) >= tokens:
        return block
    return block.lower(Fidelity.SUMMARIZED, text=text, why=why)


def needs_of(
    blocks: Blocks, cost: Callable[[Block], int], fixed: Mapping[str, int]
) -> dict[str, int]:
    """Tokens that each layer takes: the blocks', and what is not a block."""
    taken = dict.fromkeys(Layer, 0)
    for block in blocks:
        taken[block.layer] += cost(block)
    needs = {layer.label: tokens for layer, tokens in taken.items()}
    for name, tokens in fixed.items():
        needs[name] = needs.get(name, 0) + tokens
    return needs


def least_needs(
    blocks: Blocks, cost: Callable[[Block], int], fixed: Mapping[str, int]
) -> dict[str, int]:
    """Tokens that each layer takes once examples of tools went and the background is short."""
    needs = needs_of(_without_examples(blocks), cost, fixed)
    long = [cost(b) for b in blocks if b.source == "background" and cost(b) > LONG]
    return needs | {"task": needs["task"] - sum(tokens - tokens // SHARE for tokens in long)}
