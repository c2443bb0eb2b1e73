"""Whether a spec still does what it was tuned to, on the sessions that the search never saw."""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from contextwright.errors import SessionError
from contextwright.spec.expr import Expr
from contextwright.sweep.arrow import pa, pq
from contextwright.sweep.recorded_sessions import session_tables
from contextwright.sweep.run_sweep import sweep
from contextwright.sweep.sweep_job import SweepJob, SweepSpec
from contextwright.sweep.sweep_table import SESSIONS
from contextwright.tune.session_sums import figures, session_sums
from contextwright.tune.study import session_digest
from contextwright.tune.tune_job import OBJECTIVES
from contextwright.tune.tuned import Tuned


class FloorCheck(NamedTuple):
    """An objective of a spec beside its floor; of `cost`, its ceiling."""

    objective: str
    figure: float
    floor: float

    @property
    def is_held(self) -> bool:
        """Whether it is not worse."""
        return (self.figure - self.floor) * OBJECTIVES[self.objective] >= 0


def floor_checks(
    tuned: Tuned,
    spec: Expr | None = None,
    sources: Iterable[str | Path] = (),
    *,
    workers: int | None = 1,
) -> list[FloorCheck]:
    """Every floor of a file, and what a spec comes to now on the same sessions.

    Args:
        spec: by default the file's own: what is checked is then this version of the library.
        sources: where the sessions are; by default where they were.

    Raises:
        SessionError: one of the sessions is not there any more.
    """
    expr = tuned.expr if spec is None else spec
    job = SweepJob((SweepSpec.of(expr, "held"),), tuned.model, tuned.window)
    with TemporaryDirectory() as folder:
        sessions, rows = Path(folder) / "sessions.parquet", Path(folder) / "rows.parquet"
        _write_untouched(sessions, tuned, tuple(sources) or tuned.sources)
        sweep([sessions], job, rows, workers=workers, size=4)
        measured = figures(session_sums(rows)["held"])
    return [FloorCheck(name, measured[name], floor) for name, floor in tuned.floors.items()]


def _write_untouched(path: Path, tuned: Tuned, sources: Iterable[str | Path]) -> None:
    wanted, seen = set(tuned.untouched), set[str]()
    with pq.ParquetWriter(path, SESSIONS) as writer:
        for table in session_tables(sources):
            names = [session_digest(body) for body in table.column("body").to_pylist()]
            writer.write_table(table.filter(pa.array([name in wanted for name in names])))
            seen.update(names)
    lost = wanted - seen
    if lost:
        raise SessionError(
            f"{len(lost)} of the {len(wanted)} sessions that it was measured on are not there",
            where=", ".join(map(str, sources))[:300],
            fix="give them with --session, as they were, or tune anew",
        )
