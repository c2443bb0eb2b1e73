"""The space that a request has, and how strongly each block is held in it."""

from collections.abc import Callable, Mapping
from enum import IntEnum

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.of_exchange import HISTORY
from contextwright.compiler.step_places import protection_then, snapshot_before
from contextwright.compiler.trace import Tracer
from contextwright.errors import BudgetError, SpecError
from contextwright.spec.growing import begins_with
from contextwright.spec.inputs import Inputs
from contextwright.spec.log_part import Span
from contextwright.tasks.allocation import Allocation, shared_out
from contextwright.tasks.layers import needs_of

NAMED = 5
"""Blocks that an error names: the largest, which are those to shorten."""


class Hold(IntEnum):
    """How strongly a block is held in the request."""

    NONE = 0
    RUNNING = 1
    """Of the running turn what has not settled yet: goes after all history."""
    FLOOR = 2
    """What is protected (`blocks.protection`): shortened at the very end, never dropped."""


class BudgetState(msgspec.Struct, frozen=True, eq=False):
    """The space there is.

    Args:
        limit: tokens of the whole request.
        fixed: tokens of what is not a block: instruction, tools, overheads, and what is reserved
            for turns that a provider may want between blocks, and the markers that texts share;
            bare: those without what is reserved.
        markers: tokens of the markers among what is fixed.
        allocation: what each layer may have, where the terminal shares the window out; sharing:
            what they may have of a window of so many tokens.
        parts: `fixed` by layer, then; signals: what it was shared out by.
        named, added: the limit with what others put into the request, and their tokens; 0 where
            they do not count within it.
        lines: tokens that the limit left free for lines which name what is left out; note: those
            of them in which a line tells what holds of it; gave_way: whether either had no room.
        originals: the blocks that are to be shortened; whole: those of them in front that go as a
            whole, none of them shortened by itself, and what they take; passed: what of that lies
            in front of all of them, and goes before the last of them, and its exchanges.
        keeps_summaries: whether no summary is dropped: a step goes further down than it has to.
    """

    limit: int
    fixed: int
    inputs: Inputs
    tracer: Tracer
    bare: int
    markers: int = 0
    allocation: Allocation | None = None
    sharing: Callable[[int], Allocation] | None = None
    parts: Mapping[str, int] = {}
    signals: Mapping[str, int] = {}
    named: int = 0
    added: int = 0
    lines: int = 0
    note: int = 0
    gave_way: bool = False
    originals: Blocks = ()
    whole: Blocks = ()
    whole_tokens: int = 0
    passed: int = 0
    passed_spans: tuple[Span, ...] = ()
    keeps_summaries: bool = False

    def over(self, blocks: Blocks) -> int:
        """Tokens too many; 0 or less if it fits."""
        whole, rest = self.in_two(blocks)
        tokens = sum(map(self.inputs.cost, rest)) + (self.whole_tokens if whole else 0)
        return self._fixed_for(blocks) + tokens - self.limit

    def _fixed_for(self, blocks: Blocks) -> int:
        """Tokens of what is not a block: fewer texts share fewer markers, and one that was
        shortened may part two others."""
        return self.fixed + (self.inputs.markers(blocks) - self.markers if self.markers else 0)

    def over_in_sight(self, blocks: Blocks) -> int:
        """As `over`, where what lies in front of all blocks has gone."""
        return self.over(blocks) - (self.passed if self.in_two(blocks)[0] else 0)

    def markers_of_texts(self, whole: Blocks, blocks: Blocks) -> int:
        """Tokens of markers that all texts had more than those which are left."""
        if not self.markers:
            return 0
        return max(0, self.inputs.markers(whole) - self.inputs.markers(blocks))

    def spans_in_front(self, blocks: Blocks) -> tuple[Span, ...]:
        """The exchanges that lie in front of all blocks, if they are still there."""
        return self.passed_spans if self.in_two(blocks)[0] else ()

    def in_two(self, blocks: Blocks) -> tuple[Blocks, Blocks]:
        """Those in front that go as a whole, if all of them are still there, and the others."""
        if not self.whole or not begins_with(blocks, self.whole):
            return (), blocks
        return self.whole, blocks[len(self.whole) :]

    def caps(self, blocks: Blocks) -> dict[str, int]:
        """Tokens that each shared layer may have, with what others do not need."""
        if self.allocation is None:
            raise SpecError(
                "expected a terminal with `layers`, got one that shares nothing out",
                where="ShrinkLayers",
                fix="declare `layers`, or leave the stage ShrinkLayers out",
            )
        return shared_out(self.allocation, needs_of(blocks, self.inputs.cost, self.parts))

    def too_large(self, blocks: Blocks, why: str) -> BudgetError:
        """The error that these blocks do not fit; it names the largest."""
        cost = self.inputs.cost
        largest = sorted(blocks, key=cost, reverse=True)[:NAMED]
        origins = ((one, one.role if one.source == HISTORY else one.source) for one in largest)
        named = ", ".join(f"{one.id} ({what}) {cost(one)}" for one, what in origins)
        fixed = self._fixed_for(blocks)
        need = fixed + self.added + sum(map(cost, blocks))
        others = f"{self.added} for what is put beside the messages, " if self.added else ""
        allowed, reserve = self._allowed(need)
        return BudgetError(
            f"{need} tokens must be sent and {self.named or self.limit} may be, {why}: {others}"
            f"{fixed} for the instruction, tools and overheads" + (f"; {named}" if named else ""),
            where="budget",
            fix=f"allow {allowed} tokens or more{reserve}, or shorten what is named",
        )

    def _allowed(self, need: int) -> tuple[int, str]:
        """What has to be allowed for so many tokens to be sent, and what of it stays free: of a
        window that is shared out, a part does, which grows with it."""
        shared = self.allocation
        if shared is None or self.sharing is None or self.limit != shared.limit:
            return need, ""
        while shared.limit < need:
            shared = self.sharing(shared.window + need - shared.limit)
        return shared.window, f", {shared.window - shared.limit} of which stay free"


def state_then(state: BudgetState, place: int, limit: int, tracer: Tracer) -> BudgetState:
    """The space that there was when this exchange had not begun, of a limit of so many tokens, as
    far as what stays and what has settled go by it."""
    then = snapshot_before(place, state.inputs.snapshot)
    protection = protection_then(then, state.inputs)
    inputs = msgspec.structs.replace(
        state.inputs,
        snapshot=then,
        protection=protection,
        settled=protection.settled(then),
    )
    return msgspec.structs.replace(state, limit=limit, inputs=inputs, tracer=tracer)


def hold(block: Block, inputs: Inputs) -> Hold:
    """How strongly a block is held (rules.md#what-stays)."""
    if inputs.protection.keep_reason(block):
        return Hold.FLOOR
    running = block.order >= inputs.settled
    return Hold.RUNNING if running else Hold.NONE
