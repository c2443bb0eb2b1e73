"""What goes when a pack does not fit its layers' budgets: select, compress, drop, in the order of
context-packs.md#overflow."""

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import Layer
from contextwright.spec.inputs import Inputs
from contextwright.spec.task import Task
from contextwright.tasks.scores import query_of
from contextwright.tasks.tool_lines import without_example
from contextwright.text.cut import cut

LONG = 60
"""Tokens below which a piece of evidence or a background is not shortened any more."""
NEWEST = 2
"""Pieces of evidence that are not `older`: they stay as they are until something is dropped."""
SHARE = 3
"""A query-focused summary has a third of its text's tokens at most."""
MEMORIES = 160
"""Tokens of the one summary of all memories at most."""

Over = Callable[[Blocks], int]
Caps = Callable[[Blocks], dict[str, int]]
LayerStage = tuple[str, Callable[[Blocks], Blocks], bool]
"""Its name in the manifest, what it does, and whether it drops."""


def layer_stages(
    inputs: Inputs, caps: Caps, over: Over, drop: Callable[[Block], bool]
) -> Iterator[LayerStage]:
    """The stages, cheapest first; each acts on layers that are over what they may have.

    Args:
        caps: tokens that each shared layer may have, given what there is.
        over: tokens too many.
        drop: whether a block may be dropped.
    """
    yield "memory to summary", lambda b: _memory_summary(b, inputs, caps), False
    yield "older evidence to summary", lambda b: _evidence_summary(b, inputs, caps, over), False
    yield "tool examples", lambda b: _without_examples(b), False
    yield "tighten background", lambda b: _tightened(b, inputs), False
    for layer, key in _DROPS.items():
        yield f"drop {layer.label}", _dropper(layer, key, inputs, caps, over, drop), True
    for layer, key in _DROPS.items():
        yield f"drop {layer.label}", _dropper(layer, key, inputs, None, over, drop), True


def _memory_drop(block: Block) -> tuple[Any, ...]:
    return (block.source == "working_memory", block.score, block.id)


def _evidence_drop(block: Block) -> tuple[Any, ...]:
    return (block.score, block.turn)


def _conversation_drop(block: Block) -> tuple[Any, ...]:
    """Oldest turn first; in a turn the user's words last. A summary of what was before goes
    after all turns that may go: it is short and stands for the oldest."""
    if block.order < 0:
        return (1, 0, 0, 0)
    return (0, block.turn, int(block.role == "user"), block.order)


_DROPS: dict[Layer, Callable[[Block], tuple[Any, ...]]] = {
    Layer.MEMORY: _memory_drop,
    Layer.EVIDENCE: _evidence_drop,
    Layer.CONVERSATION: _conversation_drop,
}
"""Layers in the order in which they give way, and what of each goes first. Python's sort is
stable: of equal evidence the one that stands first, which is the oldest."""


def drop_key(block: Block) -> tuple[Any, ...]:
    """Where a block stands in the order in which a pack lets go; what never goes stands last."""
    layers = list(_DROPS)
    if block.layer not in _DROPS:
        return (len(layers),)
    return (layers.index(block.layer), *_DROPS[block.layer](block))


def _dropper(
    layer: Layer,
    key: Callable[[Block], tuple[Any, ...]],
    inputs: Inputs,
    caps: Caps | None,
    over: Over,
    drop: Callable[[Block], bool],
) -> Callable[[Blocks], Blocks]:
    """Drops of a layer until all fits; with `caps`, no further than what the layer may have."""

    def dropped(blocks: Blocks) -> Blocks:
        layer_blocks = [block for block in blocks if block.layer is layer]
        spare = sum(map(inputs.cost, layer_blocks)) - (caps(blocks)[layer.label] if caps else 0)
        excess, drops = over(blocks), set[Block]()
        for block in sorted(filter(drop, layer_blocks), key=key):
            if excess <= 0 or spare <= 0:
                break
            drops.add(block)
            excess -= inputs.cost(block)
            spare -= inputs.cost(block)
        return tuple(block for block in blocks if block not in drops)

    return dropped


def _memory_summary(blocks: Blocks, inputs: Inputs, caps: Caps) -> Blocks:
    """All memories as one summary for the step, where the layer is over what it may have."""
    memories = tuple(b for b in blocks if b.layer is Layer.MEMORY and b.source != "working_memory")
    memories = tuple(b for b in memories if b.tier != 1)
    others = [b for b in blocks if b.layer is Layer.MEMORY and b not in set(memories)]
    need = sum(map(inputs.cost, memories))
    cap = max(0, caps(blocks)["memory"] - sum(map(inputs.cost, others)))
    room = min(MEMORIES, cap * 9 // 10)
    if len(memories) < 2 or need <= cap or room < 20:
        return blocks
    text = _summary(memories, room, inputs)
    if text is None:
        return blocks
    lineage = tuple(id for block in memories for id in block.lineage)
    made = msgspec.structs.replace(
        memories[-1],
        id=f"summary:memory/{memories[0].id}",
        source="summary:memory",
        text=text,
        fidelity=Fidelity.SUMMARIZED,
        lineage=lineage,
        why=f"summary of {len(memories)} memories",
    )
    if inputs.cost(made) >= need:
        return blocks
    return tuple(
        made if block is memories[-1] else block
        for block in blocks
        if block not in set(memories[:-1])
    )


def _evidence_summary(blocks: Blocks, inputs: Inputs, caps: Caps, over: Over) -> Blocks:
    """Older evidence in fewer words, for the step; addresses stay whole."""
    evidence = [block for block in blocks if block.layer is Layer.EVIDENCE]
    if sum(map(inputs.cost, evidence)) <= caps(blocks)["evidence"]:
        return blocks
    excess, shorter = over(blocks), dict[Block, Block]()
    for block in sorted(evidence, key=_evidence_drop)[: max(0, len(evidence) - NEWEST)]:
        if excess <= 0:
            break
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
        _shorter(block, inputs, "tightened") if block.source == "background" else block
        for block in blocks
    )


def _shorter(block: Block, inputs: Inputs, why: str) -> Block:
    tokens = inputs.count(block.text)
    if tokens < LONG:
        return block
    text = _summary((block,), max(LONG // SHARE, tokens // SHARE), inputs)
    if text is None or inputs.count(text) >= tokens:
        return block
    return block.lower(Fidelity.SUMMARIZED, text=text, why=why)


def _summary(blocks: Blocks, room: int, inputs: Inputs) -> str | None:
    """A summary drawn to the step's question; None where none was prepared."""
    source = sha256(b"".join(inputs.digests(blocks))).hexdigest()
    task = Task(
        kind="summary", max_tokens=room, query=query_of(inputs), blocks=blocks, source=source
    )
    answer = inputs.ask(task)
    if answer is None or not str(answer.value).strip():
        return None
    return cut(str(answer.value), room, "head", inputs.count)


def needs_of(
    blocks: Blocks, cost: Callable[[Block], int], fixed: Mapping[str, int]
) -> dict[str, int]:
    """Tokens that each layer takes: the blocks', and what is not a block."""
    needs = {layer.label: 0 for layer in Layer}
    for block in blocks:
        needs[block.layer.label] += cost(block)
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
