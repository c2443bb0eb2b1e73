"""Tokens of a request under what was decided: it grows with the exchanges that come."""

from collections.abc import Sequence

import msgspec

from contextwright.blocks.block import Block
from contextwright.compiler.steps.decide import Costs, Decisions, exchange_at
from contextwright.spec.inputs import Inputs


class Counted(msgspec.Struct):
    """Tokens of what was counted under these decisions, and how far; those of exchanges.

    Args:
        placed: the exchanges that were counted, as they stand in their places behind the note.
    """

    decisions: Decisions | None = None
    at: int = 0
    total: int = 0
    placed: list[Block] = msgspec.field(default_factory=list[Block])
    costs: Costs = msgspec.field(default_factory=Costs)


def request_tokens(
    blocks: Sequence[Block], stop: int, decisions: Decisions, inputs: Inputs, counted: Counted
) -> int:
    """Tokens of a request; costs what is new since the same decisions were counted last."""
    if counted.decisions is not decisions:
        note = decisions.plan.tokens if decisions.plan is not None else 0
        counted.decisions, counted.at = decisions, decisions.upto
        counted.placed = []
        counted.total = note + sum(
            inputs.cost(blocks[at]) for at in decisions.held if at < decisions.upto
        )
    while counted.at < stop:
        block = exchange_at(blocks, counted.at, decisions, inputs)
        counted.placed.append(block)
        counted.total += inputs.cost(block)
        counted.at += 1
    return counted.total
