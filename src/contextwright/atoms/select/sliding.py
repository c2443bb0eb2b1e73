"""`C.sliding(...)`: the first exchanges, the newest, and the most salient in between (document
004, "Sliding Window")."""

from collections.abc import Sequence
from itertools import accumulate
from typing import ClassVar

from contextwright.atoms.select.salient import SALIENT, with_their_turns
from contextwright.blocks.block import Block, Blocks
from contextwright.retrieval.sliding_window import refuse_tight
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Traits

STEP = 10
"""A tenth of what the sinks leave goes at once (document 004), so that the prefix keeps its bytes
until that much has come."""

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
        said = tuple(block for block in blocks if block.order >= 0)
        costs = [*map(inputs.cost, said)]
        sinks = _first(costs, self.sinks)
        room = self.window - sum(costs[:sinks])
        step = max(1, room // STEP)
        due = _due(costs[sinks:], room, step)
        if due is None:
            return blocks
        now = sinks + due + 1
        always = frozenset(b for b in said[:now] if inputs.protection.keep_reason(b))
        table = inputs.memo.table((self, inputs.counter_id))
        # what a block costs depends on the format, not only on the counter
        key = (said[:now], always, tuple(costs[:now]))
        if key not in table:
            if len(table) > REMEMBERED:
                table.clear()
            table[key] = self._gone(*key, sinks, step, inputs)
        gone: frozenset[Block] = table[key]
        return tuple(block for block in blocks if block not in gone)

    def _gone(
        self,
        said: Blocks,
        always: frozenset[Block],
        costs: tuple[int, ...],
        sinks: int,
        step: int,
        inputs: Inputs,
    ) -> frozenset[Block]:
        """What leaves when the window is full, with the room of one step."""
        recent = len(said) - _last(costs, self.recent)
        turn = max(block.turn for block in said)
        keys = with_their_turns(said, SALIENT.scores(said, inputs, turn=turn))
        middle = [place for place in range(sinks, recent) if said[place] not in always]
        over = sum(costs) - self.window + step
        gone: set[Block] = set()
        for place in sorted(middle, key=lambda place: (keys[place], place)):
            if over <= 0:
                break
            gone.add(said[place])
            over -= costs[place]
        return frozenset(gone)


def _first(costs: list[int], tokens: int) -> int:
    """How many of the first hold so many tokens."""
    for count, total in enumerate(accumulate(costs, initial=0)):
        if total >= tokens:
            return count
    return len(costs)


def _last(costs: Sequence[int], tokens: int) -> int:
    """How many of the last have no more than so many tokens; one at least."""
    count = 0
    for cost in reversed(costs):
        tokens -= cost
        if tokens < 0:
            break
        count += 1
    return max(1, count)


def _due(costs: list[int], room: int, step: int) -> int | None:
    """The place at which the last step came due; None before the first."""
    due, limit = None, room
    for place, total in enumerate(accumulate(costs)):
        if total > limit:
            due = place
            limit = room + -(-(total - room) // step) * step
    return due
