"""All that a page shows of a session under some specs, as JSON data: columns, not objects."""

from collections.abc import Callable, Sequence
from typing import Any

from contextwright.blocks.speaker import least_trusted
from contextwright.engine.engine import memo_of
from contextwright.errors import ModelError
from contextwright.inspect.alignment import source_parts
from contextwright.inspect.call_moments import CallMoment, call_moments
from contextwright.inspect.labels import labels_of
from contextwright.inspect.redactions import cleaner, redaction_counts
from contextwright.inspect.series import Series, SpecRun
from contextwright.inspect.text_table import KINDS, ROLES, TextTable
from contextwright.render.target import Target
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Expr
from contextwright.tokens.models import model_info

Progress = Callable[[int, int], None]
"""Is told how many compiles of how many are done."""


def page_data(
    session: Session,
    specs: Sequence[tuple[str, Expr]],
    target: Target,
    title: str,
    progress: Progress = lambda done, total: None,
) -> dict[str, Any]:
    """Compile every call of a session under each spec.

    Args:
        specs: each as it is shown, and itself.
        title: the session's name.
    """
    table = TextTable(cleaner([spec for _, spec in specs]))
    calls = call_moments(session)
    whole = session.snapshot()
    orders = range(whole.preamble, whole.exchange_count)
    rows = {order: row for row, order in enumerate(orders)}
    series: list[dict[str, Any]] = []
    everything: dict[str, list[int]] = {"tokens": [], "cost": []}
    for number, (shown, spec) in enumerate(specs):
        run, one = (
            SpecRun(session, spec, target, memo_of(session.log)),
            Series(shown, target, table, rows),
        )
        for at, call in enumerate(calls):
            done = run.compiled(call)
            one.add(done)
            if not number:
                everything["tokens"].append(done.whole_tokens)
                everything["cost"].append(done.whole_cost)
            progress(number * len(calls) + at + 1, len(specs) * len(calls))
        series.append(one.data())
    return {
        "version": 1,
        "title": title,
        "events": len(session),
        "target": target_data(target),
        "roles": ROLES,
        "kinds": KINDS,
        "calls": _call_columns(calls, whole),
        "turns": _turns(whole, table.clean),
        "blocks": _blocks(session, specs, whole, table, orders),
        "series": series,
        "everything": everything,
        "redactions": redaction_counts(session, [spec for _, spec in specs]),
        "texts": table.texts,
        "parts": table.parts,
    }


def target_data(target: Target) -> dict[str, Any]:
    """Who the requests are for, and by which rules they are billed; no prices where none are
    known."""
    rules = target.cache_rules
    try:
        prices: dict[str, int] | None = {
            "input": (info := model_info(target.model)).input_price,
            "read": info.cached_price,
            "write": info.cache_write_price,
        }
    except ModelError:
        prices = None
    if prices is not None and not prices["input"]:
        prices = None
    return {
        "model": target.model,
        "format": target.format,
        "counter": target.counter.id,
        "factor": target.counter.factor,
        "exact": target.counter.exact,
        "window": target.window,
        "prices": prices,
        "minimum": rules.minimum,
        "breakpoints": rules.breakpoints,
        "ttl": rules.ttl_s,
    }


def _call_columns(calls: Sequence[CallMoment], whole: Snapshot) -> dict[str, list[Any]]:
    log = whole.log
    behind = [log.exchange_index(call.position - 1) for call in calls]
    turns = [one.turn for one in whole.exchanges(0)]
    return {
        "position": [call.position for call in calls],
        "turn": [turns[order] for order in behind],
    }


def _turns(whole: Snapshot, clean: Callable[[str], str]) -> list[str]:
    """The first words of each turn."""
    texts: dict[int, str] = {}
    for exchange in whole.exchanges(0):
        texts.setdefault(exchange.turn, clean(exchange.first.text[:2_000])[:80])
    return [texts.get(turn, "") for turn in range(max(texts, default=-1) + 1)]


def _blocks(
    session: Session,
    specs: Sequence[tuple[str, Expr]],
    whole: Snapshot,
    table: TextTable,
    orders: range,
) -> dict[str, list[Any]]:
    labels = labels_of(session, *(spec for _, spec in specs))
    columns: dict[str, list[Any]] = {
        name: []
        for name in ("id", "who", "begins", "role", "turn", "texts", "start", "pinned", "trust")
    }
    for exchange in whole.exchanges(orders.start, orders.stop):
        label = labels[exchange.first.id]
        sources = source_parts(exchange.index, whole)
        values = (
            table.clean(exchange.first.id),
            label.who,
            label.begins[:120],
            exchange.first.role,
            exchange.turn,
            [
                [KINDS.index(one.kind), table.number(one.text), table.clean(one.name)]
                for one in sources
            ],
            exchange.positions[0],
            exchange.pinned,
            least_trusted(exchange.events),
        )
        for column, value in zip(columns.values(), values, strict=True):
            column.append(value)
    return columns
