"""What a conversation's requests cost, by its provider's rules of caching and its model's prices,
against what sending everything would have cost.

Both sides are counted alike, each call once: what a cache reads of the request before, what it
writes, and the rest. What sending everything costs follows from two running sums, so that a call
adds what is new. Where no price is known, tokens are all there is to tell.
"""

import threading
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from contextwright.compiler.pack import Pack
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.engine.conversation_sums import (
    PICO,
    ConversationSums,
    DecidedAt,
    decided_by,
    input_price,
    is_expired,
    paid_for,
)
from contextwright.engine.default_spec import decides_at_steps
from contextwright.engine.ledger_summary import LedgerSummary, dollars
from contextwright.errors import ModelError
from contextwright.forked_process import renewed_in_a_fork
from contextwright.formats.fields import object_if
from contextwright.render.target import Target
from contextwright.session.log import Log
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Expr
from contextwright.spec.saved_fold import newest_prefix
from contextwright.tokens.counter import named_counter
from contextwright.tokens.models import ModelInfo, known_model
from contextwright.tokens.usage import Usage

SUSPENDED = "contextwright.suspended"
"""Key of a session's metadata: the spec that gave way, and why."""
ENOUGH = 8
"""Calls before it is judged whether what was read back was worth it."""
IN_A_ROW = 2
"""Calls, one behind the other, that cost more than sending everything, before a spec gives way: a
step may be dear and pay for itself later, what moves at each call does not."""
LENT = 1
"""Percent of what everything has cost by which a step may leave a long conversation dearer."""
SOON = 32
"""Calls so far for each call in which that must be back."""
WITHIN = 3
"""Calls so far for each call in which what a step of a word that promises no size costs must be
back: a session is taken to go on for about as long as it has, and most of that should be gain."""
LOST = 67
"""Percent of what giving way costs, by writing everything anew, that such calls have lost before a
spec gives way that decides at steps."""
MARGIN = 10
"""Percent by which a spec may be dearer than sending everything before it gives way."""


Counting = Callable[[Log], SpecCompiler]


class Decided(msgspec.Struct, frozen=True):
    """What the next call of a conversation is compiled by, and what was given up as too dear."""

    spec: Expr
    target: Target
    notes: tuple[str, ...] = ()


class WeighedPack(msgspec.Struct, frozen=True, eq=False):
    """A pack beside a request with everything in its place.

    Args:
        whole_tokens: what the request would have had with everything in it.
        recounted: of these, the ones that the call before had as well and a cache reads, where
            that is not what was counted then: None where it is.
    """

    pack: Pack
    whole_tokens: int
    recounted: int | None = None


class CallPrice(msgspec.Struct, frozen=True, kw_only=True):
    """What a call would come to, in picodollars.

    Args:
        cost, whole_cost: of it, and of everything in its place. saved_before: of the calls before,
            what was read back left out.
        is_covered: whether the conversation has then cost no more than everything, or so little
            more that its next calls bring it back. is_soon: whether they do so within a `WITHIN`-th
            of the calls so far, however much that is. is_reread:
            whether it is shorter than a cache takes, so that the next call reads it anew, and more
            is asked for that than for everything from a cache. is_first_cached: whether no request
            before could be cached, had it been everything, and this one could.
    """

    cost: int
    whole_cost: int
    saved_before: int
    is_covered: bool
    is_soon: bool
    is_reread: bool
    is_first_cached: bool


class Ledger:
    """The running sums of one conversation. The newest call is open until the next one is made:
    what is compiled again at the same position takes its place. A bill may come while the next
    call is compiled in another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.before: Pack | None = None
        self.newest: Pack | None = None
        self.suspended = self.unread = ""
        self._closed = ConversationSums()
        self._open = ConversationSums()
        renewed_in_a_fork(self)

    def renew(self) -> None:
        """Go on with the sums that there are, in a forked process."""
        self._lock = threading.Lock()

    def previous(self, position: int) -> Pack | None:
        """The pack of the call before the one that is made at this position of the log."""
        newest = self.newest
        return newest if newest is None or newest.receipt.position < position else self.before

    def weighed(
        self, pack: Pack, take: Callable[[], Snapshot], target: Target, counting: Counting
    ) -> WeighedPack:
        """A pack beside everything. What the call before had was counted otherwise where the
        provider leaves out reasoning from this call on, or the counter has learned since. What was
        never counted is counted here: of a long session that takes as long as its first compile.

        Args:
            take: the session as it is. counting: a compiler for its log. Few packs need either.
        """
        receipt, position = pack.receipt, pack.receipt.position
        if receipt.counter != target.counter.id:
            target = with_counter(target, receipt.counter)
        refs, fixed, whole = receipt.shows_refs, receipt.fixed_tokens, pack.whole_tokens
        if whole is None:
            now, known = take(), newest_prefix(receipt.folds)
            position = now.position
            whole = counting(now.log).tokens_of_everything(now, target, known, refs=refs)
        whole += fixed
        previous, then = self.previous(position), None
        if previous is not None:
            if target.reasoning == "strip-old":
                then = _before_stripped(previous, take())
            if then is None and previous.receipt.counter != receipt.counter:
                then = msgspec.structs.replace(take(), position=previous.receipt.position)
        if then is None:
            return WeighedPack(pack, whole)
        before = counting(then.log).tokens_of_everything(then, target, refs=refs) + fixed
        return WeighedPack(pack, whole, before)

    def sent(self, made: WeighedPack, target: Target) -> Pack:
        """Count a call, and give its pack."""
        with self._lock:
            before, call = self._call(made, target)
            if self._is_next(made.pack.receipt.position):
                self.before, self._closed = self.newest, before
            self.newest, self._open = made.pack.without_log(), call
        return made.pack

    def _is_next(self, position: int) -> bool:
        return self.newest is not None and self.newest.receipt.position < position

    def _until(self, position: int) -> ConversationSums:
        """The sums of the calls before the one that is made at this position."""
        return self._closed.plus(self._open) if self._is_next(position) else self._closed

    def decided(self, position: int) -> DecidedAt:
        """Where the spec decided what the call before this one held."""
        return self._until(position).decided

    def price_of(self, made: WeighedPack, target: Target) -> CallPrice:
        """What a call would come to."""
        with self._lock:
            before, call = self._call(made, target)
        saved = before.whole_cost - before.cost + before.read_back_cost
        info, minimum, reread = known_model(target.model), target.cache_rules.minimum, 0
        if info is not None and call.tokens < minimum <= call.whole_tokens:
            reread = call.tokens * info.prices(call.tokens).input
            reread -= call.whole_tokens * info.prices(call.whole_tokens).cached
        return CallPrice(
            cost=call.cost,
            whole_cost=call.whole_cost,
            saved_before=saved,
            is_covered=call.cost <= call.whole_cost + saved or _is_lent(before, call, info),
            is_soon=_is_back(before, call, info, WITHIN),
            is_reread=reread > 0,
            is_first_cached=before.newest_whole < minimum <= call.whole_tokens,
        )

    def _call(self, made: WeighedPack, target: Target) -> tuple[ConversationSums, ConversationSums]:
        """The sums before a call, and its own."""
        pack, whole_tokens, recounted = made.pack, made.whole_tokens, made.recounted
        receipt, prefix, rules = pack.receipt, pack.receipt.prefix, target.cache_rules
        sums, previous = self._until(receipt.position), self.previous(receipt.position)
        info = known_model(target.model)
        known = prefix is not None and not is_expired(previous, pack, rules.ttl_s)
        read = prefix.read if known and prefix is not None else 0
        end = receipt.tokens if receipt.tokens >= rules.minimum else 0
        written = prefix.written if known and prefix is not None else end
        before = sums.newest_whole if recounted is None else recounted
        whole_read = min(rules.readable(before if known else 0), whole_tokens)
        whole_written = whole_tokens - whole_read if whole_tokens >= rules.minimum else 0
        cost = input_price(info, receipt.tokens, read, written)
        whole_cost = input_price(info, whole_tokens, whole_read, whole_written)
        is_whole = sums.is_whole and not receipt.changes and not receipt.left_out
        if is_whole:  # it is everything, with fields that only its caller's messages have
            whole_tokens, whole_cost = receipt.tokens, cost
        return sums, ConversationSums(
            calls=1,
            tokens=receipt.tokens,
            cached=read,
            cost=cost,
            whole_tokens=whole_tokens,
            whole_cost=whole_cost,
            newest_whole=whole_tokens,
            losses=int(cost > whole_cost),
            lost=max(0, cost - whole_cost),
            anew=_anew(info, whole_tokens, read, rules.minimum),
            fits=whole_tokens <= target.max_input,
            put_off=int(bool(receipt.decided_at)),
            is_whole=is_whole,
            decided=decided_by(receipt, previous, sums),
        )

    def billed(self, usage: Usage | None, model: str, *read_back: Usage) -> None:
        """Hold what was counted for the newest call against what it was billed.

        Args:
            read_back: bills of the requests by which its answer went on to read what was left
                out. Sending everything would have taken none of them.
        """
        info = known_model(model)
        with self._lock:
            for one in read_back:
                self._go_on(one, info)
            if info is None or usage is None or not self._open.calls or self._open.billed_calls:
                return
            self._open = msgspec.structs.replace(
                self._open, billed_calls=1, billed=paid_for(info, usage), expected=self._open.cost
            )

    def _go_on(self, bill: Usage, info: ModelInfo | None) -> None:
        sums, paid = self._closed, paid_for(info, bill)  # of no request that is compiled again
        self._closed = msgspec.structs.replace(
            sums,
            tokens=sums.tokens + bill.input,
            cached=sums.cached + bill.cached,
            cost=sums.cost + paid,
            read_back_cost=sums.read_back_cost + paid,
        )

    def is_dearer(self, spec: Expr) -> bool:
        """Whether the requests cost so much more than sending everything, which could still be
        sent, and go on doing so, that the spec should give way. Where it decides at steps, the
        calls behind two of them may pay for both. What was read back is another's to answer for."""
        sums = self._sums
        if sums.losses < IN_A_ROW or not self._is_dear(sums.cost - sums.read_back_cost):
            return False
        return sums.lost * 100 >= sums.anew * LOST or not decides_at_steps(spec)

    @property
    def is_read_dear(self) -> bool:
        """Whether that is so because of what was read back, and for no other reason."""
        sums = self._sums
        own = self._is_dear(sums.cost - sums.read_back_cost)
        return sums.calls >= ENOUGH and self._is_dear(sums.cost) and not own

    @property
    def _sums(self) -> ConversationSums:
        return self._closed.plus(self._open)

    def _is_dear(self, cost: int) -> bool:
        sums = self._sums
        return sums.fits and cost * 100 > sums.whole_cost * (100 + MARGIN)

    def summary(self) -> LedgerSummary:
        """What there is to tell so far."""
        sums = self._sums
        return LedgerSummary(
            calls=sums.calls,
            tokens=sums.tokens,
            cached=sums.cached,
            cost=sums.cost // PICO,
            whole_tokens=sums.whole_tokens,
            whole_cost=sums.whole_cost // PICO,
            whole_fits=sums.fits,
            billed_calls=sums.billed_calls,
            billed=sums.billed // PICO,
            expected=sums.expected // PICO,
            read_back_cost=sums.read_back_cost // PICO,
            suspended=" ".join(filter(None, (self.suspended, self.unread))),
            put_off=sums.put_off,
        )


class Ledgers:
    """The ledgers of an engine's conversations, and what its spec gives way to.

    Args:
        instead: what stands in for the engine's spec where that turns out dearer than sending
            everything; None where nothing does.
        suspends: whether anything is given up that turns out dear.
    """

    def __init__(self, instead: Expr | None, *, suspends: bool = True) -> None:
        self._instead, self._suspends = instead, suspends
        self._by_log: WeakKeyDictionary[Log, Ledger] = WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self._by_log)

    def of(self, log: Log) -> Ledger:
        """The ledger of a conversation."""
        ledger = self._by_log.get(log)
        # of two threads that come first, both get the same
        return self._by_log.setdefault(log, Ledger()) if ledger is None else ledger

    def price_of(
        self, pack: Pack, snapshot: Snapshot, target: Target, compiler: SpecCompiler
    ) -> CallPrice:
        """What a call of a conversation would come to."""
        ledger = self.of(snapshot.log)
        made = ledger.weighed(pack, lambda: snapshot, target, lambda _: compiler)
        return ledger.price_of(made, target)

    def decide(self, spec: Expr, target: Target, session: Session, ledger: Ledger) -> Decided:
        """As `decided`; what was given up is saved with the session."""
        made = self.decided(spec, target, ledger, session.metadata)
        if made.notes:
            saved = {"spec": repr(spec), "why": ledger.suspended, "unread": ledger.unread}
            session.metadata[SUSPENDED] = {key: value for key, value in saved.items() if value}
        return made

    def decided(
        self, spec: Expr, target: Target, ledger: Ledger, metadata: Mapping[str, Any]
    ) -> Decided:
        """The spec and the target for the next call of a conversation.

        Args:
            ledger: its own. metadata: the session's: what was given up before a restart is so
                after it.
        """
        if not self._suspends:
            return Decided(spec, target)
        saved = object_if(metadata.get(SUSPENDED)) if metadata else None
        if saved and saved.get("spec") == repr(spec):
            ledger.suspended = ledger.suspended or str(saved.get("why") or "")
            ledger.unread = ledger.unread or str(saved.get("unread") or "")
        if target.read_back and not ledger.unread and ledger.is_read_dear:
            ledger.unread = _unread(ledger.summary())
        if self._instead is not None and not ledger.suspended and ledger.is_dearer(spec):
            ledger.suspended = self._gives_way(spec, ledger)
        if not (ledger.suspended or ledger.unread):
            return Decided(spec, target)
        notes = tuple(filter(None, (ledger.suspended, ledger.unread)))
        if ledger.unread:
            target = msgspec.structs.replace(target, read_back=False)
        chosen = self._instead if ledger.suspended and self._instead is not None else spec
        return Decided(chosen, target, notes)

    def _gives_way(self, spec: Expr, ledger: Ledger) -> str:
        summary = ledger.summary()
        return (
            f"{spec!r} cost {_more(summary)} % more over {summary.calls} calls than sending "
            f"everything: {self._instead!r} stands in for it (Engine(suspend=False) keeps it)"
        )


def _unread(summary: LedgerSummary) -> str:
    return (
        f"reading back cost {dollars(summary.read_back_cost)} of {dollars(summary.cost)} over "
        f"{summary.calls} calls, {_more(summary)} % more than sending everything: it is no longer "
        "offered (Engine(suspend=False) keeps it)"
    )


def _more(summary: LedgerSummary) -> int:
    return 100 * summary.cost // max(1, summary.whole_cost) - 100


def _is_lent(before: ConversationSums, call: ConversationSums, info: ModelInfo | None) -> bool:
    """Whether a conversation that is long may take a step that it has not saved yet: at most
    `LENT` percent of what everything has cost, back within a `SOON`-th of its calls so far by what
    each reads less, and only out of no debt."""
    owed = _owed(before)
    loss = owed + call.cost - call.whole_cost
    if owed > 0 or loss * 100 > (before.whole_cost + call.whole_cost) * LENT:
        return False
    return _is_back(before, call, info, SOON)


def _is_back(
    before: ConversationSums, call: ConversationSums, info: ModelInfo | None, part: int
) -> bool:
    """Whether what is owed with a call in it is back within such a part of the calls so far, by
    what each reads less."""
    if info is None:
        return False
    loss = _owed(before) + call.cost - call.whole_cost
    less = (call.whole_tokens - call.tokens) * info.prices(call.whole_tokens).cached
    return loss * part <= (before.calls + 1) * less


def _owed(sums: ConversationSums) -> int:
    """What a conversation cost more than everything, what was read back left out."""
    return sums.cost - sums.read_back_cost - sums.whole_cost


def _anew(info: ModelInfo | None, whole: int, read: int, minimum: int) -> int:
    """What everything costs more where a cache has so many of its tokens than where it has all."""
    if info is None or whole < minimum:
        return 0
    prices = info.prices(whole)
    return max(0, whole - read) * (prices.write - prices.cached)


def with_counter(target: Target, name: str) -> Target:
    """The target with the counter of a manifest, where its name says all of it."""
    try:
        counter = target.counter if target.counter.id == name else named_counter(name)
    except ModelError:
        return target
    return msgspec.structs.replace(target, counter=counter)


def _before_stripped(before: Pack, snapshot: Snapshot) -> Snapshot | None:
    """The session in front of the first reasoning that was sent at the call before and is left out
    now, since its turn is over; None where there is none."""
    last = snapshot.log.exchange_index(before.receipt.position - 1)
    turn = snapshot.log.turn_of(last)
    if turn == snapshot.turn:
        return None
    place = snapshot.turn_start(turn)
    first = snapshot.exchanges(place, place + 1)[0].positions[0]
    thoughts = snapshot.positions("type", "thinking")
    at = next((one for one in thoughts if one >= first), None)
    return None if at is None else msgspec.structs.replace(snapshot, position=at)
