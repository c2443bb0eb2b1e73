"""The rows of a session under a spec: what every call of its model would have been sent."""

import time
from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

import msgspec

from contextwright.inspect.call_moments import CallMoment, call_moments
from contextwright.inspect.fates import DROPPED, outside_fates, sent_fates
from contextwright.inspect.series import CallPack, SpecRun
from contextwright.render.target import Target
from contextwright.session.session import Session
from contextwright.spec.expr import Expr
from contextwright.spec.memo import Memo
from contextwright.traces.later_values import argument_terms, event_text, request_text, shows


class CallRow(msgspec.Struct, frozen=True, kw_only=True):
    """A call under a spec. What can not be known of a call with an error is 0.

    Args:
        source, row: where the session is: a file and its line, a store and its place, from 0.
        session: its id. spec: the name of the spec. call: its number, from 1.
        position: events that had happened.
        tokens: of the request. budget: that it had. cached: of its tokens, read from a cache by
            the provider's rules.
        cost: microdollars, by the model's prices; 0 where they are not known.
        whole_tokens, whole_cost: of sending everything instead.
        prefix: tokens that it begins with as the request before did.
        values: that the answer gives to tools, and that stand earlier in the session.
        in_sight: of these, shown by the request. evidence: of these, in sight, or of a message
            that is not dropped: shortened, in a note, or behind a ref.
        violations: rules of the provider, or of its own budget, that the request breaks.
        error: why there is no request; empty where there is one.
        seconds: that compiling took: of a machine, and no two runs have the same.
    """

    source: str
    row: int
    session: str
    spec: str
    call: int
    position: int
    tokens: int = 0
    budget: int = 0
    cached: int = 0
    cost: int = 0
    whole_tokens: int = 0
    whole_cost: int = 0
    prefix: int = 0
    values: int = 0
    in_sight: int = 0
    evidence: int = 0
    violations: int = 0
    error: str = ""
    seconds: float = 0.0


class SessionPlace(NamedTuple):
    """Where a session is."""

    source: str
    row: int


def call_rows(
    session: Session,
    place: SessionPlace,
    name: str,
    spec: Expr,
    target: Target,
    share: float = 1.0,
) -> Iterator[CallRow]:
    """A row for each call of a session's model, in their order; of a `share` of them, the first."""
    run, texts = SpecRun(session, spec, target, Memo()), [event_text(each) for each in session.log]
    moments = call_moments(session)
    for number, moment in enumerate(moments[: ceil(share * len(moments))], 1):
        started = time.perf_counter()
        call = run.compiled(moment)
        seconds = time.perf_counter() - started
        row = CallRow(
            source=place.source,
            row=place.row,
            session=session.id,
            spec=name,
            call=number,
            position=moment.position,
            seconds=seconds,
        )
        if call.pack is None:
            yield msgspec.structs.replace(row, error=str(call.error))
        else:
            yield _measured(row, session, texts, moment, call, target)


def _measured(
    row: CallRow,
    session: Session,
    texts: list[str],
    moment: CallMoment,
    call: CallPack,
    target: Target,
) -> CallRow:
    assert call.pack is not None
    manifest = call.pack.manifest
    values, in_sight, evidence = _values(session, texts, moment, call)
    return msgspec.structs.replace(
        row,
        tokens=manifest.tokens,
        budget=manifest.budget,
        cached=call.cached,
        cost=call.cost,
        whole_tokens=call.whole_tokens,
        whole_cost=call.whole_cost,
        prefix=manifest.prefix.tokens if manifest.prefix is not None else 0,
        values=values,
        in_sight=in_sight,
        evidence=evidence,
        violations=_violations(call, target),
    )


def _values(
    session: Session, texts: list[str], moment: CallMoment, call: CallPack
) -> tuple[int, int, int]:
    """Values that the answer gives to tools and that stood earlier: all, in sight, not lost."""
    at = moment.position
    calls = session.log[at].calls if at < len(session) else ()
    terms = dict.fromkeys(term for each in calls for term in argument_terms(each.arguments))
    homes = {term: _home(texts, at, term) for term in terms}
    homes = {term: home for term, home in homes.items() if home is not None}
    if not homes or call.pack is None:
        return 0, 0, 0
    shown = request_text(call.pack.request)
    hidden = [home for term, home in homes.items() if not shows(shown, term)]
    return len(homes), len(homes) - len(hidden), len(homes) - _lost(hidden, call)


def _home(texts: list[str], end: int, term: str) -> int | None:
    """The first message before the call that has a value."""
    return next((n for n in range(end) if shows(texts[n], term)), None)


def _lost(homes: list[int], call: CallPack) -> int:
    """How many of these messages the request has nothing of."""
    if not homes or call.pack is None:
        return 0
    manifest, snapshot = call.pack.manifest, call.snapshot
    fates = {**outside_fates(manifest, snapshot), **sent_fates(manifest, snapshot)}
    exchanges = (snapshot.exchanges_of([home])[0].index for home in homes)
    return sum(
        order >= snapshot.preamble and (order not in fates or fates[order].fate == DROPPED)
        for order in exchanges
    )


def _violations(call: CallPack, target: Target) -> int:
    assert call.pack is not None
    manifest, renderer, request = call.pack.manifest, target.provider.renderer, call.pack.request
    broken = len(renderer.validate(request, target))
    broken += manifest.tokens > manifest.budget
    return broken + (renderer.measure(request, target) != manifest.tokens)
