"""What a conversation's requests cost, by its provider's rules of caching and its model's prices,
against what sending everything would have cost.

Both sides are counted alike, each call once: what a cache reads of the request before, what it
writes, and the rest. What sending everything costs follows from two running sums, so that a call
adds what is new. Where no price is known, tokens are all there is to tell.
"""

import threading
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from contextwright.compiler.pack import Pack
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.errors import ModelError
from contextwright.formats.fields import object_if
from contextwright.render.target import Target
from contextwright.session.log import Log
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Expr
from contextwright.tokens.models import ModelInfo, model_info
from contextwright.tokens.usage import Usage

SUSPENDED = "contextwright.suspended"
"""Key of a session's metadata: the spec that gave way, and why."""
ENOUGH = 8
"""Calls before it is judged whether what was read back was worth it."""
IN_A_ROW = 2
"""Calls, one behind the other, that cost more than sending everything, before a spec gives way: a
step may be dear and pay for itself later, what moves at each call does not."""
MARGIN = 10
"""Percent by which a spec may be dearer than sending everything before it gives way."""
PICO = 1_000_000
"""Picodollars of a microdollar: tokens times microdollars a million tokens."""


class LedgerSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a conversation cost so far; money in microdollars, 0 where no price is known.

    Args:
        calls: requests that were counted.
        tokens, cached: tokens of all requests, and those of them that a cache read.
        cost: what they cost, answers left out.
        read_back_cost: of these, of requests by which answers went on to read what was left out.
        whole_tokens, whole_cost: of sending everything instead, at the same calls.
        whole_fits: whether everything could still be sent at the newest call.
        billed_calls, billed: what the provider billed, for the calls whose bill is known.
        expected: what was counted for these.
        suspended: why the spec gave way to the default, or read-back was given up; empty where
            nothing was.
    """

    calls: int = 0
    tokens: int = 0
    cached: int = 0
    cost: int = 0
    whole_tokens: int = 0
    whole_cost: int = 0
    whole_fits: bool = True
    billed_calls: int = 0
    billed: int = 0
    expected: int = 0
    read_back_cost: int = 0
    suspended: str = ""

    @property
    def saved(self) -> int:
        """Microdollars less than sending everything; below 0 where it was dearer."""
        return self.whole_cost - self.cost

    def rows(self) -> tuple[tuple[str, str], ...]:
        """Its lines for a table: what, and how much."""
        lines = [
            ("calls", f"{self.calls:,}"),
            ("input tokens", f"{self.tokens:,} ({_share(self.cached, self.tokens)} from a cache)"),
            ("input cost", _dollars(self.cost)),
            ("sending everything", f"{_dollars(self.whole_cost)} for {self.whole_tokens:,} tokens"),
            ("saved", f"{_dollars(self.saved)} ({_share(self.saved, self.whole_cost)})"),
        ]
        if self.billed_calls:
            telling = f"{_dollars(self.billed)} for {self.billed_calls:,} calls"
            lines.append(("billed", f"{telling}; counted {_dollars(self.expected)}"))
        return (*lines, *((("suspended", self.suspended),) if self.suspended else ()))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _dollars(micro: int) -> str:
    return f"{'-' if micro < 0 else ''}${abs(micro) / 1_000_000:.4f}"


class Decided(msgspec.Struct, frozen=True):
    """What the next call of a conversation is compiled by, and what was given up as too dear."""

    spec: Expr
    target: Target
    notes: tuple[str, ...] = ()


class Ledger:
    """The running sums of one conversation. The newest call is open until the next one is made:
    what is compiled again at the same position takes its place. A bill may come while the next
    call is compiled in another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.before: Pack | None = None
        self.newest: Pack | None = None
        self.suspended = self.unread = ""
        self._closed = _Sums()
        self._open = _Sums()
        self._whole_before = 0

    def previous(self, position: int) -> Pack | None:
        """The pack of the call before the one that is made at this position of the log."""
        newest = self.newest
        return newest if newest is None or newest.manifest.position < position else self.before

    def sent(
        self, pack: Pack, whole_tokens: int, target: Target, unstripped: int | None = None
    ) -> None:
        """Count a call.

        Args:
            whole_tokens: what its request would have had with everything in it.
            unstripped: of these, the ones in front of reasoning that the provider leaves out from
                this call on, as its turn is over: a cache reads no further. None where none is.
        """
        with self._lock:
            self._count(pack, whole_tokens, target, unstripped)

    def _count(self, pack: Pack, whole_tokens: int, target: Target, unstripped: int | None) -> None:
        if self.newest is not None and self.newest.manifest.position < pack.manifest.position:
            self.before, self._whole_before = self.newest, self._open.newest_whole
            self._closed, self._open = self._closed.plus(self._open), _Sums()
        self.newest = pack
        manifest, prefix, rules = pack.manifest, pack.manifest.prefix, target.cache_rules
        info = _known(target.model)
        known = prefix is not None and not _expired(self.before, pack, rules.ttl_s)
        read = prefix.read if known and prefix is not None else 0
        end = manifest.tokens if manifest.tokens >= rules.minimum else 0
        written = prefix.written if known and prefix is not None else end
        before = self._whole_before if unstripped is None else min(unstripped, self._whole_before)
        whole_read = min(rules.readable(before if known else 0), whole_tokens)
        whole_written = whole_tokens - whole_read if whole_tokens >= rules.minimum else 0
        cost = _cost(info, manifest.tokens, read, written)
        whole_cost = _cost(info, whole_tokens, whole_read, whole_written)
        self._open = _Sums(
            calls=1,
            tokens=manifest.tokens,
            cached=read,
            cost=cost,
            whole_tokens=whole_tokens,
            whole_cost=whole_cost,
            newest_whole=whole_tokens,
            losses=int(cost > whole_cost),
            fits=whole_tokens <= target.max_input,
        )

    def billed(self, usage: Usage | None, model: str, *read_back: Usage) -> None:
        """Hold what was counted for the newest call against what it was billed.

        Args:
            read_back: bills of the requests by which its answer went on to read what was left
                out. Sending everything would have taken none of them.
        """
        info = _known(model)
        with self._lock:
            for one in read_back:
                self._go_on(one, info)
            if info is None or usage is None or not self._open.calls or self._open.billed_calls:
                return
            self._open = msgspec.structs.replace(
                self._open, billed_calls=1, billed=_paid(info, usage), expected=self._open.cost
            )

    def _go_on(self, bill: Usage, info: ModelInfo | None) -> None:
        sums, paid = self._closed, _paid(info, bill)  # it is of no request that is compiled again
        self._closed = msgspec.structs.replace(
            sums,
            tokens=sums.tokens + bill.input,
            cached=sums.cached + bill.cached,
            cost=sums.cost + paid,
            read_back_cost=sums.read_back_cost + paid,
        )

    @property
    def is_dearer(self) -> bool:
        """Whether the requests cost so much more than sending everything, which could still be
        sent, and go on doing so, that the spec should give way. What was read back is another's
        to answer for."""
        sums = self._sums
        return sums.losses >= IN_A_ROW and self._is_dear(sums.cost - sums.read_back_cost)

    @property
    def is_read_dear(self) -> bool:
        """Whether that is so because of what was read back, and for no other reason."""
        sums = self._sums
        own = self._is_dear(sums.cost - sums.read_back_cost)
        return sums.calls >= ENOUGH and self._is_dear(sums.cost) and not own

    @property
    def _sums(self) -> "_Sums":
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
        return self._by_log.setdefault(log, Ledger())

    def sent(self, pack: Pack, snapshot: Snapshot, target: Target, compiler: SpecCompiler) -> None:
        """Count a call.

        Args:
            compiler: with the memo of the conversation, and the agent.
        """
        prefixes = [fold.prefix for fold in pack.manifest.folds if fold.prefix is not None]
        known = prefixes[-1] if prefixes else None
        refs = pack.manifest.shows_refs
        whole = compiler.tokens_of_everything(snapshot, target, known, refs=refs)
        whole += pack.manifest.fixed_tokens
        ledger, unstripped = self.of(snapshot.log), None
        previous = ledger.previous(snapshot.position)
        if previous is not None and (then := _before_stripped(previous, snapshot, target)):
            before = compiler.tokens_of_everything(then, target, refs=refs)
            unstripped = before + pack.manifest.fixed_tokens
        ledger.sent(pack, whole, target, unstripped)

    def decide(self, spec: Expr, target: Target, session: Session) -> Decided:
        """As `decided`; what was given up is saved with the session."""
        made = self.decided(spec, target, session.log, session.metadata)
        if made.notes:
            ledger = self.of(session.log)
            saved = {"spec": repr(spec), "why": ledger.suspended, "unread": ledger.unread}
            session.metadata[SUSPENDED] = {key: value for key, value in saved.items() if value}
        return made

    def decided(self, spec: Expr, target: Target, log: Log, metadata: Mapping[str, Any]) -> Decided:
        """The spec and the target for the next call of a conversation.

        Args:
            metadata: the session's: what was given up before a restart is so after it.
        """
        if not self._suspends:
            return Decided(spec, target)
        ledger = self.of(log)
        saved = object_if(metadata.get(SUSPENDED))
        if saved.get("spec") == repr(spec):
            ledger.suspended = ledger.suspended or str(saved.get("why") or "")
            ledger.unread = ledger.unread or str(saved.get("unread") or "")
        if target.read_back and not ledger.unread and ledger.is_read_dear:
            ledger.unread = _unread(ledger.summary())
        if self._instead is not None and not ledger.suspended and ledger.is_dearer:
            ledger.suspended = self._gives_way(spec, ledger)
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
        f"reading back cost {_dollars(summary.read_back_cost)} of {_dollars(summary.cost)} over "
        f"{summary.calls} calls, {_more(summary)} % more than sending everything: it is no longer "
        "offered (Engine(suspend=False) keeps it)"
    )


def _more(summary: LedgerSummary) -> int:
    return 100 * summary.cost // max(1, summary.whole_cost) - 100


def _before_stripped(before: Pack, snapshot: Snapshot, target: Target) -> Snapshot | None:
    """The session in front of the first reasoning that was sent at the call before and is left out
    now, since its turn is over; None where the model leaves out none, or there is none."""
    if target.reasoning != "strip-old":
        return None
    last = snapshot.log.exchange_index(before.manifest.position - 1)
    turn = snapshot.log.turn_of(last)
    if turn == snapshot.turn:
        return None
    place = snapshot.turn_start(turn)
    first = snapshot.exchanges(place, place + 1)[0].positions[0]
    thoughts = snapshot.positions("type", "thinking")
    at = next((one for one in thoughts if one >= first), None)
    return None if at is None else msgspec.structs.replace(snapshot, position=at)


class _Sums(msgspec.Struct, frozen=True, kw_only=True):
    """What calls took; money in picodollars, so that nothing is lost in sums.

    Args:
        losses: calls that cost more than sending everything, one behind the other up to the newest.
    """

    calls: int = 0
    tokens: int = 0
    cached: int = 0
    cost: int = 0
    whole_tokens: int = 0
    whole_cost: int = 0
    newest_whole: int = 0
    losses: int = 0
    fits: bool = True
    billed_calls: int = 0
    billed: int = 0
    expected: int = 0
    read_back_cost: int = 0

    def plus(self, later: "_Sums") -> "_Sums":
        """Both; of what is of one moment, the later."""
        if not later.calls:
            return self
        sums = {
            name: getattr(self, name) + getattr(later, name)
            for name in self.__struct_fields__
            if name not in {"newest_whole", "losses", "fits"}
        }
        losses = self.losses + later.losses if later.losses else 0
        return _Sums(**sums, newest_whole=later.newest_whole, losses=losses, fits=later.fits)


def _expired(before: Pack | None, pack: Pack, ttl_s: int) -> bool:
    """Whether a cache has forgotten the request before, where both moments are known."""
    then = before.manifest.now_ms if before is not None else None
    now = pack.manifest.now_ms
    return then is not None and now is not None and now - then > ttl_s * 1000


def _known(model: str) -> ModelInfo | None:
    try:
        return model_info(model)
    except ModelError:
        return None


def _paid(info: ModelInfo | None, usage: Usage) -> int:
    """Picodollars of what was billed for a request's input."""
    return _cost(info, usage.input, usage.cached, usage.cache_write, usage.long_cache_write)


def _cost(info: ModelInfo | None, tokens: int, read: int, written: int, long: int = 0) -> int:
    """Picodollars of a request's input."""
    if info is None:
        return 0
    prices = info.prices(tokens)
    fresh = max(0, tokens - read - written)
    long = min(long, written)
    written_cost = (written - long) * prices.write + long * prices.long_write
    return read * prices.cached + written_cost + fresh * prices.input
