"""A session under a spec, beside what its agent really sent: tokens, price, lost prefixes, and what
would not have been in sight when it was used."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from contextwright.blocks.ref import event_ref
from contextwright.compiler.manifest import PrefixLoss
from contextwright.engine.engine import memo_of
from contextwright.inspect.call_moments import CallMoment
from contextwright.inspect.fates import DROPPED, RAW, FateSeries
from contextwright.inspect.redactions import cleaner
from contextwright.inspect.series import CallPack, SpecRun
from contextwright.render.target import Target
from contextwright.session.session import Session
from contextwright.spec.expr import Expr
from contextwright.stores.refs import Refs
from contextwright.tokens.models import model_info
from contextwright.traces.call_mark import CallMark, call_marks, trace_record
from contextwright.traces.chat_message import json_value
from contextwright.traces.later_values import argument_terms, event_text, request_text, shows
from contextwright.traces.sent_requests import SentRequest, SentRequests, request_cost

Progress = Callable[[int, int], None]


class RequestSums(msgspec.Struct, kw_only=True):
    """What the requests of a session came to.

    Args:
        tokens, cached: of all requests, and those of them that a cache read.
        largest: tokens of the largest one. cost: microdollars, 0 where no price is known.
        lost: requests that did not begin with the one before them.
        unseen: values that a call used, and its request did not show.
    """

    tokens: int = 0
    cached: int = 0
    largest: int = 0
    cost: int = 0
    lost: int = 0
    unseen: int = 0

    def add(self, tokens: int, cached: int, cost: int, *, lost: bool) -> None:
        """Count a request."""
        self.tokens += tokens
        self.cached += cached
        self.cost += cost
        self.lost += lost
        self.largest = max(self.largest, tokens)

    def plus(self, other: "RequestSums") -> "RequestSums":
        """Both."""
        names = self.__struct_fields__
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return RequestSums(**{**sums, "largest": max(self.largest, other.largest)})


class UnseenValue(msgspec.Struct, frozen=True):
    """A value that a call used, and that our request would not have shown; without what the spec
    redacts.

    Args:
        call: the call's number, from 1. tool: that it was given to.
        ref: of the message that had it; empty where the ref does not give it back.
    """

    value: str
    call: int
    tool: str
    ref: str


class TextTrail(msgspec.Struct, frozen=True):
    """Where a text was to be seen.

    Args:
        ref: of the first message that has it.
        calls: numbers of the calls behind that message, from 1.
        sent, ours: of these, those whose requests show it: the agent's, and those of the spec.
    """

    ref: str
    calls: Sequence[int]
    sent: Sequence[int]
    ours: Sequence[int]


class SessionComparison(msgspec.Struct, kw_only=True):
    """A session under a spec, beside what was sent.

    Args:
        sent, ours: the bills of the agent's requests, and of those that the spec makes.
        values: that calls used and that stood earlier in the session.
        unseen: those of them that our requests would not have shown.
        billed_calls, billed_tokens: calls whose bill is known, and their input tokens.
        billed, counted: microdollars of these calls by what was billed, and by our count.
        counted_tokens: tokens of these calls by our count.
        shortened, dropped: exchanges, at the last call.
        failed: calls at which the spec could not be met, and why.
        trail: of the text that was looked for; None where it is nowhere.
    """

    session: Session
    model: str
    calls: int = 0
    sent: RequestSums = msgspec.field(default_factory=RequestSums)
    ours: RequestSums = msgspec.field(default_factory=RequestSums)
    values: int = 0
    unseen: list[UnseenValue] = []
    billed_calls: int = 0
    billed_tokens: int = 0
    billed: int = 0
    counted: int = 0
    counted_tokens: int = 0
    shortened: int = 0
    dropped: int = 0
    failed: list[str] = []
    trail: TextTrail | None = None


def compare(
    session: Session,
    spec: Expr,
    target: Target,
    *,
    find: str = "",
    progress: Progress = lambda done, total: None,
) -> SessionComparison:
    """Compile every call of a session's model under a spec, and hold it against what was sent.

    Args:
        target: who the requests are for; what was sent is counted and priced by it, too.
        find: a text to follow through the requests.
        progress: called with the calls done and how many there are.
    """
    marks = call_marks(session)
    run = SpecRun(session, spec, target, memo_of(session.log))
    sent = SentRequests(session, target, trace_record(session))
    made = SessionComparison(session=session, model=target.model, calls=len(marks))
    clean = cleaner([spec])
    sights = _Sights(session, find, clean)
    newest: CallPack | None = None
    for number, mark in enumerate(marks, 1):
        call = run.compiled(_moment(session, mark))
        if call.pack is None:
            made.failed.append(clean(f"call {number}: {call.error}"))
        else:
            newest = call
            request = sent.priced(mark, call.whole_tokens)
            _count(made, mark, call, request)
            sights.look(made, number, mark, call, request)
        progress(number, len(marks))
    if newest is not None and newest.pack is not None:
        changes = FateSeries().changed(newest.pack.manifest, newest.snapshot)
        fates = [fate.fate for _, fate in changes]
        made.dropped = fates.count(DROPPED)
        made.shortened = sum(fate not in (0, RAW, DROPPED) for fate in fates)
    made.trail = sights.trail()
    return made


def _moment(session: Session, mark: CallMark) -> CallMoment:
    version = sum(change.position <= mark.at for change in session.changes)
    return CallMoment(mark.at, version, mark.time_ms)


def _count(made: SessionComparison, mark: CallMark, call: CallPack, request: SentRequest) -> None:
    """Add a call to the bills."""
    assert call.pack is not None
    manifest = call.pack.manifest
    lost = manifest.prefix is not None and isinstance(manifest.prefix.loss, PrefixLoss)
    made.ours.add(manifest.tokens, call.cached, call.cost, lost=lost)
    made.sent.add(request.tokens, request.cached, request.cost, lost=mark.lost)
    usage = mark.usage
    if usage is not None:
        made.billed_calls += 1
        made.billed_tokens += usage.input
        made.counted_tokens += request.tokens
        made.counted += request.cost
        info = model_info(made.model) if request.cost else None
        made.billed += request_cost(info, usage.input, usage.cached, usage.cache_write)


class _Sights:
    """What requests show of what their answers use."""

    def __init__(self, session: Session, find: str, clean: Callable[[str], str]) -> None:
        self._session, self._find, self._clean = session, find, clean
        self._texts = [event_text(event) for event in session.log]
        self._first = next((n for n, text in enumerate(self._texts) if find and find in text), -1)
        self._refs, self._read = Refs(session.snapshot()), dict[str, str]()
        self._trail: tuple[list[int], list[int], list[int]] = ([], [], [])

    def look(
        self,
        made: SessionComparison,
        number: int,
        mark: CallMark,
        call: CallPack,
        request: SentRequest,
    ) -> None:
        """Count what the answer of a call uses, and follow the text that is looked for."""
        assert call.pack is not None
        follows = 0 <= self._first < mark.at
        terms = list(self._terms(mark.at))
        if not terms and not follows:
            return
        shown = request_text(call.pack.request)
        if follows:
            whole = request.text is None or self._find in request.text
            for listed, is_there in zip(
                self._trail, (True, whole, self._find in shown), strict=True
            ):
                listed += [number] if is_there else []
        earlier = self._texts[: mark.at]
        for tool, value in terms:
            home = next((n for n, text in enumerate(earlier) if shows(text, value)), -1)
            if home < 0:
                continue
            made.values += 1
            made.sent.unseen += request.text is not None and not shows(request.text, value)
            if not shows(shown, value):
                made.ours.unseen += 1
                words = map(self._clean, (value, tool, self._ref(home, value)))
                made.unseen.append(UnseenValue(next(words), number, *words))

    def _terms(self, at: int) -> Iterator[tuple[str, str]]:
        """Each tool that an answer calls, with each value that it is given."""
        if at < len(self._session):
            for call in self._session.log[at].calls:
                yield from ((call.name, value) for value in argument_terms(call.arguments))

    def _ref(self, position: int, value: str) -> str:
        """The ref of an event, where it gives the value back."""
        ref = event_ref(self._session.log[position].id)
        if ref not in self._read:
            exchange = json_value(self._refs.read(ref))
            self._read[ref] = request_text(exchange)
        return ref if value in self._read[ref] else ""

    def trail(self) -> TextTrail | None:
        """Where the text was to be seen."""
        if self._first < 0:
            return None
        return TextTrail(self._ref(self._first, self._find), *self._trail)
