"""What specs came to, session by session, and how sure that is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from contextwright.optional_imports import optional_imports
from contextwright.sweep.arrow import pq

with optional_imports("tune", "numpy", "numpy"):
    import numpy as np

RESAMPLES = 2000
"""Draws of as many sessions as there are: ends of a 95 % interval move by less than a tenth of its
length from one seed to another."""
_SUMS = ("needing", "whole", "values", "in_sight", "cost", "whole_cost", "cached", "tokens")
_SHARES = {
    "calls": ("whole", "needing"),
    "values": ("in_sight", "values"),
    "cost": ("cost", "whole_cost"),
    "prefix": ("cached", "tokens"),
}
"""What each objective is a share of what. Sums over sessions, so a long one weighs as its bill."""


class SessionSums(msgspec.Struct):
    """The calls of a session under a spec.

    Args:
        needing: calls that give values from before to tools. whole: those of them that were shown
            all of these.
        the rest: sums of the columns of the same names. errors: calls without a request.
    """

    source: str
    row: int
    needing: int = 0
    whole: int = 0
    values: int = 0
    in_sight: int = 0
    cost: float = 0
    whole_cost: float = 0
    cached: int = 0
    tokens: int = 0
    errors: int = 0


class Interval(NamedTuple):
    """A figure, and between what it lies in 95 of 100 draws of the sessions."""

    low: float
    figure: float
    high: float


def session_sums(result: Path) -> dict[str, list[SessionSums]]:
    """The sessions of a sweep's result by spec, in their order."""
    sums: dict[str, list[SessionSums]] = {}
    file: Any = pq.ParquetFile(result)
    for batch in file.iter_batches():
        for row in batch.to_pylist():
            sessions = sums.setdefault(row["spec"], [])
            place = (row["source"], row["row"])
            if not sessions or (sessions[-1].source, sessions[-1].row) != place:
                sessions.append(SessionSums(*place))
            _add(sessions[-1], row)
    return sums


def _add(one: SessionSums, row: dict[str, Any]) -> None:
    one.errors += bool(row["error"])
    one.needing += row["values"] > 0
    one.whole += 0 < row["values"] == row["in_sight"]
    for name in ("values", "in_sight", "cost", "whole_cost", "cached", "tokens"):
        setattr(one, name, getattr(one, name) + row[name])


def figures(sessions: Sequence[SessionSums]) -> dict[str, float]:
    """Every objective over sessions: shares, from 0 to 1; of cost what was paid of what sending
    everything costs."""
    table = _table(sessions)
    return {name: float(_share(table.sum(axis=0), name)) for name in _SHARES}


def intervals(sessions: Sequence[SessionSums], seed: int = 0) -> dict[str, Interval]:
    """Every objective with its interval, by the bootstrap over sessions."""
    return _intervals(figures(sessions), _drawn(_table(sessions), seed))


def differences(
    one: Sequence[SessionSums], other: Sequence[SessionSums], seed: int = 0, *, tests: int = 1
) -> dict[str, Interval]:
    """By how much the first is above the second, over the same sessions, which are drawn in
    pairs.

    Args:
        tests: differences of which one is picked: each interval is that much wider (Bonferroni),
            so that 95 of 100 draws hold all of them.
    """
    ours, others = (_drawn(_table(sessions), seed) for sessions in (one, other))
    middle, base = figures(one), figures(other)
    return _intervals(
        {name: middle[name] - base[name] for name in _SHARES},
        {name: ours[name] - others[name] for name in _SHARES},
        tests,
    )


def _table(sessions: Sequence[SessionSums]) -> Any:
    return np.array([[getattr(one, name) for name in _SUMS] for one in sessions], dtype=float)


def _drawn(table: Any, seed: int) -> dict[str, Any]:
    """Every objective of every draw; the same seed draws the same sessions."""
    count = len(table)
    drawn = np.random.default_rng(seed).integers(0, count, (RESAMPLES, count))
    weights = np.apply_along_axis(np.bincount, 1, drawn, minlength=count)
    sums = (weights @ table).T
    return {name: _share(sums, name) for name in _SHARES}


def _share(sums: Any, name: str) -> Any:
    part, whole = (sums[_SUMS.index(each)] for each in _SHARES[name])
    # no values were needed: all of them were in sight
    return np.where(whole > 0, part / np.maximum(whole, 1e-9), 1.0)


def _intervals(
    middle: dict[str, float], drawn: dict[str, Any], tests: int = 1
) -> dict[str, Interval]:
    made: dict[str, Interval] = {}
    for name, figure in middle.items():
        low, high = np.percentile(drawn[name], [2.5 / tests, 100 - 2.5 / tests])
        made[name] = Interval(round(float(low), 6), round(figure, 6), round(float(high), 6))
    return made
