"""`C.sliding(...)`: the first exchanges, the newest, and the most salient in between
(cooling-and-forgetting.md#sliding-window)."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from heapq import nlargest
from itertools import accumulate, compress
from typing import Any, ClassVar
from weakref import ref

from contextwright.atoms.select.salient import SALIENT, with_their_turns
from contextwright.blocks.block import Block, Blocks
from contextwright.errors import SpecError, is_number
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.log_part import front_tokens
from contextwright.spec.logged_prefix import PLACE
from contextwright.spec.ranges import Ranges, ValueRange
from contextwright.spec.traits import Traits
from contextwright.spec.word_roles import DividedLog, OfLog

STEP = 2
"""A half of what the sinks leave goes at once, so that the prefix keeps its bytes until that much
has come. Of a tenth, as it was described first, each result is larger, and an agent's loop cost
more than sending everything (ADR 44)."""

REACH = 12
"""Windows after which what is weighed begins anew: of what stands between, that of the newest
twelve to twenty-four may stay. So a step costs as much in a long session as in a short one."""
PLACE_BITS = 32
"""Of a key with its place behind it: more places than there are."""
AT_ONCE = 256
"""Blocks that are looked for first where the most salient stay."""


class Sliding(DividedLog, frozen=True, kw_only=True):
    """A window in tokens: a model reads worst without the first tokens (attention sinks,
    StreamingLLM) and needs the newest (working memory); of what stands between, the least salient
    exchanges leave, whole, and those that are dozens of windows old.

    Nothing leaves while all fit. Then the least salient leave in steps of a half of the window,
    chosen as of the exchange at which the step came due: in between nothing else moves. What is
    chosen follows from the blocks alone, so an exchange that matters again comes back.

    Sinks and newest exchanges are whole, so they may take more than the window by themselves, as
    may what is protected (`blocks.protection`). A `C.budget` behind says what then goes. Texts
    outside the conversation pass. What holds of what left is told beside the window, in up to 40
    percent of it and 2,400 tokens (rules.md#left-out).

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
    divides: ClassVar[str] = "sliding"
    chooses: ClassVar[bool] = True
    ranges: ClassVar[Ranges] = {
        "window": ValueRange(50, 100, of_budget=True),
        "sinks": ValueRange(1, 16),
        "recent": ValueRange(5, 45, of_budget=True),
    }

    window: int = 4096
    sinks: int = 4
    recent: int = 1024

    def __post_init__(self) -> None:
        form = "C.sliding(window={}, sinks={}, recent={})"
        refuse_tight(self.window, self.sinks, self.recent, where=repr(self), form=form)

    @property
    def traits(self) -> Traits:
        """A window in tokens."""
        return Traits(bounded=True, notable=True, window=self.window)

    def over(self, inputs: Inputs) -> Blocks:
        """The whole conversation."""
        snapshot = inputs.snapshot
        return inputs.blocks(snapshot.exchanges(snapshot.preamble), "sliding")

    def divides_at(self, inputs: Inputs, tokens: Callable[[int], int]) -> int:
        """Behind the exchange at which the newest step came due."""
        snapshot = inputs.snapshot
        first, last = snapshot.preamble, snapshot.exchange_count - 1
        if last <= first:
            return 0
        newest = inputs.cleaned(inputs.blocks(snapshot.exchanges(last), "sliding"))
        sinks = self._behind_sinks(first, last, tokens)
        over = tokens(last) + sum(map(inputs.cost, newest)) - self.window
        if over <= 0:
            return 0
        step = self._step(tokens(sinks))
        due = self.window + (over - 1) // step * step
        return bisect_right(range(sinks, last), due, key=lambda at: tokens(at + 1)) + sinks + 1

    def front_of_log(
        self, stop: int, source: str, inputs: Inputs, tokens: Callable[[int], int]
    ) -> OfLog:
        """What stays when the window is full; of an exchange that is no longer weighed its place
        and its tokens tell."""
        first, log = inputs.snapshot.preamble, inputs.snapshot.log
        sinks = self._behind_sinks(first, stop, tokens)
        if sinks == stop:  # they have no end yet
            return OfLog(inputs.blocks(inputs.snapshot.exchanges(first, stop), source))
        inputs.stepped[self] = (tokens(stop) - self.window - 1) // self._step(tokens(sinks)) + 1
        held = inputs.held_within(first, stop)
        since, seen = (ref(log), log.joins), (stop, held)
        when = "now" if stop == inputs.snapshot.exchange_count else "due"
        with inputs.memo.growing((when, self, source, inputs.cost_id), _FrontOfLog) as front:
            if stop > inputs.settled or (front.since, front.seen) != (since, seen):
                far = self._far(sinks, stop, tokens, inputs)
                near = front.near_from(far, stop, since, source, inputs)
                front.made = self._front(near, sinks, held, source, when, inputs, tokens)
                front.seen = seen
            return front.made

    def _behind_sinks(self, first: int, stop: int, tokens: Callable[[int], int]) -> int:
        """The exchange behind the sinks: they are few."""
        return next((at for at in range(first, stop) if tokens(at) >= self.sinks), stop)

    def _step(self, sinks: int) -> int:
        """Tokens that leave at once, of a window whose sinks take so many."""
        return max(1, (self.window - sinks) // STEP)

    def _recent(self, stop: int, tokens: Callable[[int], int], inputs: Inputs) -> int:
        """The first exchange that stays whole as one of the newest."""
        first = inputs.snapshot.preamble
        recent = bisect_left(range(first, stop), tokens(stop) - self.recent, key=tokens) + first
        return min(stop - 1, recent)

    def _far(self, sinks: int, stop: int, tokens: Callable[[int], int], inputs: Inputs) -> int:
        """The first exchange that is weighed: as `_too_far` has it."""
        far, span, before = sinks, REACH * self.window, tokens(sinks)
        if tokens(stop) >= 2 * span:
            front = front_tokens(tokens(stop) - before, span) + before
            far += bisect_right(range(sinks, stop), front, key=lambda at: tokens(at + 1))
        return min(far, self._recent(stop, tokens, inputs))

    def _front(
        self,
        near: Blocks,
        sinks: int,
        held: list[int],
        source: str,
        when: str,
        inputs: Inputs,
        tokens: Callable[[int], int],
    ) -> OfLog:
        snapshot, far, stop = inputs.snapshot, near[0].order, near[-1].order + 1
        recent = self._recent(stop, tokens, inputs)
        turn = max(block.turn for block in near)
        scores = SALIENT.scores(near, inputs, when, turn=turn)
        keys, costs = with_their_turns(near, scores), inputs.costs(near)
        front = range(snapshot.preamble, min(sinks, far))
        older = [*front, *(at for at in held if sinks <= at < far)]
        stays = inputs.blocks(snapshot.exchanges_at(older), source)
        whole = (*held, *range(far, sinks), *range(recent, stop))
        places = {at - far for at in whole if at >= far}
        room = self.window - self._step(tokens(sinks)) - sum(map(inputs.cost, stays))
        room -= sum(costs[at] for at in places)
        weighed = [at for at in range(recent - far) if at not in places]
        places.update(most_salient(weighed, keys, costs, room))
        return OfLog((*stays, *(near[at] for at in sorted(places))))

    def is_whole(self, made: Blocks, newer: Blocks, inputs: Inputs) -> bool:
        """Whether all are in the window: what was the newest at the step may be too large."""
        return sum(map(inputs.cost, (*made, *newer))) <= self.window

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks within the window."""
        in_log = inputs.memo.column("in the log", blocks, _is_in_log)
        history = blocks if all(in_log) else tuple(compress(blocks, in_log))
        costs = inputs.costs(history)
        sinks = first_of(costs, self.sinks)
        room = self.window - sum(costs[:sinks])
        step = max(1, room // STEP)
        due = _due(costs[sinks:], room, step)
        if due is None:
            return blocks
        inputs.stepped[self] = (sum(costs[sinks:]) - room - 1) // step + 1
        stays = self._stays(history[: sinks + due + 1], costs, sinks, step, "due", inputs)
        if sum(compress(costs, stays)) + sum(costs[len(stays) :]) > self.window:
            # what was the newest when the step came due may be too large to stay until the next
            stays = self._stays(history, costs, sinks, step, "now", inputs)
        mask = bytearray(b"\1") * len(blocks)
        places = range(len(blocks)) if history is blocks else compress(range(len(blocks)), in_log)
        for place, stay in zip(places, stays, strict=False):
            mask[place] = stay
        return tuple(compress(blocks, mask))

    def _stays(
        self,
        history: Blocks,
        costs: tuple[int, ...],
        sinks: int,
        step: int,
        when: str,
        inputs: Inputs,
    ) -> bytearray:
        """Whether each block stays when the window is full, with the room of one step; worked out
        once as long as these blocks are what is looked at."""
        held = inputs.held_places((self, when), history)
        # what a block costs depends on the format, not only on the counter
        seen = (history, held, costs[: len(history)])
        with inputs.memo.growing((self, when, inputs.counter_id), _Chosen) as chosen:
            if chosen.seen != seen:
                chosen.seen = seen
                chosen.stays = self._chosen(*seen, sinks, step, when, inputs)
            return chosen.stays

    def _chosen(
        self,
        history: Blocks,
        held: set[int],
        costs: tuple[int, ...],
        sinks: int,
        step: int,
        when: str,
        inputs: Inputs,
    ) -> bytearray:
        recent = len(history) - max(1, last_of(costs, self.recent))
        far = min(recent, _too_far(costs[: len(history)], sinks, REACH * self.window))
        near = history[far:]
        turn = max(block.turn for block in near)
        scores = SALIENT.scores(near, inputs, when, turn=turn)
        keys = [0] * far + with_their_turns(near, scores)
        stays = bytearray(b"\1") * len(history)
        middle = [place for place in range(sinks, recent) if place not in held]
        for place in middle:
            stays[place] = False
        room = self.window - step - sum(compress(costs, stays))
        weighed = middle[bisect_left(middle, far) :]
        for place in most_salient(weighed, keys, costs, room):
            stays[place] = True
        leaving = {history[place] for place in middle if not stays[place]}
        if len(leaving) < len(middle) - sum(map(stays.__getitem__, middle)):
            # a term brought twice what leaves once: both do
            pairs = zip(stays, history, strict=True)
            return bytearray(stay and block not in leaving for stay, block in pairs)
        return stays


def _too_far(costs: Sequence[int], sinks: int, span: int) -> int:
    """The first place that is weighed: none lies before the beginning of the span of tokens in
    front of the newest one, in spans from the sinks on."""
    if sum(costs) < 2 * span:
        return sinks
    sums = list(accumulate(costs[sinks:]))
    return sinks + bisect_right(sums, front_tokens(sums[-1], span))


class _Chosen:
    """What stays of the blocks that were seen."""

    def __init__(self) -> None:
        self.seen: tuple[object, ...] = ()
        self.stays = bytearray()


class _FrontOfLog:
    """What stays of the log as it was seen, and what was weighed for it."""

    def __init__(self) -> None:
        self.since: tuple[object, ...] = ()
        self.seen: tuple[object, ...] = ()
        self.made = OfLog(())
        self._near: Blocks = ()

    @property
    def held_bytes(self) -> int:
        """Its blocks are counted where they were made."""
        return PLACE * (len(self.made.blocks) + len(self._near))

    def near_from(
        self, far: int, stop: int, since: tuple[object, ...], source: str, inputs: Inputs
    ) -> Blocks:
        """The blocks from an exchange up to another. Those that were weighed before stay the same
        in the same log, but where a result came late."""
        near = self._near if self.since == since else ()
        near = near[far - near[0].order :] if near and near[0].order <= far else ()
        start = near[-1].order + 1 if near else far
        if start > stop:
            near, start = (), far
        near = (*near, *inputs.blocks(inputs.snapshot.exchanges(start, stop), source))
        self.since, self._near = since, near[: max(0, inputs.settled - far)]
        return near


def most_salient(
    places: Sequence[int], keys: Sequence[int], costs: Sequence[int], room: int
) -> list[int]:
    """The places that stay in a window where the least salient leave, of equals the older, until
    the others have no more than `room` tokens.

    Args:
        places: those that may leave.
        keys: by place, the lower the sooner it leaves.
        costs: by place, in tokens.
    """
    ranked = [(keys[place] << PLACE_BITS) | place for place in places]
    count = AT_ONCE
    while True:
        best = nlargest(count, ranked)
        chosen = [key & ((1 << PLACE_BITS) - 1) for key in best]
        fitting = bisect_right(list(accumulate(costs[place] for place in chosen)), room)
        if fitting < count or count >= len(ranked):
            return chosen[:fitting]
        count *= 8


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


def _due(costs: Sequence[int], room: int, step: int) -> int | None:
    """The place at which the last step came due; None before the first: a step is due where all
    are over the room by whole steps more than before."""
    totals = tuple(accumulate(costs))
    if not totals or totals[-1] <= room:
        return None
    return bisect_right(totals, room + (totals[-1] - room - 1) // step * step)


def _is_in_log(block: Block) -> bool:
    return block.order >= 0


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
