"""What makes the parts of a sweep: processes of this machine, Ray Data, or Daft.

A part goes to an engine as one row: its number, and its sessions as Arrow's own bytes; what comes
back is its number and its calls. So an engine neither splits nor joins nor orders tables: whatever
it does with rows, the parts are the same. The driver writes them, so that a cluster needs no disk
that all can see, and what is written is never made again.
"""

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from contextwright import __version__
from contextwright.errors import (
    ContextwrightError,
    SpecError,
    StoreError,
    nearest,
)
from contextwright.optional_imports import optional_imports
from contextwright.sweep.arrow import pa
from contextwright.sweep.sweep_job import SweepJob
from contextwright.sweep.sweep_parts import write_part
from contextwright.sweep.sweep_pool import SweepPart, made_parts
from contextwright.sweep.sweep_table import compile_table

Parts = Callable[[Iterable[SweepPart], SweepJob, int], Iterator[Path]]
"""Makes parts under a job with so many workers, and says where each is when it is there."""
WAVE = 32
"""Parts a worker that an engine is given at once: the driver holds no more sessions than these,
and a crash of it loses no more work."""
RAY_TRIES = 12
"""Times that Ray gives a part to an actor of which the last one died: more than ten that are
killed by chance on their way, and not without an end where it is the part that kills them."""


def parts_by(engine: str) -> Parts:
    """What makes parts, by its name.

    Raises:
        SpecError: no such engine.
    """
    if engine == "local":
        return made_parts
    if engine == "ray" or engine.startswith("ray://"):
        return lambda parts, job, workers: _by_waves(parts, workers, _RayParts(engine, job))
    if engine == "daft":
        return lambda parts, job, workers: _by_waves(parts, workers, _DaftParts(job))
    raise SpecError(
        f"no engine is named {engine!r}",
        where="--engine",
        fix=nearest(engine, ("local", "ray", "ray://HOST:10001", "daft")),
    )


class PartCompiler:
    """Compiles parts that came as bytes; a worker keeps it, and with it what is warm."""

    def __init__(self, job: SweepJob) -> None:
        self._job = job

    def __call__(self, batch: Any) -> Any:
        """A table of parts, `number` and `sessions`, to one of `number` and `calls`."""
        made = [self.calls(one) for one in batch.column("sessions").to_pylist()]
        calls = pa.array(made, pa.large_binary())
        return pa.table({"number": batch.column("number"), "calls": calls})

    def calls(self, sessions: bytes) -> bytes:
        """The calls of sessions, both as Arrow's bytes."""
        return _encoded(compile_table(_decoded(sessions), self._job))


def _encoded(table: Any) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _decoded(data: bytes) -> Any:
    return pa.ipc.open_stream(pa.py_buffer(data)).read_all()


WaveOfCalls = Callable[[Any, int], Iterator[tuple[int, bytes]]]
"""The calls of a table of parts, by their numbers, with so many workers, in any order."""


def _by_waves(parts: Iterable[SweepPart], workers: int, calls_of: WaveOfCalls) -> Iterator[Path]:
    left = iter(parts)
    while wave := list(islice(left, WAVE * workers)):
        missing = set(range(len(wave)))
        rows = calls_of(_wave_table(wave), workers)
        while (row := _next_row(rows)) is not None:
            number, calls = row
            missing.discard(number)
            write_part(wave[number].path, _decoded(calls))
            yield wave[number].path
        if missing:
            raise StoreError(
                f"the engine lost {len(missing)} parts",
                where=str(wave[min(missing)].path),
                fix="run it again: it goes on with these",
            )


def _next_row(rows: Iterator[tuple[int, bytes]]) -> tuple[int, bytes] | None:
    try:
        return next(rows, None)
    except ContextwrightError:
        raise
    except Exception as error:
        what = str(error).strip().splitlines() or [""]
        raise StoreError(
            f"the engine gave up: {type(error).__name__}: {what[-1]}"[:300],
            where="--engine",
            fix="what is done stays: run it again, with more memory or smaller parts (--size), or "
            "with --engine local, which names the sessions that end a process",
        ) from error


def _wave_table(wave: Sequence[SweepPart]) -> Any:
    sessions = pa.array([_encoded(part.table) for part in wave], pa.large_binary())
    return pa.table({"number": list(range(len(wave))), "sessions": sessions})


class _RayParts:
    """Ray Data: a pool of actors, started again where they die; a cluster's by its address. Ray
    Data can not be driven through Ray's client: there a wave is one task, which drives it in the
    cluster."""

    def __init__(self, engine: str, job: SweepJob) -> None:
        self._address, self._job = engine if "://" in engine else None, job

    def __call__(self, table: Any, workers: int) -> Iterator[tuple[int, bytes]]:
        ray = _module("ray", "sweep-ray")
        _module("ray.data", "sweep-ray")
        if self._address is None:
            _start_local(ray, workers)
            yield from _by_ray_data(self._job, table, workers)
            return
        _connect(ray, self._address)
        # it computes nothing itself, so it takes no processor from the actors
        wave = ray.remote(num_cpus=0, max_retries=RAY_TRIES)(_wave_by_ray_data)
        yield from ray.get(wave.remote(self._job, table, workers))


def _by_ray_data(job: SweepJob, table: Any, workers: int) -> Iterator[tuple[int, bytes]]:
    data = _module("ray.data", "sweep-ray")
    data.DataContext.get_current().enable_progress_bars = False
    # a block a part: Ray gives blocks to actors, never parts of them
    blocks = [table.slice(at, 1) for at in range(table.num_rows)]
    calls = data.from_arrow(blocks).map_batches(
        PartCompiler,
        fn_constructor_args=(job,),
        batch_format="pyarrow",
        batch_size=1,
        compute=data.ActorPoolStrategy(size=min(workers, table.num_rows)),
        max_restarts=-1,
        max_task_retries=RAY_TRIES,
    )
    for batch in calls.iter_batches(batch_size=None, batch_format="pyarrow"):
        yield from _rows(batch)


def _wave_by_ray_data(job: SweepJob, table: Any, workers: int) -> list[tuple[int, bytes]]:
    return list(_by_ray_data(job, table, workers))


def _start_local(ray: Any, workers: int) -> None:
    if ray.is_initialized():
        return
    # a machine by itself: no dashboard, and no address that others reach
    ray.init(
        num_cpus=workers,
        include_dashboard=False,
        _node_ip_address="127.0.0.1",
        log_to_driver=False,
        logging_level="ERROR",
    )


def _connect(ray: Any, address: str) -> None:
    if ray.is_initialized():
        return
    try:
        ray.init(address, log_to_driver=False)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise StoreError(
            f"Ray's cluster does not take us: {error}"[:300],
            where=address,
            fix="see that `ray start --head --ray-client-server-port=10001` runs there, the port "
            "is open, and both have one Ray and one Python; where it wants a token, set "
            "RAY_AUTH_MODE=token and RAY_AUTH_TOKEN",
        ) from error

    def version() -> str:  # of the nodes: this function goes there as code, not by its name
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("contextwright")
        except PackageNotFoundError:
            return "none"

    there = ray.get(ray.remote(num_cpus=0)(version).remote())
    if there != __version__:
        raise StoreError(
            f"the nodes of the cluster have contextwright {there}, here is {__version__}",
            where=address,
            fix=f"pip install 'contextwright[sweep-ray]=={__version__}' on every node",
        )


class _DaftParts:
    """Daft: a class of which each of its workers makes one, on the runner that Daft has."""

    def __init__(self, job: SweepJob) -> None:
        self._job = job

    def __call__(self, table: Any, workers: int) -> Iterator[tuple[int, bytes]]:
        daft = _module("daft", "sweep-daft")
        compiler = daft.cls(PartCompiler, max_concurrency=workers, use_process=workers > 1)
        calls = compiler(self._job).calls(daft.col("sessions")).alias("calls")
        made = daft.from_arrow(table).into_batches(1).select(daft.col("number"), calls)
        for batch in made.to_arrow_iter():
            yield from _rows(pa.Table.from_batches([batch]))


def _rows(table: Any) -> Iterator[tuple[int, bytes]]:
    yield from zip(
        table.column("number").to_pylist(), table.column("calls").to_pylist(), strict=True
    )


def _module(name: str, extra: str) -> Any:
    root = name.partition(".")[0]
    with optional_imports(extra, root, root):
        return import_module(name)
