"""`C.sliding(...)`: the first exchanges, the newest, and the most salient in between
(cooling-and-forgetting.md#sliding-window)."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, ClassVar

from contextwright.atoms.select.salient import SALIENT, with_their_turns
from contextwright.blocks.block import Block, Blocks
from contextwright.errors import SpecError, is_number
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Traits

STEP = 10
"""A tenth of what the sinks leave goes at once (cooling-and-forgetting.md#sliding-window), so that
the prefix keeps its bytes until that much has come."""

REMEMBERED = 8
"""Steps that are remembered: those of a few terms, and of a replay."""


class Sliding(Atom, frozen=True, kw_only=True):
    """A window in tokens: a model reads worst without the first tokens (attention sinks,
    StreamingLLM) and needs the newest (working memory); of what stands between, the least salient
    exchanges leave, whole.

    Nothing leaves while all fit. Then the least salient leave in steps of a tenth of the window,
    chosen as of the exchange at which the step came due: in between nothing else moves. What is
    chosen follows from the blocks alone, so an exchange that matters again comes back.

    Sinks and newest exchanges are whole, so they may take more than the window by themselves, as
    may what is protected (`blocks.protection`). A `C.budget` behind says what then goes. Texts
    outside the conversation pass.

    Args:
        window: tokens of all exchanges that stay.
        sinks: tokens at the beginning; the exchange in which they end stays whole. 0 for none.
        recent: tokens at the end, of whole exchanges; the newest stays in any case.

    Raises:
        SpecError: sinks and recent do not leave room in the window.
    """

    word: ClassVar[str] = "sliding"
    kind: ClassVar[Kind] = Kind.REFINER
    verb: ClassVar[Verb] = Verb.SELECT

    window: int = 4096
    sinks: int = 4
    recent: int = 1024

    def __post_init__(self) -> None:
        form = "C.sliding(window={}, sinks={}, recent={})"
        refuse_tight(self.window, self.sinks, self.recent, where=repr(self), form=form)

    @property
    def traits(self) -> Traits:
        """A window in tokens."""
        return Traits(bounded=True)

    def over(self, inputs: Inputs) -> Blocks:
        """The whole conversation."""
        snapshot = inputs.snapshot
        return inputs.blocks(snapshot.exchanges(snapshot.preamble), "sliding")

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks within the window."""
        history = tuple(block for block in blocks if block.order >= 0)
        costs = [*map(inputs.cost, history)]
        sinks = first_of(costs, self.sinks)
        room = self.window - sum(costs[:sinks])
        step = max(1, room // STEP)
        due = _due(costs[sinks:], room, step)
        if due is None:
            return blocks
        leaving = self._left_out(history, costs, sinks, sinks + due + 1, step, inputs)
        if sum(c for b, c in zip(history, costs, strict=True) if b not in leaving) > self.window:
            # what was the newest when the step came due may be too large to stay until the next
            leaving = self._left_out(history, costs, sinks, len(history), step, inputs)
        return tuple(block for block in blocks if block not in leaving)

    def _left_out(
        self, history: Blocks, costs: list[int], sinks: int, now: int, step: int, inputs: Inputs
    ) -> frozenset[Block]:
        """What leaves of the first `now` blocks, worked out once."""
        always = frozenset(b for b in history[:now] if inputs.protection.keep_reason(b))
        table = inputs.memo.table((self, inputs.counter_id))
        # what a block costs depends on the format, not only on the counter
        key = (history[:now], always, tuple(costs[:now]))
        if key not in table:
            if len(table) > REMEMBERED:
                table.clear()
            table[key] = self._leaving(*key, sinks, step, inputs)
        return table[key]

    def _leaving(
        self,
        history: Blocks,
        always: frozenset[Block],
        costs: tuple[int, ...],
        sinks: int,
        step: int,
        inputs: Inputs,
    ) -> frozenset[Block]:
        """What leaves when the window is full, with the room of one step."""
        recent = len(history) - max(1, last_of(costs, self.recent))
        turn = max(block.turn for block in history)
        keys = with_their_turns(history, SALIENT.scores(history, inputs, turn=turn))
        middle = [place for place in range(sinks, recent) if history[place] not in always]
        over = sum(costs) - self.window + step
        return frozenset(history[place] for place in least_salient(middle, keys, costs, over))


def least_salient(
    places: Iterable[int], keys: Sequence[Any], costs: Sequence[int], over: int, *, count: int = 0
) -> set[int]:
    """The places that leave a window: the least salient, of equals the older.

    Args:
        places: those that may leave.
        keys: by place, the lower the sooner it leaves.
        costs: by place, in tokens.
        over: tokens that leave at least, if there are so many.
        count: how many leave at least.
    """
    leaving: set[int] = set()
    for place in sorted(places, key=lambda place: (keys[place], place)):
        if over <= 0 and len(leaving) >= count:
            break
        leaving.add(place)
        over -= costs[place]
    return leaving


def first_of(costs: Sequence[int], tokens: int) -> int:
    """How many of the first hold so many tokens."""
    for count, total in enumerate(accumulate(costs, initial=0)):
        if total >= tokens:
            return count
    return len(costs)


def last_of(costs: Sequence[int], tokens: int) -> int:
    """How many of the last have no more than so many tokens."""
    for count, cost in enumerate(reversed(costs)):
        tokens -= cost
        if tokens < 0:
            return count
    return len(costs)


def _due(costs: list[int], room: int, step: int) -> int | None:
    """The place at which the last step came due; None before the first."""
    due, limit = None, room
    for place, total in enumerate(accumulate(costs)):
        if total > limit:
            due = place
            limit = room + -(-(total - room) // step) * step
    return due


def refuse_tight(window: int, sinks: int, recent: int, *, where: str, form: str) -> None:
    """Refuse sinks and recent that leave no room in a window.

    Args:
        window, sinks, recent: tokens.
        where: what was given them, for the error.
        form: how sizes are given; the fix names some that fit: a quarter of the rest as recent.

    Raises:
        SpecError: as said.
    """
    numbers = all(map(is_number, (window, sinks, recent)))
    if numbers and sinks >= 0 and recent >= 0 and sinks + recent <= window:
        return
    room = max(1, window) if is_number(window) else 4096
    first = sinks if is_number(sinks) and 0 <= sinks <= room else min(4, room)
    raise SpecError(
        f"expected sinks and recent that fit, got {sinks} and {recent} tokens in a window of "
        f"{window}",
        where=where,
        fix=form.format(room, first, (room - first) // 4),
    )
