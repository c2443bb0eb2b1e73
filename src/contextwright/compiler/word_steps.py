"""Words with a limit decide at a step, and what they decided holds until the next one: in between
only what is new is added at the end (rules.md#steps-down, ADR 59).

A step goes down to half of the limit, as those of a terminal. Where its place is follows from the
log (`compiler.step_places`), and what lies behind it is decided as at that place: with what had to
stay then, its ages, and what had settled.
"""

import msgspec
from msgspec.structs import astuple, replace

from contextwright.blocks.block import Blocks
from contextwright.compiler.step_places import (
    LimitStep,
    inputs_then,
    joined,
    least_of,
    rule_of,
    step_of,
)
from contextwright.compiler.token_sums import SOURCE, tokens_between
from contextwright.compiler.word_left import collected
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.task import TakenAnswers
from contextwright.spec.word_roles import Shortener


def applied(word: Atom, blocks: Blocks, inputs: Inputs) -> Blocks:
    """What a word leaves of blocks: as at its newest step, with what came since; where it knows no
    steps, or this one is not enough, as it decides now."""
    field = word.traits.stepped
    if not field or not any(block.order >= 0 for block in blocks):
        return word.apply(blocks, inputs)
    limit: int = getattr(word, field)
    costs = inputs.costs(blocks)
    total = sum(costs)
    fixed = sum([cost for block, cost in zip(blocks, costs, strict=True) if block.order < 0])
    standing = step_of(rule_of(word, limit, inputs), fixed, inputs) if total > limit else None
    if isinstance(word, Shortener) and _is_whole(blocks, inputs):
        step = standing[0] if standing is not None else None
        if step is not None and step.is_passed and _is_logged(blocks, inputs):
            if _shortens(word, step, inputs):
                inputs.stepped[word] = max(step.number, inputs.stepped.get(word, 0))
            return _shortest(word, blocks, step, inputs)
        inputs.unsure(word.word)  # it goes by the tokens of all
    if total <= limit:
        return blocks
    if standing is None:
        return word.apply(blocks, inputs)
    step, spare = standing
    old = tuple([block for block in blocks if block.order < step.place])
    since = sum([cost for b, cost in zip(blocks, costs, strict=True) if b.order >= step.place])
    left = _left(replace(word, **{field: max(1, step.goal - spare)}), old, step, inputs)
    if sum(map(inputs.cost, left)) + since > step.due - spare:
        return word.apply(blocks, inputs)
    if left != old:
        inputs.stepped[word] = max(step.number, inputs.stepped.get(word, 0))
    return joined(blocks, left, step.place)


def _is_whole(blocks: Blocks, inputs: Inputs) -> bool:
    """Whether these are all exchanges of the conversation from where the compile looks."""
    snapshot = inputs.snapshot
    start = max(inputs.start, snapshot.preamble)
    places = [block.order for block in blocks if block.order >= start]
    return len(places) == snapshot.exchange_count - start


def _is_logged(blocks: Blocks, inputs: Inputs) -> bool:
    """Whether what lies before them is the conversation's too: looked at from further on, a window
    may begin there by itself."""
    return inputs.start <= inputs.snapshot.preamble or all(
        block.source == SOURCE for block in blocks if block.order >= 0
    )


def _shortens(word: Shortener, step: LimitStep, inputs: Inputs) -> bool:
    """Whether a step leaves less of anything before it, whatever of that is looked at."""
    first, rule = inputs.snapshot.preamble, rule_of(word, 0, inputs)
    return least_of(rule, first, step.place, inputs) < tokens_between(first, step.place, inputs)


def _shortest(word: Shortener, blocks: Blocks, step: LimitStep, inputs: Inputs) -> Blocks:
    """As a step leaves them that is over the limit with the least of everything: so it is of all
    that was before it, whatever of that is looked at."""
    old = tuple([block for block in blocks if block.order < step.place])
    return joined(blocks, word.shortest(old, inputs_then(step.place, inputs)), step.place)


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
    known: _Left | None = table.known("")
    if known is not None and known.key == key:
        return known.blocks
    before, used = collected(inputs), TakenAnswers()
    blocks = word.apply(old, replace(then, used=used))
    inputs.used.update(used)
    if collected(inputs) == before and not used:
        table[""] = _Left(key, blocks)
    return blocks
