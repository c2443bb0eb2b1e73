"""Words that look at each exchange alone, in front of one that asks for more: what they make of the
conversation is followed as the log itself is (`compiler.mapped_log`)."""

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.change import Change
from contextwright.compiler.mapped_log import front_words, mapped_at
from contextwright.compiler.stood_for import is_within
from contextwright.compiler.trace_findings import Findings
from contextwright.spec.expr import Atom, Expr
from contextwright.spec.inputs import Inputs
from contextwright.spec.word_roles import Abstract, Guard

if TYPE_CHECKING:
    from contextwright.compiler.trace import Tracer


def front_of(steps: Sequence[Atom]) -> tuple[Atom, ...]:
    """The steps in front of the first that does not look at each exchange alone; none where there
    is no such step."""
    maps = [step.traits.maps and not isinstance(step, Guard) for step in steps]
    return tuple(steps[: maps.index(False)]) if False in maps else ()


def behind_front(front: tuple[Atom, ...], head: Expr | None, inputs: Inputs) -> Inputs:
    """The inputs of the step behind words that look at each exchange alone, where they were given
    the conversation as it is."""
    if not front or not (head is None or (isinstance(head, Atom) and head.traits.whole)):
        return inputs
    ground = msgspec.structs.replace(inputs, mapping=(*inputs.guards, *front))
    return msgspec.structs.replace(inputs, in_front=front_words(ground))


def record_front(
    front: tuple[Atom, ...], blocks: Blocks, inputs: Inputs, tracer: "Tracer"
) -> Blocks:
    """What the words make of blocks, written down."""
    for word in front:
        blocks = tracer.record(repr(word), blocks, word.apply(blocks, inputs))
    return blocks


def in_order_of(front: tuple[Atom, ...], changes: list[Change]) -> list[Change]:
    """Changes of two parts of the conversation as those of one: what words in front made of either
    first."""
    places = {repr(word): place for place, word in enumerate(front)}
    return sorted(changes, key=lambda change: places.get(change.step, len(places)))


def without_merged(findings: Findings) -> Findings:
    """Of the exchanges that one summary stands for only that is told, from what they took at
    first: so a receipt does not grow with what it stands for."""
    summaries = [one for one in findings.changes if one.action == "summarized"]
    if len(summaries) != 1:
        return findings
    spans, orders = findings.summarized, findings.orders
    saved, changes = 0, list[Change]()
    for change in findings.changes:
        if change.action != "summarized" and is_within(orders[change.id], spans):
            saved += change.tokens_before - change.tokens_after
        else:
            changes.append(change)
    [summary] = summaries
    tokens = summary.tokens_before + saved
    changes[changes.index(summary)] = msgspec.structs.replace(summary, tokens_before=tokens)
    return msgspec.structs.replace(findings, changes=tuple(changes))


def made_to_fit(
    logged: Blocks, word: Abstract, tokens: int, inputs: Inputs, then: Inputs
) -> Blocks:
    """What a word leaves of exchanges of which the oldest stay that fit in so many tokens, beside
    those that must; of what can not fit, whatever it leaves of that, nothing is made.

    Args:
        logged: they, as the log has them.
        then: what it is decided with which of them fit.
    """
    stays, stands, cost = then.protection.keep_reason, inputs.protection.keep_reason, inputs.cost
    # what may not go comes back as the words leave it
    held = {b.order: mapped_at(b.order, inputs) for b in logged if stays(b) or stands(b)}
    staying = (held[block.order] for block in logged if stays(block))
    room = tokens - sum(map(cost, chain.from_iterable(staying)))
    made: list[Block] = []
    for block in logged:
        blocks = held.get(block.order)
        if blocks is None:
            if cost(block) > room and cost(word.least_of(block, inputs)) > room:
                made.append(block)
                continue
            blocks = mapped_at(block.order, inputs)
        made += blocks
        if not stays(block) and (taken := sum(map(cost, blocks))) <= room:
            room -= taken
    return tuple(made)
