"""A conversation brought under a number of tokens: exchanges whole or absent, the user's and the
system's words as they are."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from contextwright.adapters.wrap.talk import Outcome, outcome, read
from contextwright.adapters.wrap.water_fill import level
from contextwright.atoms.budget.budget import Budget
from contextwright.atoms.compress.cool import LEAST, How, cooled, gain, in_short
from contextwright.atoms.select.salient import SALIENT
from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.overflow import enforce_budget
from contextwright.compiler.trace import Tracer
from contextwright.engine.run_tasks import TaskGenerator
from contextwright.errors import BudgetError
from contextwright.session.session import Session
from contextwright.spec.inputs import Inputs, Memo
from contextwright.spec.task import NO_ANSWERS, Answers
from contextwright.tokens.counter import Counter

NEWEST = 3
"""Exchanges at the end that are shortened only when all before them were not enough."""
ROUNDS = 5
GRAIN = 64
"""Tokens in whose steps the room of the newest texts changes: a text that has the same room in the
next call is asked about once."""
_OURS = re.compile(r"\n?\[full output: event://[^\]\n]*\]|, full output: event://[^\s\]]+")
"""How the last stages say where the whole stands: in a session that is ours, not the agent's."""


class Cooler(msgspec.Struct, frozen=True, eq=False):
    """How a conversation is cooled.

    Args:
        limit: tokens that it may have.
        how: what is asked, and what stands behind what was shortened.
    """

    limit: int
    counter: Counter
    how: How


def cooling_talk(messages: Sequence[Any], cooler: Cooler) -> TaskGenerator[Outcome]:
    """The messages that stay, with the texts that they have then.

    First what is old is summarized, then the newest exchanges, the largest first; then the
    least salient exchanges are left out, and what must stay is cut.
    """
    talk = read(messages)
    snapshot = Session("conversation", talk.events).snapshot()
    memo, answers, count = Memo(), NO_ANSWERS, cooler.counter.count

    def inputs_with(answers: Answers) -> Inputs:
        return Inputs(
            snapshot=snapshot,
            count=count,
            cost=memo.computed("talk", lambda block: talk.cost(block, count)),
            counter_id=cooler.counter.id,
            resolve=lambda ref: None,
            now_ms=None,
            memo=memo,
            answers=answers,
        )

    inputs = inputs_with(answers)
    blocks = inputs.blocks(snapshot.exchanges(), "conversation")
    room = cooler.limit + _owed(blocks, inputs, cooler.limit)
    able = _able_to_fit(blocks, inputs, room)
    made = able
    for _ in range(ROUNDS):
        inputs = inputs_with(answers)
        made = cooled(able, inputs, room, _may(inputs), cooler.how)
        if not inputs.asked:
            made = _newest(made, inputs, cooler)
        if not inputs.asked:
            break
        answers = answers.with_((yield tuple(inputs.asked.values())))
    made = _fitted(made, inputs, cooler.limit)
    return outcome(talk, blocks, made, lambda old, new: _polished(old, new, cooler))


def _may(inputs: Inputs) -> Callable[[Block], bool]:
    newest = inputs.snapshot.exchange_count - NEWEST

    def may(block: Block) -> bool:
        if block.pinned or block.order >= newest:
            return False
        return not (block.failed and inputs.unresolved(block))

    return may


def _owed(blocks: Blocks, inputs: Inputs, limit: int) -> int:
    """Tokens that the newest exchanges give themselves: they have half of what there is beside
    the user's words, and more where nobody else needs it."""
    first = inputs.snapshot.exchange_count - NEWEST
    newest = sum(inputs.cost(b) for b in blocks if b.order >= first and not b.pinned)
    held = sum(inputs.cost(b) for b in blocks if b.pinned)
    others = sum(map(inputs.cost, blocks)) - newest
    return newest - min(newest, max(0, (limit - held) // 2, limit - others))


def _able_to_fit(blocks: Blocks, inputs: Inputs, limit: int) -> Blocks:
    """Without the least salient exchanges that would have to go however short all texts were:
    nobody is asked about what is left out."""
    may, gone = _may(inputs), set[Block]()
    saved = {block: gain(block, limit, inputs) if may(block) else 0 for block in blocks}
    over = sum(map(inputs.cost, blocks)) - sum(saved.values()) - limit
    if over <= 0:
        return blocks
    scores = SALIENT.scores(blocks, inputs)
    for place in sorted(range(len(blocks)), key=lambda place: (scores[place], place)):
        block = blocks[place]
        if over > 0 and may(block):
            gone.add(block)
            over -= inputs.cost(block) - saved[block]
    return tuple(block for block in blocks if block not in gone)


def _newest(blocks: Blocks, inputs: Inputs, cooler: Cooler) -> Blocks:
    """What was not touched yet, in short: the largest texts give first."""
    over = sum(map(inputs.cost, blocks)) - cooler.limit
    if over <= 0:
        return blocks
    may = _may(inputs)
    left = [block for block in blocks if not (block.pinned or may(block))]
    sizes: list[int] = []
    for block in left:
        in_short(block, inputs, lambda tokens: sizes.append(tokens) or 0, cooler.how, "")
    most = level(sizes, sum(sizes) - over)
    most = max(LEAST, most - most % GRAIN if most > 2 * GRAIN else most)
    why = f"over {cooler.limit} tokens"
    short = {
        block: in_short(block, inputs, lambda tokens: most * (tokens > most), cooler.how, why)
        for block in left
    }
    return tuple(short.get(block, block) for block in blocks)


def _fitted(blocks: Blocks, inputs: Inputs, limit: int) -> Blocks:
    """With as much left out as it takes; where what must stay is over the limit by itself, with
    a quarter of the limit beside it."""
    held = sum(inputs.cost(block) for block in blocks if block.pinned)
    for room in (limit, held + limit // 4, held + limit):
        try:
            budget = Budget(max_tokens=room, overflow="truncate_least_salient")
            return enforce_budget(BudgetState(room, 0, inputs, Tracer(inputs.cost)), blocks, budget)
        except BudgetError:
            continue
    return blocks


def _polished(old: str, new: str, cooler: Cooler) -> str:
    """A text whose mark, if the last stages made it, says where the agent finds the whole."""
    if not _OURS.search(new) or _OURS.search(old):
        return new
    count = cooler.counter.count
    tail = cooler.how.tail(old, "", count(old))
    bare = _OURS.sub("", new)
    marked = bare + tail
    return marked if count(marked) <= count(new) else bare or new
