"""The entries of a receipt in few: neighbouring exchanges that one step dropped are one range, and
what was dropped has one entry, however often it was shortened before.

A receipt so costs what is sent and how often the reason changes, not the session's length, and
says the same wherever a compile began to look (`compiler.horizon`).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, groupby, pairwise
from operator import attrgetter, itemgetter

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.protection import Protection
from contextwright.blocks.ref import event_ref, range_ref
from contextwright.compiler.change import Change
from contextwright.compiler.lineage_ranges import in_ranges
from contextwright.compiler.token_sums import SOURCE, tokens_between
from contextwright.compiler.trace_findings import Findings, LimitStage, left_out, once
from contextwright.session.log import Log
from contextwright.spec.inputs import Inputs
from contextwright.spec.log_part import LONG, spans_between
from contextwright.spec.memo import Memo

_KEY, _CHANGE, _ORDER = itemgetter(0), itemgetter(1), attrgetter("order")
_TOKENS, _EXCHANGES = attrgetter("tokens_before"), attrgetter("exchanges")


def without_superseded(changes: Iterable[Change]) -> list[Change]:
    """The changes; of a block that was dropped only that, from what it took at first."""
    out: dict[tuple[str, str, int], Change] = {}
    known: dict[tuple[str, str], list[tuple[str, str, int]]] = {}
    for place, change in enumerate(changes):
        block = (change.id, change.source)
        before = known.setdefault(block, [])
        if change.action == "dropped" and before:
            tokens = out[before[0]].tokens_before
            for key in before:
                del out[key]
            before.clear()
            change = msgspec.structs.replace(change, tokens_before=tokens)
        key = (*block, place)
        out[key] = change
        before.append(key)
    return list(out.values())


class LimitDrop(msgspec.Struct, frozen=True):
    """What a limit dropped of the oldest.

    Args:
        stage: the stage.
        sent: the blocks that it left. summarized: spans of the exchanges that summaries tell.
    """

    stage: LimitStage
    sent: Blocks
    summarized: Sequence[tuple[int, int]]

    def cut(self, now: Protection) -> int:
        """The oldest exchange that stands because of its age: not because it had to, then or now,
        and not as the user's words in front of a turn of which the first was dropped."""
        sent = sorted(self.sent, key=_ORDER)
        sent = sent[bisect_left(sent, 0, key=_ORDER) :]

        def at(order: int) -> list[Block]:
            place = bisect_left(sent, order, key=_ORDER)
            return sent[place : bisect_right(sent, order, place, key=_ORDER)]

        def is_held(order: int) -> bool:
            return True in [self._is_held(one, now) for one in at(order)]

        def is_divided(block: Block) -> bool:
            order = block.order
            while block.by_user and is_held(order + 1):
                order += 1
            return block.by_user and not at(order + 1)

        for block in sent:  # the oldest is one of the first
            if not (is_held(block.order) or is_divided(block)):
                return block.order
        return now.edge

    def seen(self, cut: int, now: Protection) -> int:
        """The newest exchange that tells which is the oldest that stands because of its age: as
        long as these are held as they were, it is the same one."""
        order = cut + 1
        while [one for one in self.sent if one.order == order and self._is_held(one, now)]:
            order += 1
        return order

    def _is_held(self, block: Block, now: Protection) -> bool:
        then = self.stage.protection
        return bool(now.keep_reason(block) or (block.order < then.edge and then.keep_reason(block)))


class ReceiptRanges:
    """Makes ranges of the changes of one compile.

    Args:
        orders: the exchange that each changed block is, by the block's id.
    """

    def __init__(self, inputs: Inputs, orders: Mapping[str, int]) -> None:
        self._inputs, self._orders, self._clean = inputs, {**orders}, inputs.clean_name

    @property
    def orders(self) -> dict[str, int]:
        """The exchange that each changed block is, with those of the ranges."""
        return self._orders

    def with_dropped(
        self, changes: list[Change], drop: LimitDrop, first: int, cut: int
    ) -> list[Change]:
        """The changes with all exchanges from `first` up to `cut` that are not sent as ranges that
        the limit dropped: there, words and stages only shortened what went in the end."""
        if cut <= first:
            return changes
        out = {block.order for block in drop.sent if first <= block.order < cut}
        for start, stop in drop.summarized:
            out.update(range(max(first, start), min(cut, stop)))
        rest = [
            change
            for change in changes
            if change.action == "summarized"
            or not first <= (order := self._orders.get(change.id, -1)) < cut
            or order in out
        ]
        gaps = pairwise([first - 1, *sorted(out), cut])
        ranges = (self.dropped(a + 1, b, drop.stage) for a, b in gaps if b > a + 1)
        return [*ranges, *rest]

    def dropped(self, start: int, stop: int, stage: LimitStage) -> Change:
        """The exchanges from `start` up to `stop`, as a stage or a word dropped them."""
        snapshot = self._inputs.snapshot
        first = snapshot.exchanges(start, start + 1)[0]
        last = snapshot.exchanges(stop - 1, stop)[0]
        single = Change(
            id=self._clean(first.first.id),
            source=SOURCE,
            layer="conversation",
            step=stage.name,
            action="dropped",
            reason=stage.reason,
            tokens_before=tokens_between(start, stop, self._inputs),
            tokens_after=0,
            ref=self._shown(event_ref(first.first.id)),
            lineage=tuple(map(self._clean, first.ids)),
        )
        self._orders[single.id] = start
        if stop - start == 1:
            return single
        return self._range(single, last.events[-1].id, stop - start, first.first.id)

    def of_ends(
        self, first: Block, last: Block, count: int, stage: LimitStage, tokens: int
    ) -> Change:
        """So many neighbouring exchanges that a stage dropped, which took so many tokens."""
        self._orders[first.id] = first.order
        single = Change(
            id=first.id,
            source=first.source,
            layer=first.layer.label,
            step=stage.name,
            action="dropped",
            reason=stage.reason,
            tokens_before=tokens,
            tokens_after=0,
            ref=first.ref,
            lineage=first.lineage,
        )
        if count == 1:
            return single
        return self._range(single, last.lineage[-1], count, first.lineage[0])

    def _shown(self, ref: str) -> str:
        """A ref; none where it names what is redacted, and would not resolve otherwise."""
        return ref if self._clean(ref) == ref else ""

    def _range(self, change: Change, last: str, exchanges: int, first: str) -> Change:
        """A change as that of a range; `first` and `last` are ids of the log."""
        return msgspec.structs.replace(
            change,
            ref=self._shown(range_ref(first, last)),
            lineage=(),
            last=self._clean(last),
            exchanges=exchanges,
        )

    def joined(self, changes: Iterable[Change]) -> list[Change]:
        """The changes, neighbouring exchanges that one step dropped for one reason as one entry."""
        out: list[Change] = []
        every = list(changes)
        before = accumulate(map(_EXCHANGES, every), initial=0)
        keyed = zip(map(self._alike, before, every), every, strict=True)
        for _, group in groupby(keyed, key=_KEY):
            members = list(map(_CHANGE, group))
            if len(members) == 1:
                out += members
                continue
            tokens = sum(map(_TOKENS, members))
            count = sum(map(_EXCHANGES, members))
            whole = msgspec.structs.replace(members[0], tokens_before=tokens)
            first, last = self._first(members[0]), self._last(members[-1])
            out.append(self._range(whole, last, count, first))
        return out

    def _first(self, change: Change) -> str:
        """The first event of what it is about."""
        if change.lineage:
            return change.lineage[0]
        at = self._orders[change.id]
        return self._inputs.snapshot.exchanges(at, at + 1)[0].first.id

    def _last(self, change: Change) -> str:
        """The last event of what it is about."""
        if change.lineage:
            return change.lineage[-1]
        at = self._orders[change.id] + change.exchanges
        return self._inputs.snapshot.exchanges(at - 1, at)[0].events[-1].id

    def _alike(self, before: int, change: Change) -> tuple[object, ...]:
        """Equal for changes that stand in one range: alike, and as far apart as in the log.

        Args:
            before: exchanges of the changes before it.
        """
        order = self._orders.get(change.id, -1) if change.action == "dropped" else -1
        if order < 0 or not (change.last or change.lineage):
            return (before,)
        return (change.source, change.layer, change.step, change.reason, order - before)

    def places(self, changes: Iterable[Change]) -> list[tuple[int, int]]:
        """The exchanges that changes are about: the first of each, and the one behind its last."""
        orders = self._orders
        return [
            (orders[one.id], orders[one.id] + one.exchanges)
            for one in changes
            if orders.get(one.id, -1) >= 0
        ]


def with_ranges(changes: Iterable[Change], log: Log, memo: Memo) -> tuple[Change, ...]:
    """The changes, with long lineages in ranges."""
    return tuple(
        [
            msgspec.structs.replace(one, lineage=in_ranges(one.lineage, log, memo))
            if len(one.lineage) > LONG
            else one
            for one in changes
        ]
    )


def left_out_beside(chosen: Blocks, word: str, inputs: Inputs, stop: int = 0) -> Findings:
    """What is written of a word that left these of the whole conversation, and no others.

    Args:
        stop: the exchange up to which that is told, if not of all.
    """
    ranges, snapshot = ReceiptRanges(inputs, {}), inputs.snapshot
    stage = LimitStage(word, left_out(word), inputs.protection)
    stop = stop or snapshot.exchange_count
    left = spans_between(snapshot.preamble, stop, map(_ORDER, chosen))
    changes = tuple([ranges.dropped(start, stop, stage) for start, stop in left])
    return Findings(changes, (), (), (), ranges.orders, None)


def findings_in_ranges(findings: Findings, inputs: Inputs) -> Findings:
    """The findings with neighbours that were dropped for one reason as one entry, as the receipt
    has them: they are not joined at each turn."""
    ranges = ReceiptRanges(inputs, findings.orders)
    changes = tuple(ranges.joined(without_superseded(once(findings.changes))))
    places = {one.id: findings.orders[one.id] for one in changes}
    return msgspec.structs.replace(findings, changes=changes, orders=places)
