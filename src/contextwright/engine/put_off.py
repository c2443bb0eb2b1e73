"""Steps that wait until they are paid for (docs/adr/0085-a-step-waits-until-it-is-paid-for.md).

What a spec changes of a request that was sent before is read anew, or written, at its provider's
prices. It is sent once what the conversation saved so far, and what this very call saves, covers
that. Until then the request goes on as it was, with what is new behind it. A long one is lent a
little that its next calls bring back. So, at no call, has a conversation cost more than 1.01 of
what sending everything would have.

Words that promise no size wait by default, and less long: until their next calls bring a step back
(docs/adr/0143-what-promises-no-size-waits-by-default.md).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import msgspec

from contextwright.compiler.pack import Pack
from contextwright.compiler.plan import plan
from contextwright.compiler.receipt import is_lost
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.engine.conversation_sums import PICO, DecidedAt
from contextwright.engine.default_spec import OF_COST, atoms_of, decides_at_steps, words_of
from contextwright.engine.event_hooks import with_notes
from contextwright.engine.ledger import CallPrice, Ledgers, with_counter
from contextwright.engine.ledger_summary import dollars
from contextwright.errors import BudgetError, ContextwrightError
from contextwright.formats.fields import object_if
from contextwright.render.target import Target
from contextwright.session.log import Log
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Atom, Expr
from contextwright.spec.memo import Memo
from contextwright.spec.terminal import Refuse
from contextwright.tokens.models import known_model

PUT_OFF = "contextwright.put_off"
"""Key of a session's metadata: the spec whose step waits, and where it decided."""
WAITING = (OF_COST - {"summarize"}) | {"cap"}
"""Words whose changes wait: they say how much of a conversation is sent, and ask no model."""

SIZELESS = frozenset({"decay", "salient"})
"""Words that name no number of tokens."""


def may_wait(spec: Expr) -> bool:
    """Whether a spec's steps can wait."""
    return not _why_not(spec)


def waits_by_default(spec: Expr) -> bool:
    """Whether a spec's steps wait where nobody asks for it: no size of a request is promised, as it
    has no limit, and its words name none, or one that what they may not shorten can pass. Words
    without steps change the newest alone: what waits would become a step of the whole."""
    words = [one for one in atoms_of(spec) if not (isinstance(one, Atom) and one.word == "default")]
    return bool(words) and all(map(_is_sizeless, words)) and may_wait(spec)


def _is_sizeless(word: Expr) -> bool:
    if not isinstance(word, Atom):
        return False
    return word.word in SIZELESS or (bool(word.traits.stepped) and word.traits.view == "least")


def _why_not(spec: Expr) -> str:
    """Why a spec's steps can not wait: it says what is seen, not only how much of it, asks models,
    or refuses what is over its limit; empty where they can."""
    planned = plan(spec)
    stages = planned.terminal.stages if planned.terminal is not None else ()
    if any(isinstance(stage, Refuse) for stage in stages):
        return "it refuses what is over its limit"
    if planned.stands_on_conversation and set(words_of(planned.body)) <= WAITING:
        return ""
    return "it says what is seen, not only how much of it, or asks a model"


class _Wait(NamedTuple):
    """Where a request goes on from, and why; `is_anew` where that is from everything."""

    decided: DecidedAt = DecidedAt()
    why: str = ""
    is_anew: bool = False


class PutOff:
    """The steps of an engine's conversations that wait.

    Args:
        spec: the engine's.
        waits: whether each does until it is paid for.
        gives_way: whether a spec that turns out dear may give way, and so may wait before.
    """

    def __init__(
        self, spec: Expr, ledgers: Ledgers, *, waits: bool, gives_way: bool = False
    ) -> None:
        self._spec, self._ledgers = spec, ledgers
        self._by_default = gives_way and not waits and waits_by_default(spec)
        self._waits = waits or self._by_default
        self._why_not = _why_not(spec) if waits else ""
        self._at_steps = decides_at_steps(spec)
        self._memos: WeakKeyDictionary[Log, Memo] = WeakKeyDictionary()

    def going_on(
        self, pack: Pack, snapshot: Snapshot, target: Target, compiler: SpecCompiler
    ) -> Pack:
        """The pack, or, where it takes a step that is not paid for, the one of before with what
        is new behind it.

        Args:
            compiler: which made it, with the notes and the answers that it had.
        """
        if not self._waits or compiler.spec != self._spec or pack.receipt.decided_at:
            return pack
        priced = known_model(target.model) is not None
        if self._by_default and not priced:
            return pack
        if why := self._why_not if priced else f"no prices of {target.model!r} are known":
            return with_notes(pack, [f"never_dearer: {self._spec!r} is not judged: {why}"])
        previous = self._ledgers.of(snapshot.log).previous(snapshot.position)
        if previous is None:
            wait = _Wait(_saved(snapshot.metadata, self._spec), "it was before a restart")
        else:
            wait = self._unpaid(pack, snapshot, target, compiler)
        decided = wait.decided
        if not 0 < decided.position < snapshot.position:
            return pack
        until = "never_dearer: until it is paid for"
        if self._by_default:
            until = "suspend: until its next calls bring it back"
        note = f"{self._spec!r} is put off: {wait.why} ({until})"
        notes = (note, *compiler.notes)
        waiting = msgspec.structs.replace(compiler, notes=notes, decided_at=decided.position)
        then = with_counter(target, decided.counter)
        on = self._on(pack, previous, snapshot, then, waiting)
        if not on.receipt.decided_at or wait.is_anew or not is_lost(on.receipt):
            return on
        # what moves at its end goes on as little
        taken = self._ledgers.price_of(pack, snapshot, target, compiler)
        waited = self._ledgers.price_of(on, snapshot, then, waiting)
        sent, price = (pack, taken) if waited.cost >= taken.cost else (on, waited)
        if price.is_covered or self._by_default:  # by default nothing is promised
            return sent
        return with_notes(sent, [self._dearer(price)])

    def _pays(self, price: CallPrice) -> bool:
        """Whether a step is taken at this price. What moves at each call has no step of which it is
        known what the next calls read."""
        is_soon = self._by_default and self._at_steps and price.is_soon
        return price.is_covered or is_soon

    def _dearer(self, price: CallPrice) -> str:
        """What is said of a call that is dearer, whatever is sent."""
        cost, whole, saved = _in_dollars(price)
        return (
            f"never_dearer does not hold at this call: whether {self._spec!r} decides or waits, it "
            f"changes what was sent, for {cost}; everything costs {whole}, and {saved} was saved"
        )

    def _unpaid(
        self, pack: Pack, snapshot: Snapshot, target: Target, compiler: SpecCompiler
    ) -> "_Wait":
        """Where a request goes on from whose step is not paid for; from nowhere where it is, or
        there is none."""
        price = self._ledgers.price_of(pack, snapshot, target, compiler)
        least = target.cache_rules.minimum
        reread = (
            f"{pack.tokens:,} tokens would be read anew at each call, as a cache takes {least:,} "
            "or more"
        )
        if price.is_reread and price.is_first_cached:  # all of it costs no more than ever now
            return _Wait(DecidedAt(_begun(snapshot), target.counter.id), reread, is_anew=True)
        if not is_lost(pack.receipt) or (self._pays(price) and not price.is_reread):
            return _Wait()
        if self._pays(price):
            why = reread
        else:
            cost, whole, saved = _in_dollars(price)
            why = (
                f"a step to {pack.tokens:,} tokens costs {cost}, everything {whole}, and {saved} "
                "was saved so far"
            )
        return _Wait(self._ledgers.of(snapshot.log).decided(snapshot.position), why)

    def _on(
        self,
        pack: Pack,
        previous: Pack | None,
        snapshot: Snapshot,
        target: Target,
        compiler: SpecCompiler,
    ) -> Pack:
        """The request of before with what is new, where there can be one."""
        memo = self._memos.get(snapshot.log)
        if memo is None:  # in the log's own, decisions of now and of then would displace each other
            memo = self._memos.setdefault(snapshot.log, Memo())
        try:
            compiler = msgspec.structs.replace(compiler, memo=memo)
            return compiler.compile(snapshot, target, previous=previous)
        except BudgetError:
            return with_notes(pack, ["a step is taken: without it there is no room in the window"])
        except ContextwrightError as error:
            return with_notes(pack, [f"a step could not be put off: {type(error).__name__}"])

    def noted(self, pack: Pack, session: Session, target: Target, compiler: SpecCompiler) -> Pack:
        """As `going_on`; that a step waits is saved with the session, so that it does after a
        restart."""
        if self._waits:
            pack = self.going_on(pack, session.snapshot(), target, compiler)
        if place := pack.receipt.decided_at:
            counter = pack.receipt.counter
            saved = {"spec": repr(self._spec), "decided_at": place, "counter": counter}
            session.metadata[PUT_OFF] = saved
        else:
            session.metadata.pop(PUT_OFF, None)
        return pack


def _saved(metadata: Mapping[str, Any], spec: Expr) -> DecidedAt:
    """Where the spec decided before a restart, if a step waited then."""
    saved = object_if(metadata.get(PUT_OFF))
    place, counter = saved.get("decided_at"), saved.get("counter")
    if saved.get("spec") != repr(spec) or not isinstance(place, int):
        return DecidedAt()
    return DecidedAt(place, str(counter))


def _in_dollars(price: CallPrice) -> tuple[str, str, str]:
    amounts = (price.cost, price.whole_cost, price.saved_before)
    cost, whole, saved = (dollars(amount // PICO) for amount in amounts)
    return cost, whole, saved


def _begun(snapshot: Snapshot) -> int:
    """The position behind the first exchange of the conversation, of which nothing is left out."""
    first = snapshot.preamble
    return snapshot.exchanges(first, first + 1)[0].positions[-1] + 1
