"""Words that look at each exchange alone, in front of one that asks for more: what they make of the
conversation is followed as the log itself is (`compiler.mapped_log`)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from contextwright.blocks.block import Blocks
from contextwright.compiler.change import Change
from contextwright.compiler.mapped_log import front_words
from contextwright.compiler.stood_for import is_within
from contextwright.compiler.trace_findings import Findings
from contextwright.spec.expr import Atom, Expr
from contextwright.spec.inputs import Inputs
from contextwright.spec.word_roles import Guard

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
