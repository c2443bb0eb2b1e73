"""A sweep from its sessions to its result."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from contextwright.errors import SpecError, StoreError
from contextwright.render.target import target
from contextwright.stores.object_artifacts import opened_store
from contextwright.stores.store import SessionStore
from contextwright.sweep.arrow import pq
from contextwright.sweep.object_files import is_object_url, upload
from contextwright.sweep.recorded_sessions import session_tables
from contextwright.sweep.sweep_engines import parts_by
from contextwright.sweep.sweep_job import SweepJob
from contextwright.sweep.sweep_parts import SweepParts
from contextwright.sweep.sweep_pool import SweepPart, usual_workers
from contextwright.whole_file import refuse_input

_SUMMED = ("tokens", "cached", "cost", "whole_tokens", "whole_cost", "values", "in_sight",
           "evidence", "violations", "seconds")  # fmt: skip

_OTHER_KINDS = frozenset(
    {".csv", ".tsv", ".json", ".jsonl", ".xlsx", ".arrow", ".feather", ".html"}
)
_READ = 1024
"""Rows that are held at once: as objects of Python, a row takes more than a kilobyte."""


class SweepSummary(msgspec.Struct, kw_only=True):
    """What the calls of a spec came to.

    Args:
        sessions, calls: that were compiled. errors: calls and sessions that were not.
        tokens and the rest: sums over the calls, as `CallRow` has them.
        why: the first of the errors, with its session.
    """

    spec: str
    sessions: int = 0
    calls: int = 0
    errors: int = 0
    tokens: int = 0
    cached: int = 0
    cost: int = 0
    whole_tokens: int = 0
    whole_cost: int = 0
    values: int = 0
    in_sight: int = 0
    evidence: int = 0
    violations: int = 0
    seconds: float = 0.0
    why: str = ""


def sweep(
    sources: Iterable[str | Path | SessionStore],
    job: SweepJob,
    result: str | Path,
    *,
    workers: int | None = None,
    size: int = 16,
    engine: str = "local",
    progress: Callable[[int, int], None] = lambda sessions, known: None,
) -> list[SweepSummary]:
    """Compile every call of recorded sessions under every spec of a job, into a Parquet file with
    exactly one row for each.

    A sweep that was ended, or died, goes on where it was when it is run again: parts of the same
    sessions under the same job are taken as they are. The rows are those of one process, whatever
    made them, but for `seconds`.

    Args:
        sources: as `session_tables` takes them.
        result: the Parquet file, or its URL in an object store; replaced when the new one is
            whole. Of a URL the parts are in the working folder until then.
        workers: processes; by default one a processor. With more than one, a script calls this
            below `if __name__ == "__main__":`.
        size: sessions of a part.
        engine: `local`; `ray`, or `ray://HOST:PORT` for a cluster (extra `sweep-ray`); `daft`
            (extra `sweep-daft`).
        progress: called with the sessions that are done, and how many of them were done before.

    Raises:
        SpecError: no specs, two of one name, no workers, or an unknown engine. ModelError: the
            model is not known, and no window is given.
        SessionError: no such sessions, or the result is a file of them. StoreError: the result can
            not be written, or its name is that of another kind of file. MissingExtra: what a source
            or the result needs is not installed.
    """
    count = usual_workers() if workers is None else workers
    _check(job, count, size)
    local = _local_path(result)
    sources = _others(sources, local)
    parts = SweepParts(local, job)
    state = _Progress(progress)

    def missing() -> Iterator[SweepPart]:
        for table in session_tables(sources, size=size):
            path = parts.next_path(table)
            state.sizes[path] = table.num_rows
            if path.exists():
                state.done(path, known=True)
            else:
                yield SweepPart(path, table)

    with parts.begun():
        for path in parts_by(engine)(missing(), job, count):
            state.done(path)
    parts.merge()
    done = summaries(local, job)
    if is_object_url(result):
        upload(local, str(result))
        local.unlink()
    return done


def _refuse_other_kind(result: Path) -> None:
    """Refuse, before anything is computed, a name that says another kind of file.

    Raises:
        StoreError: it does.
    """
    kind = result.suffix.lower()
    if kind in _OTHER_KINDS:
        raise StoreError(
            f"a sweep writes Parquet, and the name says {kind}",
            where=str(result),
            fix="give FILE.parquet; pyarrow, pandas, polars or DuckDB turn it into others",
        )


class _Progress:
    """How many sessions are done."""

    def __init__(self, show: Callable[[int, int], None]) -> None:
        self.sizes: dict[Path, int] = {}
        self._show, self._done, self._known = show, 0, 0

    def done(self, path: Path, *, known: bool = False) -> None:
        """Count the sessions of a part."""
        size = self.sizes.pop(path)
        self._done += size
        self._known += size if known else 0
        self._show(self._done, self._known)


def summaries(result: Path, job: SweepJob) -> list[SweepSummary]:
    """What the calls of each spec came to, in the order of the job."""
    sums = {spec.name: SweepSummary(spec=spec.name) for spec in job.specs}
    unread: list[str] = []
    file: Any = pq.ParquetFile(result)
    last: dict[str, tuple[str, int]] = {}
    for batch in file.iter_batches(_READ):
        for row in batch.to_pylist():
            one = sums.get(row["spec"])
            if one is None:
                unread.append(_why(row))
                continue
            place = (row["source"], row["row"])
            one.sessions += last.get(one.spec) != place
            last[one.spec] = place
            one.calls += not row["error"]
            if row["error"]:
                one.errors += 1
                one.why = one.why or _why(row)
            for name in _SUMMED:
                setattr(one, name, getattr(one, name) + row[name])
    for one in sums.values():
        one.errors += len(unread)
        one.why = one.why or next(iter(unread), "")
    return list(sums.values())


def _why(row: dict[str, Any]) -> str:
    """The error of a row in one line, with its place."""
    what, *more = str(row["error"]).splitlines()
    fix = next((line.strip() for line in more if line.strip().startswith("fix:")), "")
    call = f", call {row['call']}" if row["call"] else ""
    return f"{row['source']} row {row['row']}{call}: {what}{f'; {fix}' if fix else ''}"


def _local_path(result: str | Path) -> Path:
    """Where the parts of a result are: on a disk of ours, until it goes to an object store, whole;
    that this can be opened is known before the work."""
    if not is_object_url(result):
        return Path(result)
    base, _, name = str(result).rpartition("/")
    opened_store(base)
    return Path(name)


def _others(
    sources: Iterable[str | Path | SessionStore], result: Path
) -> list[str | Path | SessionStore]:
    """The sources, none of which is the result, whose name is that of no other kind of file."""
    others = list(sources)
    for source in others:
        refuse_input(result, (source,))
    _refuse_other_kind(result)
    return others


def _check(job: SweepJob, workers: int, size: int) -> None:
    names = [spec.name for spec in job.specs]
    if not names or len(set(names)) < len(names):
        raise SpecError(
            "expected specs of different names, got " + (", ".join(names) or "none"),
            where="sweep(sources, job, result)",
            fix="SweepJob((SweepSpec.of(C.default()), SweepSpec.of(C.compaction(8000))))",
        )
    for name, number in (("workers", workers), ("size", size)):
        if not isinstance(number, int) or number < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise SpecError(f"{name} is {number!r}", where=f"sweep({name}=...)", fix="1 or more")
    target(job.model, window=job.window)  # or every call would have the same error
    if not 0 < job.share <= 1:
        fix = "more than 0, and 1 for all calls"
        raise SpecError(f"share is {job.share!r}", where="SweepJob(share=...)", fix=fix)
