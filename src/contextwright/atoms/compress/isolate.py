"""`C.isolate(policy)`: what of finished tool traces stays in sight
(message-compiler.md#isolation)."""

from itertools import groupby
from typing import ClassVar, Literal

from contextwright.atoms.execution_line import traced
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.block_texts import rewrite
from contextwright.blocks.fidelity import Fidelity
from contextwright.session.event import ToolCall
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.ranges import EVERY, Ranges
from contextwright.spec.traits import Traits
from contextwright.text.ref_notes import full_output_note

MASKED = 20
"""Tokens of a result below which a placeholder would not be shorter."""


class Isolate(Atom, frozen=True, kw_only=True):
    """Keep the trace of the running execution whole, and that of finished ones out of the way.

    An execution is an invocation where events name theirs, with those that it started in between,
    else a turn. What the user said, what
    was concluded, and executions that failed and were not made good stay as they are.

    Args:
        policy: `boundary`: of a finished execution stay its conclusion and a record of its trace,
            a line a call: its arguments, and the values that it gave;
            `masking`: reasoning and calls stay, results become placeholders; `transparent`:
            everything stays.
    """

    word: ClassVar[str] = "isolate"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS
    ranges: ClassVar[Ranges] = {"policy": EVERY}

    policy: Literal["boundary", "masking", "transparent"] = "boundary"

    @property
    def traits(self) -> Traits:
        """An execution at a time."""
        return Traits(view="turn", keeps_running=True, notable=True)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks, finished traces isolated."""
        if self.policy == "transparent":
            return blocks
        running = _running_start(blocks, inputs)
        out: list[Block] = []
        for turn, group in groupby(blocks, key=lambda block: block.turn):
            exchanges = tuple(group)
            if turn < 0 or turn >= inputs.snapshot.turn:
                out += exchanges
            else:
                out += self._isolated(exchanges, running, inputs)
        return tuple(out)

    def _isolated(self, blocks: Blocks, running: int, inputs: Inputs) -> Blocks:
        free = inputs.protection.may_change
        open_ = [free(block) and block.order < running for block in blocks]
        if self.policy == "masking":
            key = ("masked", inputs.counter_id)
            plain = inputs.memo.map(key, blocks, lambda block: masked(block, inputs))
            pairs = zip(blocks, plain, open_, strict=True)
            return tuple(hidden if free else block for block, hidden, free in pairs)
        out: list[Block] = []
        for free, group in groupby(zip(blocks, open_, strict=True), key=lambda pair: pair[1]):
            trace = tuple(block for block, _ in group)
            out += traced(trace, inputs) if free else trace
        return tuple(out)


def masked(block: Block, inputs: Inputs) -> Block:
    """A block whose results are placeholders that say where they are."""

    def on_result(text: str, call: ToolCall, ref: str) -> str:
        tokens = inputs.count(text)
        short = full_output_note(ref, tokens)
        return short if tokens > MASKED and inputs.count(short) < tokens else text

    if block.fidelity is Fidelity.PLACEHOLDER:
        return block
    messages = rewrite(block, on_result=on_result)
    if messages is block.messages:
        return block
    return block.lower(Fidelity.PLACEHOLDER, messages=messages, why="masked, of a finished turn")


def _running_start(blocks: Blocks, inputs: Inputs) -> int:
    """The first exchange of the running invocation; all behind it is a part of that, what an agent
    did that it called included. Behind the last where events name no invocation."""
    snapshot = inputs.snapshot
    running = snapshot.log[snapshot.position - 1].invocation if snapshot.position else ""
    if running:
        for block in blocks:
            event = snapshot.event(block.id)
            if event is not None and event.invocation == running:
                return block.order
    return snapshot.exchange_count
