"""A search from its sessions to the spec that it found."""

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from contextwright import __version__
from contextwright.errors import SpecError
from contextwright.spec.expr import Expr
from contextwright.sweep.arrow import pq
from contextwright.sweep.run_sweep import sweep
from contextwright.sweep.sweep_job import SweepSpec
from contextwright.tune.session_sums import (
    Interval,
    SessionSums,
    differences,
    figures,
    intervals,
    session_sums,
)
from contextwright.tune.study import StudyFolder, TrialStudy, session_digest
from contextwright.tune.tune_job import OBJECTIVES, VERDICT, TuneJob
from contextwright.tune.tuned import SLACK, Tuned

PREFIX = 0.5
"""Of each session's calls, those that a trial is first tried on: they are the short ones, so half
of them is a quarter of the work."""
MARGIN = 0.02
"""By how much another must be better in every objective for a trial to be given up on a prefix."""
DEFAULT = "default"
STEPS = (1.0, 0.75, 0.5, 0.25)
"""Of the largest gain on the sessions that were searched, what the specs gain that are measured on
the others. The boldest shows least, and what it lost is rare; those behind it lose less."""


class Point(msgspec.Struct, frozen=True):
    """A trial for a plot: its number, its spec, its figures on the sessions that the search saw."""

    number: int
    spec: str
    figures: dict[str, float]

    def __hash__(self) -> int:
        return self.number


class Tuning(NamedTuple):
    """A search that came to its end.

    Args:
        tuned: what it found. points: every trial that came to its end. front: the numbers of those
            that no other beats in every objective. default: figures of the default beside them.
        chosen: the trial that was taken, None for the default.
    """

    tuned: Tuned
    points: tuple[Point, ...]
    front: tuple[int, ...]
    default: dict[str, float]
    chosen: int | None


def tune(
    sources: Iterable[str | Path],
    job: TuneJob,
    folder: str | Path,
    *,
    trials: int = 64,
    minutes: float | None = None,
    workers: int | None = None,
    engine: str = "local",
    progress: Callable[[str], None] = lambda state: None,
) -> Tuning:
    """Search the specs of a job for one that beats the default on recorded sessions.

    One half of the sessions is searched on, the other one is never looked at before a spec is
    chosen, and everything that is reported is of that half. A search that was ended goes on where
    it was; with more trials or minutes, so does one that came to its end.

    Args:
        sources: as `session_tables` takes them.
        folder: the study; made where there is none.
        trials: specs that are tried in all.
        minutes: after which no more are tried.
        workers, engine: of the sweeps.
        progress: told what is done.

    Raises:
        SpecError: fewer than two sessions; nothing was tried within the time. SessionError: no
            such sessions. StoreError: the folder is of another search.
    """
    places = [str(source) for source in sources]
    home = StudyFolder(Path(folder), job, places)
    counts = home.split(places)
    runs = _Sweeps(home, job, workers, engine, minutes, progress)
    study = home.study()
    try:
        base = runs.sums({DEFAULT: job.default.spec})[DEFAULT]
        while study.done < trials:
            _try_batch(study, runs, base, trials)
    except _OutOfTime:
        base = runs.sums({DEFAULT: job.default.spec}, late=True)[DEFAULT]
    base_figures = figures(base)
    points = tuple(Point(number, repr(spec), known) for number, spec, known in study.tried())
    if not study.done:
        raise SpecError(
            "nothing was tried within the time",
            where=str(folder),
            fix="give it more minutes; it goes on where it was",
        )
    tuned, chosen = _measured(study, runs, places, counts, candidates(points, base_figures, job))
    return Tuning(tuned, points, tuple(study.best()), base_figures, chosen and chosen.number)


def _try_batch(
    study: TrialStudy, runs: "_Sweeps", base: Sequence[SessionSums], trials: int
) -> None:
    """Try a batch, first on the first calls of each session.

    Raises:
        _OutOfTime: nothing is told of it.
    """
    batch = {f"t{number}": spec for number, spec in study.batch(trials - study.done).items()}
    if not batch:
        return
    promising = _promising(batch, runs)
    whole = runs.sums(promising) if promising else {}
    errors = sum(one.errors for one in base)
    for name in batch:
        sessions = whole.get(name)
        # what fails where the default holds is no spec for these sessions
        if sessions is None or sum(one.errors for one in sessions) > errors:
            study.give_up(int(name[1:]))
        else:
            study.tell(int(name[1:]), figures(sessions))
    runs.say(study)


def _promising(batch: dict[str, Expr], runs: "_Sweeps") -> dict[str, Expr]:
    """The trials that no other of the batch, nor the default, leaves behind in every objective on
    the first calls of each session."""
    begun = runs.sums({**batch, DEFAULT: runs.job.default.spec}, share=PREFIX)
    seen = {name: figures(sessions) for name, sessions in begun.items()}
    names = runs.job.objectives
    return {
        name: spec
        for name, spec in batch.items()
        if not any(_is_far_behind(seen[name], rival, names) for rival in seen.values())
    }


def _is_far_behind(one: dict[str, float], rival: dict[str, float], names: Sequence[str]) -> bool:
    return all((rival[name] - one[name]) * OBJECTIVES[name] > MARGIN for name in names)


def candidates(points: Sequence[Point], base: dict[str, float], job: TuneJob) -> list[Point]:
    """The trials that are worth measuring, the one that gains most over all objectives first: of
    those that lose neither calls nor cost, nor values: what shows fewer of these on one half loses
    calls on the other."""
    names = dict.fromkeys((*VERDICT, *job.objectives))
    gains = {
        point: sum(_gains(point, base, names))
        for point in points
        if min(_gains(point, base, (*VERDICT, "values"))) >= 0
    }
    best = max(gains.values(), default=0.0)
    chosen: dict[int, Point] = {}
    for step in STEPS if best > 0 else ():
        able = [point for point, gain in gains.items() if gain >= step * best]
        point = min(able, key=lambda point: (gains[point], point.number))
        chosen[point.number] = point
    return list(chosen.values())


def _gains(point: Point, base: dict[str, float], names: Iterable[str]) -> list[float]:
    return [(point.figures[name] - base[name]) * OBJECTIVES[name] for name in names]


def _measured(
    study: TrialStudy,
    runs: "_Sweeps",
    sources: Sequence[str],
    counts: tuple[int, int],
    points: Sequence[Point],
) -> tuple[Tuned, Point | None]:
    """How the candidates do on the sessions that the search never saw: the first of them that
    beats the default, else the default."""
    job, known = runs.job, {number: spec for number, spec, _ in study.tried()}
    specs = {f"t{point.number}": known[point.number] for point in points}
    sums = runs.untouched(specs)
    base = sums[DEFAULT]
    apart = {name: differences(sums[name], base, job.seed, tests=len(specs)) for name in specs} or {
        DEFAULT: differences(base, base, job.seed)
    }
    beats = next((name for name in specs if verdict(apart[name])[0]), None)
    shown = beats or next(iter(apart))
    why = verdict(apart[shown])[1] if specs else "the default stands: nothing gained on the others"
    final = job.default.spec if beats is None else specs[beats]
    bodies = pq.read_table(runs.home.untouched).column("body").to_pylist()
    tuned = Tuned(
        spec=repr(final),
        json=msgspec.json.decode(SweepSpec.of(final).json),
        beats=beats is not None,
        why=why,
        against=repr(job.default.spec),
        tried=repr(specs.get(shown, job.default.spec)),
        budget=job.budget,
        model=job.model,
        window=job.window,
        sources=tuple(sources),
        sessions=counts,
        untouched=tuple(map(session_digest, bodies)),
        measured={
            "default": intervals(base, job.seed),
            "tried": intervals(sums[shown], job.seed),
            "difference": apart[shown],
        },
        floors={
            name: round(value - SLACK * OBJECTIVES[name], 6)
            for name, value in figures(sums[beats or DEFAULT]).items()
        },
        candidates=len(specs),
        trials=study.done,
        pruned=study.pruned,
        version=__version__,
    )
    return tuned, next((point for point in points if f"t{point.number}" == beats), None)


def verdict(difference: dict[str, Interval]) -> tuple[bool, str]:
    """Whether a spec beats the default, and why: better in one of calls and cost, for sure, and not
    worse in the other."""
    gains = {name: _gain(difference[name], OBJECTIVES[name]) for name in VERDICT}
    lost = [name for name, gain in gains.items() if gain.figure < 0]
    won = [name for name, gain in gains.items() if gain.low > 0]
    if lost:
        return False, f"the default stands: {' and '.join(lost)} came out worse on these sessions"
    if not won:
        return False, "the default stands: no difference in calls or cost that is sure"
    others = [name for name in VERDICT if name not in won]
    also = f", and does not lose {' or '.join(others)}" if others else ""
    return True, f"it wins {' and '.join(won)}{also}"


def _gain(one: Interval, sign: int) -> Interval:
    return one if sign > 0 else Interval(-one.high, -one.figure, -one.low)


class _OutOfTime(Exception):
    """The minutes are over; what was proposed stays for the next time."""


class _Sweeps:
    """The sweeps of a search; each goes on where it was ended."""

    def __init__(
        self,
        home: StudyFolder,
        job: TuneJob,
        workers: int | None,
        engine: str,
        minutes: float | None,
        progress: Callable[[str], None],
    ) -> None:
        self.home, self.job = home, job
        self._options: dict[str, Any] = {"workers": workers, "engine": engine}
        self._end = None if minutes is None else time.monotonic() + 60 * minutes
        self._progress = progress

    def say(self, study: TrialStudy) -> None:
        """Tell how far it is."""
        self._progress(f"{study.done} trials, {study.pruned} of them given up early")

    def sums(
        self, specs: dict[str, Expr], *, share: float = 1.0, late: bool = False
    ) -> dict[str, list[SessionSums]]:
        """What specs come to on the sessions that the search sees.

        Args:
            share: of each session's calls, from its first.
            late: even after the time.

        Raises:
            _OutOfTime: before it was done.
        """
        return self._swept(self.home.seen, specs, share, late=late)

    def untouched(self, specs: dict[str, Expr]) -> dict[str, list[SessionSums]]:
        """The default and some specs, on the sessions that the search never saw."""
        measured = {DEFAULT: self.job.default.spec, **specs}
        return self._swept(self.home.untouched, measured, 1.0, late=True)

    def _swept(
        self, sessions: Path, specs: dict[str, Expr], share: float, *, late: bool
    ) -> dict[str, list[SessionSums]]:
        def tick(done: int, known: int) -> None:
            if not late and self._end is not None and time.monotonic() >= self._end:
                raise _OutOfTime

        job = self.job.sweep_job([SweepSpec.of(spec, name) for name, spec in specs.items()], share)
        result = self.home.path / "rows.parquet"
        sweep([sessions], job, result, size=4, progress=tick, **self._options)
        sums = session_sums(result)
        if len(sums) < len(specs):
            raise SpecError(
                "no calls of a model are in these sessions",
                where=str(sessions),
                fix="give sessions in which an assistant answers",
            )
        return sums
