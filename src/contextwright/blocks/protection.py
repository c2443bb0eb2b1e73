"""What may be dropped, shortened or rewritten: the one rule that every word and every stage of a
budget asks, and that the tracer enforces (rules.md#protection).

| what it is | drop | shorten, rewrite |
| --- | --- | --- |
| the system instruction | no | no |
| pinned | no | no |
| the live edge: the newest user message and the newest exchanges | no | no |
| the newest open failure of a tool | no | no |
| the newest compaction, the provider's or a harness's, for what was before it | no | no |
| a harness's rules of the project, of each file the newest, and what it begins with | no | no |
| task framing: the first user message, the state's `goal` | no | no |
| tier 1 | no | texts of the spec's own only |
| other words of the user or the system | yes | no |
| all else | yes | yes |

A budget whose limit nothing else can hold shortens results of what is protected at its very end,
and drops none of it.
"""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple
from weakref import ref

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.memo.by_identity import NEWEST
from contextwright.memo.ownership import owned_table
from contextwright.session.event_index import HANDOVER, HARNESS, RULES, SPOKEN
from contextwright.session.harness_text import is_harness
from contextwright.session.log import Log
from contextwright.session.snapshot import Snapshot

GOAL = "state:goal"
"""The block of the state key that says what the session is for."""

LIVE_EXCHANGES = 1
"""Newest exchanges that a request can not do without, where the spec does not say more: the calls
that were just answered. Without them an agent would repeat them."""


class Protection(msgspec.Struct, frozen=True, eq=False):
    """What must stay at one moment of a session.

    Args:
        edge: the first of the newest exchanges, none of which may be touched.
        question: the newest user message; task: the first one. -1 where nobody asked anything, or
            where the text at hand is no request of its own.
        failures: exchanges with the newest open failure of a tool.
        preamble: exchanges of the system instruction, at the very beginning.
        compaction: the exchange with the provider's newest compaction; -1 without one.
        handover: the exchange with a harness's newest summary of what was before; -1 without one.
        standing: exchanges in which a harness says in the user's name what holds: rules of the
            project, and what it begins the session with.
        summaries: whether a framework put any into the log.
    """

    edge: int
    question: int
    task: int
    failures: frozenset[int]
    preamble: int
    compaction: int = -1
    handover: int = -1
    standing: frozenset[int] = frozenset()
    summaries: bool = False

    @property
    def exchanges(self) -> frozenset[int]:
        """Places of the exchanges that must stay because of when they were. Those that are pinned
        or critical stay because of what they are."""
        alone = {self.question, self.task, self.compaction, self.handover}
        return frozenset(alone - {-1}) | self.failures | self.standing

    def held_exchanges(self, count: int) -> Iterator[int]:
        """Places of all exchanges, of `count`, whose blocks may not be dropped, as `keep_reason`
        says of each."""
        yield from range(self.preamble)
        yield from self.exchanges
        yield from range(self.edge, count)

    def settled(self, snapshot: Snapshot) -> int:
        """The first exchange of a session that is not history yet, or is of its live edge: more
        than the newest is, where an operator or a harness spoke behind the newest results."""
        return min(snapshot.settled, self.edge)

    def keep_reason(self, block: Block) -> str:
        """Why a block may not be dropped; empty where it may."""
        if reason := reason_of_its_own(block):
            return reason
        order = block.order
        if order < 0:
            return ""
        if order < self.preamble:
            return "the system instruction"
        if order >= self.edge or order == self.question:
            return "the live edge"
        if order in self.failures:
            return "the newest open failure of its tool"
        if order == self.compaction:
            return "the provider's compaction of what was before it"
        if order == self.handover:
            return "the summary of what was before it"
        if order in self.standing:
            return "rules and setup of the harness"
        return "task framing" if order == self.task else ""

    def whole_reason(self, block: Block) -> str:
        """Why a block may not be shortened or rewritten; empty where it may."""
        reason = whole_of_its_own(block)
        return reason if reason or block.order < 0 else self.keep_reason(block)

    def may_drop(self, block: Block) -> bool:
        """Whether a block may be left out."""
        return not self.keep_reason(block)

    def frees(self, blocks: Sequence[Block]) -> bool:
        """Whether all of these may be left out, as `keep_reason` says of each; in long lists a
        matter of nanoseconds a block."""
        if True in map(attrgetter("pinned"), blocks) or 1 in map(attrgetter("tier"), blocks):
            return False
        orders = set(map(attrgetter("order"), blocks))
        if -1 in orders and GOAL in map(attrgetter("id"), blocks):
            return False
        orders.discard(-1)
        within = not orders or (min(orders) >= self.preamble and max(orders) < self.edge)
        return within and orders.isdisjoint(self.exchanges)

    def may_change(self, block: Block) -> bool:
        """Whether a block may be shortened or rewritten."""
        return not self.whole_reason(block)

    def with_protected(self, blocks: Blocks, chosen: Blocks) -> Blocks:
        """What was chosen among blocks, and what must stay of them, in their order.

        Args:
            chosen: some of the blocks, changed or not, in the order of `blocks`.
        """
        chosen_by_key = {(block.order, block.id): block for block in chosen}
        if len(chosen_by_key) == len(blocks):
            return chosen
        return tuple(
            chosen_by_key.get((block.order, block.id), block)
            for block in blocks
            if (block.order, block.id) in chosen_by_key or self.keep_reason(block)
        )


def reason_of_its_own(block: Block) -> str:
    """Why a block may not be dropped whatever happens in the session; empty where nothing of its
    own holds it."""
    if block.pinned:
        return "pinned"
    if block.tier == 1:
        return "tier 1"
    return "task framing" if block.order < 0 and block.id == GOAL else ""


def whole_of_its_own(block: Block) -> str:
    """Why a block may not be shortened or rewritten whatever happens in the session; empty where
    nothing of its own holds it."""
    if block.order < 0:
        return "pinned" if block.pinned else ""
    if block.role in {"user", "system"} and block.messages and block.messages[0].event_id:
        return f"the {block.role}'s words"
    return reason_of_its_own(block)


class _Landmarks(NamedTuple):
    """What stays of a log that operators, harnesses and providers put there.

    Args:
        at: position of the newest. aside: the newest exchange of an operator or a harness.
        summaries: whether a framework put any into the log. Others as of `Protection`.
    """

    log: ref[Log]
    at: int
    preamble: int
    aside: int
    summaries: bool
    compaction: int
    handover: int
    standing: frozenset[int]


def protection_of(
    snapshot: Snapshot, *, exchanges: int = LIVE_EXCHANGES, request: bool = True
) -> Protection:
    """What must stay of a session as it is now.

    Args:
        exchanges: how many of the newest exchanges are the live edge.
        request: whether a request is built: a text that a driver sends beside the conversation
            needs neither the conversation's edge nor its beginning.
    """
    count, failures = snapshot.exchange_count, snapshot.open_failures
    if not request:
        return Protection(count, -1, -1, failures, snapshot.preamble)
    log, position, known = snapshot.log, snapshot.position, _landmarks_of(snapshot)
    users = log.ends("kind", SPOKEN, position) or log.ends("role", "user", position)
    first, last = (-1, -1) if users is None else log.exchange_indices(users)
    edge = min(count, max(known.preamble, count - exchanges))
    if known.summaries or known.aside >= max(edge, known.preamble):
        edge = _edge(snapshot, exchanges)
    return Protection(
        edge, last, first, failures, known.preamble,
        known.compaction, known.handover, known.standing, known.summaries,
    )  # fmt: skip


def _landmarks_of(snapshot: Snapshot) -> _Landmarks:
    """Those of a snapshot, looked for once until there is another: few events are any."""
    log, at = snapshot.log, snapshot.log.landmark
    table = owned_table("landmarks", brief=True) if at < snapshot.position else None
    known: _Landmarks | None = None if table is None else table.known(NEWEST)
    if known is not None and known.at == at and known.log() is log:
        return known
    systems = log.ends("role", "system", snapshot.position)
    newest = -1 if systems is None else log.exchange_index(systems[1])
    made = _Landmarks(
        ref(log), at, snapshot.preamble,
        max(newest, _newest(HARNESS, snapshot)), snapshot.has_summaries,
        _newest("compaction", snapshot), _newest(HANDOVER, snapshot), _standing(snapshot),
    )  # fmt: skip
    if table is not None:
        table[NEWEST] = made
    return made


def _newest(kind: str, snapshot: Snapshot) -> int:
    """The newest exchange of a kind; -1 where there is none."""
    ends = snapshot.log.ends("kind", kind, snapshot.position)
    return -1 if ends is None else snapshot.log.exchange_index(ends[1])


def _standing(snapshot: Snapshot) -> frozenset[int]:
    """The exchanges with the newest rules of each file, and those with which a harness begins the
    session, but for rules that newer ones stand for."""
    log, files = snapshot.log, snapshot.log.values(RULES)
    ends = (log.ends(RULES, file, snapshot.position) for file in files)
    newest = {log.exchange_index(one[1]) for one in ends if one is not None}
    setup = list(_setup(snapshot))
    if setup and files:
        stop = log.exchanges(setup[-1], setup[-1] + 1, snapshot.position)[0].positions[-1] + 1
        older = {at for file in files for at in log.positions(RULES, file, stop)}
        return frozenset(newest.union(setup) - (set(log.exchange_indices(older)) - newest))
    return frozenset(newest.union(setup))


def _setup(snapshot: Snapshot) -> Iterator[int]:
    """The exchanges behind the instruction in which a harness alone speaks, before anybody else."""
    ends = snapshot.log.ends("kind", HARNESS, snapshot.position)
    if ends is None or snapshot.log.exchange_index(ends[0]) != snapshot.preamble:
        return
    for at in range(snapshot.preamble, snapshot.exchange_count):
        first = snapshot.exchanges(at, at + 1)[0].first
        if not is_harness(first.role, first.parts):
            return
        yield at


def _edge(snapshot: Snapshot, exchanges: int) -> int:
    """The first of the newest exchanges; a summary that a framework put behind them is none, nor
    is what an operator or a harness says there: the calls that were just answered stand in front of
    it."""
    edge, live = snapshot.exchange_count, 0
    summaries = summary_exchanges(snapshot)
    while edge > snapshot.preamble and live < exchanges:
        edge -= 1
        first = snapshot.exchanges(edge, edge + 1)[0].first
        is_aside = first.role == "system" or is_harness(first.role, first.parts)
        live += not is_aside and edge not in summaries
    return edge


def summary_exchanges(snapshot: Snapshot) -> frozenset[int]:
    """Places of the summaries that a framework put into the log."""
    positions = snapshot.positions("kind", "summary")
    return frozenset(map(snapshot.log.exchange_index, positions))
