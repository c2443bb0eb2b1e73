"""After a refusal: how many tokens the next request may have, by what the provider said."""

from collections.abc import Callable
from typing import NamedTuple
from weakref import WeakKeyDictionary

import msgspec

from contextwright.compiler.pack import Pack
from contextwright.engine.run_tasks import TaskGenerator
from contextwright.errors import BudgetError, ContextOverflowError, SessionError, SpecError
from contextwright.render.target import Target
from contextwright.session.family import Family
from contextwright.session.log import Log
from contextwright.session.session import Session
from contextwright.tokens.calibrate import Calibrator
from contextwright.tokens.context_overflow import Overflow, overflow_of

Packing = Callable[[Target, tuple[str, ...]], TaskGenerator[Pack]]
TRIES = 6
"""Compiles after one refusal, each within less than the one before."""
REFUSALS = 4
"""Refusals, one after the other, from which on it is no use."""
MARGIN = 97
"""Percent of what follows from stated numbers: other texts have another ratio."""
STEP, BYTES_STEP, AGAIN = 80, 70, 85
"""Percent of a refused request where no number is stated; where it was its bytes; where a request
came out as it was."""
CLOSE = 97
"""Percent of a refused request above which there is no use in trying."""


class Refusals(msgspec.Struct):
    """What was refused of a conversation; it holds for all of its requests to come.

    Args:
        room: tokens, as they are counted here, that they may have; 0 where nothing was refused.
        position: events that it had at the last refusal.
        count: refusals one after the other, with no new event in between.
    """

    room: int = 0
    position: int = -1
    count: int = 0

    def note(self, room: int, position: int) -> None:
        """One more refusal, and the room that the next request was compiled within."""
        self.count = self.count + 1 if position == self.position else 1
        self.room, self.position = room, position


def refusal_of(error: object) -> Overflow:
    """What a provider said of a request that is too long.

    Raises:
        the error itself, if it is one and says something else.
        SpecError: it is no error, and says nothing of a request that is too long.
    """
    overflow = overflow_of(error)
    if overflow is not None:
        return overflow
    if isinstance(error, BaseException):
        raise error
    raise SpecError(
        f"expected a provider's refusal of a request that is too long, got {error!r}"[:200],
        where="Engine.recover(session, error)",
        fix="give the error that the provider's client raised, or the body of its answer",
    )


def refused_pack(sent: Pack | None, session: Session) -> Pack:
    """The pack that was refused.

    Raises:
        SessionError: none of this session was compiled here.
    """
    if sent is None:
        raise SessionError(
            "nothing was compiled of this session that could be refused",
            where=f"Engine.recover, session {session.id!r}",
            fix="engine.compile(session) with this engine, then send its request",
        )
    return sent


class Recoveries:
    """What refusals taught, by conversation."""

    def __init__(self) -> None:
        self._by_family: WeakKeyDictionary[Family, Refusals] = WeakKeyDictionary()
        self._are_any = False  # whether anything was ever refused

    def bounded(self, target: Target, log: Log) -> Target:
        """The target with the room that is known to be there."""
        known = self._by_family.get(log.family) if self._are_any else None
        return target if known is None or not known.room else within(target, known.room)

    def of(self, log: Log) -> Refusals:
        """What was refused of a conversation so far."""
        self._are_any = True
        return self._by_family.setdefault(log.family, Refusals())


class Attempt(msgspec.Struct):
    """The next request after a refusal, by the room that it may have.

    Args:
        overflow: what the provider said.
        sent: what it refused.
        room: tokens, as they are counted here.
        is_guess: whether no number says so.
    """

    overflow: Overflow
    sent: Pack
    room: int
    is_guess: bool

    def too_large(self, error: BudgetError) -> None:
        """What must stay does not fit: a guess goes half the way back.

        Raises:
            ContextOverflowError: it was no guess, or there is no way left.
        """
        sent = self.sent.receipt.tokens
        middle = (self.room + sent) // 2
        if not self.is_guess or middle * 100 > sent * CLOSE:
            raise self.hopeless(error.what, error.fix or "shorten what is named") from error
        self.room = middle

    def same(self) -> None:
        """The request came out as it was: one step down."""
        self.room = self.room * AGAIN // 100

    def hopeless(self, what: str, fix: str) -> ContextOverflowError:
        """The error that names both sizes."""
        limit = self.overflow.limit or "fewer"
        sent = self.sent.manifest
        return ContextOverflowError(
            f"{self.overflow}; the refused request has {sent.tokens} tokens as they are counted "
            f"here, at most {self.room} would do ({limit} {self.overflow.unit} by the provider): "
            f"{what}",
            where=f"pack {sent.pack_id!r}",
            fix=fix,
        )


def recovering(
    overflow: Overflow, sent: Pack, target: Target, refusals: Refusals, packing: Packing
) -> TaskGenerator[Pack]:
    """The pack that is sent instead of a refused one.

    Args:
        target: what that was compiled for, with what the provider said of its window.
        packing: compiles for a target, with notes for the manifest.

    Raises:
        ContextOverflowError: there is no smaller one, or it was refused again and again.
    """
    attempt, position = attempt_after(overflow, sent, target), sent.receipt.position
    if refusals.position == position and refusals.count >= REFUSALS:
        raise attempt.hopeless("it was refused again and again", "send it to a larger model")
    for _ in range(TRIES):
        note = f"{overflow}: compiled again for at most {attempt.room} tokens"
        try:
            pack = yield from packing(within(target, attempt.room), (note,))
        except BudgetError as error:
            attempt.too_large(error)
            continue
        if pack.body != sent.body:
            refusals.note(attempt.room, position)
            return pack
        attempt.same()
    raise attempt.hopeless("it comes out with the same bytes", "compile a spec with a limit")


def attempt_after(overflow: Overflow, sent: Pack, target: Target) -> Attempt:
    """The first attempt after a refusal.

    Args:
        target: what the refused request was compiled for.
    """
    tokens = sent.receipt.tokens
    room, is_guess = _room(overflow, sent, target)
    return Attempt(overflow, sent, max(1, min(room, tokens * CLOSE // 100)), is_guess)


def _room(overflow: Overflow, sent: Pack, target: Target) -> tuple[int, bool]:
    """Tokens as they are counted here that the provider takes; and whether that is a guess."""
    tokens = sent.receipt.tokens
    # what the caller adds, such as ADK's instruction, is counted by the provider as well
    others = sent.receipt.reserved_system
    if overflow.unit != "tokens":
        size = overflow.requested or (len(sent.body) if overflow.unit == "bytes" else 0)
        if overflow.limit and size > overflow.limit:
            return tokens * overflow.limit * MARGIN // (size * 100), False
        return tokens * BYTES_STEP // 100, True
    most = _max_input(overflow, target)
    if most and overflow.input > most:
        return (tokens + others) * most * MARGIN // (overflow.input * 100) - others, False
    if overflow.over:
        return tokens - overflow.over * 100 // MARGIN, False
    if most and tokens + others > most:
        return most * MARGIN // 100 - others, False
    return tokens * STEP // 100, True


def _max_input(overflow: Overflow, target: Target) -> int:
    """Tokens of a request by the provider's count; 0 where it did not say."""
    if not overflow.limit or not overflow.whole or overflow.output:
        return overflow.max_input
    return overflow.limit - min(target.reserved_output, overflow.limit // 4)


def within(target: Target, room: int) -> Target:
    """The target for a request of so many tokens at most."""
    window = room + target.reserved_output + target.reserved_system
    return msgspec.structs.replace(target, window=min(target.window, window))


class _Known(NamedTuple):
    """A target before any bill, and with the counter that bills say."""

    base: Target
    target: Target


class CalibratedTarget:
    """A target as the next call has it; `base`, what it is before any bill."""

    def __init__(self, base: Target) -> None:
        self.base = base
        self._known = _Known(base, base)

    def by(self, calibrator: Calibrator) -> Target:
        """The target; the same object from turn to turn while nothing is learned."""
        base, known = self.base, self._known
        counter = calibrator.counter(base.format, base.model, base.counter)
        if known.base is not base or known.target.counter.id != counter.id:
            known = self._known = _Known(base, msgspec.structs.replace(base, counter=counter))
        return known.target

    def learn_window(self, overflow: Overflow) -> None:
        """Take the window that a provider names where it refuses a request."""
        self.base = learned_window(self.base, overflow)


def learned_window(target: Target, overflow: Overflow) -> Target:
    """The target with the window that the provider names, where that is the smaller one. The room
    for an answer is part of it: no more than a quarter, where the window is small."""
    if overflow.unit != "tokens" or not overflow.limit:
        return target
    window = overflow.limit + (0 if overflow.whole else target.reserved_output)
    if window >= target.window:
        return target
    reserved = min(target.reserved_output, window // 4)
    return msgspec.structs.replace(target, window=window, reserved_output=reserved)
