"""What is told of the turns that left a pack: one summary behind the conversation
(context-packs.md#overflow)."""

from hashlib import sha256

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.blocks.ref import range_ref
from contextwright.spec.inputs import Inputs
from contextwright.spec.task import Task
from contextwright.tasks.scores import query_of
from contextwright.text.cut import cut

LEFT_TURNS = "summary:tail"
"""Source of the summary of turns that left."""
SHARE = 3
"""A query-focused summary has a third of its text's tokens at most."""
TAIL = 120
"""Tokens at most of what is told of turns that left."""
LEAST = 16
"""Tokens below which a summary says nothing."""
FORM = 40
"""Tokens that a summary's bullet and ref take at most."""


class Passed(msgspec.Struct, frozen=True):
    """Exchanges that leave as a whole, none of them looked at.

    Args:
        tokens: of all of them; 0 where there are none.
        first, last: the ids of the first event and of the last one.
        stop: the exchange behind them. turn: the first one's.
        spans: of them, neighbours as one: the place of the first, and of the one behind the last.
    """

    tokens: int = 0
    first: str = ""
    last: str = ""
    stop: int = 0
    turn: int = 0
    spans: tuple[tuple[int, int], ...] = ()


NONE_PASSED = Passed()
"""All that there is was looked at."""


class LeftTurns:
    """The turns that leave, and what is told of them: a conversation without a hole in front of
    the request.

    Attributes:
        tokens: of all that left.
    """

    def __init__(self, passed: Passed) -> None:
        self._passed = passed
        self._left: list[Block] = []
        self.tokens = passed.tokens

    def with_summary(self, blocks: Blocks, drops: list[Block], inputs: Inputs) -> Blocks:
        """The blocks with a summary of what left, behind that of what was before; where none was
        prepared, with a line that says which turns they were."""
        exchanges = [block for block in drops if block.messages]
        if not exchanges:
            return blocks
        self._left = sorted((*self._left, *exchanges), key=lambda block: block.order)
        self.tokens += sum(map(inputs.cost, exchanges))
        room = room_for_turns(self.tokens) - FORM
        left, passed = tuple(self._left), self._passed
        first = (passed.turn if passed.tokens else left[0].turn) + 1
        last = left[-1].turn + 1
        turns = f"turns {first} to {last}" if last > first else f"turn {first}"
        lineage = tuple(id for block in left for id in block.lineage if block.order >= passed.stop)
        ref = range_ref(passed.first or left[0].lineage[0], left[-1].lineage[-1])
        if passed.tokens:
            lineage = (range_ref(passed.first, passed.last), *lineage)
        made = Block(
            id=f"{LEFT_TURNS}/{left[-1].id}",
            source=LEFT_TURNS,
            layer=Layer.CONVERSATION,
            text=summary_of(left, room, inputs) or f"[{turns}: not shown]",
            cache=CacheClass.DYNAMIC,
            fidelity=Fidelity.SUMMARIZED,
            ref=ref,
            lineage=lineage,
            why=f"summary of {turns}, which left",
        )
        rest = tuple(block for block in blocks if block.source != LEFT_TURNS)
        return (*rest, made) if inputs.cost(made) < self.tokens else rest


def room_for_turns(tokens: int) -> int:
    """Tokens at most of what is told of turns of so many tokens, with its form."""
    return min(TAIL, max(LEAST, tokens // SHARE)) + FORM


def summary_of(blocks: Blocks, room: int, inputs: Inputs) -> str | None:
    """A summary drawn to the step's question; None where none was prepared."""
    source = sha256(b"".join(inputs.digests(blocks))).hexdigest()
    task = Task(
        kind="summary", max_tokens=room, query=query_of(inputs), blocks=blocks, source=source
    )
    answer = inputs.ask(task)
    if answer is None or not str(answer.value).strip():
        return None
    return cut(str(answer.value), room, "head", inputs.count)
