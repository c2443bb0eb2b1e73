"""The running sums of a conversation: what its calls took, and what everything would have taken."""

import msgspec

from contextwright.compiler.manifest import Manifest
from contextwright.compiler.pack import Pack
from contextwright.compiler.receipt import Receipt, is_lost
from contextwright.tokens.models import ModelInfo
from contextwright.tokens.usage import Usage

PICO = 1_000_000
"""Picodollars of a microdollar: tokens times microdollars a million tokens."""


class DecidedAt(msgspec.Struct, frozen=True):
    """Where a spec decided what a request holds.

    Args:
        position: of the log; 0 for nowhere. counter: by whose tokens.
    """

    position: int = 0
    counter: str = ""


class ConversationSums(msgspec.Struct, frozen=True, kw_only=True):
    """What calls took; money in picodollars, so that nothing is lost in sums.

    Args:
        newest_whole: tokens of everything at the newest call. fits: whether it could be sent.
        losses: calls that cost more than sending everything, one behind the other up to the newest;
            lost: by how much. anew: what more everything would have cost at the newest call behind
            what the cache read of this one, than from a cache that had all of it.
        put_off: calls at which a step waited.
        is_whole: whether every request was everything.
        decided: where the spec decided what the newest request holds.
    """

    calls: int = 0
    tokens: int = 0
    cached: int = 0
    cost: int = 0
    whole_tokens: int = 0
    whole_cost: int = 0
    newest_whole: int = 0
    losses: int = 0
    lost: int = 0
    anew: int = 0
    fits: bool = True
    billed_calls: int = 0
    billed: int = 0
    expected: int = 0
    read_back_cost: int = 0
    put_off: int = 0
    is_whole: bool = True
    decided: DecidedAt = DecidedAt()

    def plus(self, later: "ConversationSums") -> "ConversationSums":
        """Both; of what is of one moment, the later."""
        if not later.calls:
            return self
        in_a_row = bool(later.losses)
        return ConversationSums(
            calls=self.calls + later.calls,
            tokens=self.tokens + later.tokens,
            cached=self.cached + later.cached,
            cost=self.cost + later.cost,
            whole_tokens=self.whole_tokens + later.whole_tokens,
            whole_cost=self.whole_cost + later.whole_cost,
            newest_whole=later.newest_whole,
            losses=self.losses + later.losses if in_a_row else 0,
            lost=self.lost + later.lost if in_a_row else later.lost,
            anew=later.anew,
            fits=later.fits,
            billed_calls=self.billed_calls + later.billed_calls,
            billed=self.billed + later.billed,
            expected=self.expected + later.expected,
            read_back_cost=self.read_back_cost + later.read_back_cost,
            put_off=self.put_off + later.put_off,
            is_whole=later.is_whole,
            decided=later.decided,
        )


def decided_by(
    receipt: Manifest | Receipt, previous: Pack | None, sums: ConversationSums
) -> DecidedAt:
    """Where the spec decided what a call holds: where it last changed anything else than before,
    as from there the log alone says the rest."""
    if receipt.decided_at or previous is None:
        return DecidedAt(receipt.decided_at or receipt.position, receipt.counter)
    before, grew = previous.receipt, receipt.prefix is not None and not is_lost(receipt)
    same = len(before.changes) == len(receipt.changes) and before.left_out == receipt.left_out
    return sums.decided if grew and same else DecidedAt(receipt.position, receipt.counter)


def is_expired(before: Pack | None, pack: Pack, ttl_s: int) -> bool:
    """Whether a cache has forgotten the request before, where both moments are known."""
    then = before.receipt.now_ms if before is not None else None
    now = pack.receipt.now_ms
    return then is not None and now is not None and now - then > ttl_s * 1000


def paid_for(info: ModelInfo | None, usage: Usage) -> int:
    """Picodollars of what was billed for a request's input."""
    return input_price(info, usage.input, usage.cached, usage.cache_write, usage.long_cache_write)


def input_price(info: ModelInfo | None, tokens: int, read: int, written: int, long: int = 0) -> int:
    """Picodollars of a request's input."""
    if info is None:
        return 0
    prices = info.prices(tokens)
    fresh = max(0, tokens - read - written)
    long = min(long, written)
    written_cost = (written - long) * prices.write + long * prices.long_write
    return read * prices.cached + written_cost + fresh * prices.input
