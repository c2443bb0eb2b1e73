"""Words with a limit decide at a step, and what they decided holds until the next one: in between
only what is new is added at the end (rules.md#steps-down, ADR 59).

A step goes down to half of the limit, as those of a terminal. Where its place is follows from the
log (`compiler.step_places`), and what lies behind it is decided as at that place: with what had to
stay then, its ages, and what had settled.
"""

from functools import partial

import msgspec
from msgspec.structs import astuple, replace

from contextwright.blocks.block import Blocks
from contextwright.compiler.step_places import (
    LimitRule,
    LimitStep,
    joined,
    protection_then,
    snapshot_before,
    step_of,
)
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.terminal import LOW
from contextwright.spec.word_roles import Shortener


def applied(word: Atom, blocks: Blocks, inputs: Inputs) -> Blocks:
    """What a word leaves of blocks: as at its newest step, with what came since; where it knows no
    steps, or this one is not enough, as it decides now."""
    field = word.traits.stepped
    if not field or not any(block.order >= 0 for block in blocks):
        return word.apply(blocks, inputs)
    limit: int = getattr(word, field)
    costs = inputs.costs(blocks)
    if sum(costs) <= limit:
        return blocks
    fixed = sum(cost for block, cost in zip(blocks, costs, strict=True) if block.order < 0)
    standing = step_of(_rule(word, limit, inputs), fixed, inputs)
    if standing is None:
        return word.apply(blocks, inputs)
    step, spare = standing
    old = tuple(block for block in blocks if block.order < step.place)
    since = sum(cost for b, cost in zip(blocks, costs, strict=True) if b.order >= step.place)
    left = _left(replace(word, **{field: max(1, step.goal - spare)}), old, step, inputs)
    if sum(map(inputs.cost, left)) + since > step.due - spare:
        return word.apply(blocks, inputs)
    if left != old:
        inputs.stepped[word] = max(step.number, inputs.stepped.get(word, 0))
    return joined(blocks, left, step.place)


def _rule(word: Atom, limit: int, inputs: Inputs) -> LimitRule:
    least = partial(word.least, inputs=inputs) if isinstance(word, Shortener) else None
    return LimitRule(limit, LOW, word, least, word.traits.answers)


class _Left(msgspec.Struct, frozen=True, eq=False):
    """What a step left of blocks. `key` holds what it follows from."""

    key: tuple[object, ...]
    blocks: Blocks


def _left(word: Atom, old: Blocks, step: LimitStep, inputs: Inputs) -> Blocks:
    """What a word leaves of the blocks before a step, decided once, unless it asked somebody
    something."""
    then = inputs_then(step.place, inputs)
    table = inputs.memo.table(("left", word, inputs.cost_id))
    moment = then.snapshot.position, then.snapshot.state.version, inputs.now_ms
    own = inputs.agent, inputs.ports, inputs.sign, inputs.cost
    key = (old, *astuple(then.protection), *moment, *own)
    known: _Left | None = table.get("") or table.recall("", None)
    if known is not None and known.key == key:
        return known.blocks
    before = _collected(inputs)
    blocks = word.apply(old, then)
    if _collected(inputs) == before:
        table[""] = _Left(key, blocks)
    return blocks


def _collected(inputs: Inputs) -> tuple[int, ...]:
    return len(inputs.asked), len(inputs.used), len(inputs.wrote), len(inputs.notes)


def inputs_then(place: int, inputs: Inputs) -> Inputs:
    """What a compile depended on when this exchange had not begun."""
    then = snapshot_before(place, inputs.snapshot)
    protection = protection_then(then, inputs)
    return replace(inputs, snapshot=then, protection=protection, settled=then.settled)
