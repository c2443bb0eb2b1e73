"""What a server asks: how long an event loop waits while sessions are compiled, what processes save,
and what a live session costs.

    python -m benchmarks.servers

writes docs/reference/servers.md. Times are the processor's, not the clock's, so that what else the
machine does is not measured.
"""

import asyncio
import gc
import os
import platform
import random
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from rich.progress import Progress

from benchmarks.generated import answer, ask, generated_session
from contextwright import C, Engine, compile, compile_many, memory, write_session
from contextwright.memo.memory_budget import forget_remembered
from contextwright.spec.expr import Expr
from contextwright.worker_threads import off_loop

PAGE = Path(__file__).parents[1] / "docs/reference/servers.md"
MODEL = "gpt-5"
WINDOW = C.window(n=10) | C.compact() | C.budget(max_tokens=8_000)
DEFAULT = C.default() | C.budget(max_tokens=8_000)
COMPACTION = C.compaction(max_tokens=8_000)
LOOPS = (
    ("window", WINDOW, 10_000),
    ("window", WINDOW, 100_000),
    ("default", DEFAULT, 10_000),
    ("default", DEFAULT, 100_000),
    ("compaction", COMPACTION, 10_000),
    ("compaction", COMPACTION, 100_000),
    (
        "relevant",
        C.relevant(query="a late invoice", top_k=20) | C.budget(max_tokens=8_000),
        1_000,
    ),
    ("cool", C.default() | C.cool(8_000) | C.budget(max_tokens=8_000), 1_000),
)
TURNS = 30
BEAT_S = 0.001
SESSIONS, EVENTS = 64, 400
LIVE = (("window", WINDOW, 60, (1, 10, 100, 1_000)), ("compaction", COMPACTION, 400, (1, 10, 100)))
"""Specs with the events of each session, and how many live."""


class Gap(NamedTuple):
    """What a loop waits between two of its turns, and how much of it for whole collections of
    garbage, both in milliseconds of the processor."""

    ms: float
    collecting_ms: float


Gaps = list[Gap]


class Collecting:
    """Counts what whole collections of garbage take, in seconds of the processor."""

    def __init__(self) -> None:
        self._taken_s, self._since = 0.0, 0.0

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        if info["generation"] == 2:
            now = time.process_time()
            self._taken_s = self.until(now)
            self._since = now if phase == "start" else 0.0

    def until(self, now: float) -> float:
        """All that they took. The loop may have its turn before one is told of its end."""
        return self._taken_s + (now - self._since if self._since else 0.0)


COLLECTING = Collecting()


async def _beats(gaps: Gaps) -> None:
    """Writes down the processor time between any two turns that the loop gives."""
    last = time.process_time()
    collected = COLLECTING.until(last)
    while True:
        await asyncio.sleep(BEAT_S)
        now = time.process_time()
        all_collected = COLLECTING.until(now)
        gaps.append(Gap((now - last) * 1000, (all_collected - collected) * 1000))
        last, collected = now, all_collected


async def _gaps(work: Callable[[], Any]) -> tuple[Gaps, float]:
    """The gaps while something is awaited, and its processor time, both in milliseconds."""
    gaps: Gaps = []
    heart = asyncio.create_task(_beats(gaps))
    await asyncio.sleep(10 * BEAT_S)
    gaps.clear()
    start = time.process_time()
    await work()
    taken = (time.process_time() - start) * 1000
    await asyncio.sleep(2 * BEAT_S)
    heart.cancel()
    return gaps, taken


def loop_row(name: str, spec: Expr, events: int) -> str:
    """How long the loop waits for a first compile and for turns of a spec."""
    engine, session = Engine(spec, MODEL), generated_session(events)
    engine.compile(generated_session(100))  # imports what the spec needs
    gc.collect()

    async def measured() -> tuple[Gaps, float, Gaps, list[float]]:
        first, took = await _gaps(lambda: engine.acompile(session))
        dice, later, turns = random.Random(1), Gaps(), []
        for turn in range(TURNS):
            ask(session, 10**6 + turn, dice)
            gaps, taken = await _gaps(lambda: engine.acompile(session))
            answer(session, 10**6 + turn, dice)
            later += gaps
            turns.append(taken)
        return first, took, later, turns

    first, took, later, turns = asyncio.run(measured())
    return (
        f"| {name} | {events:,} | {took:,.0f} | {_spread(first)} | {statistics.median(turns):.1f} | "
        f"{_spread(later)} |\n"
    )


def _spread(gaps: Gaps) -> str:
    """The number, the median, the 99th percentile, the longest, and the longest of what is not a
    whole collection."""
    each = sorted(gap.ms for gap in gaps)
    last = each[len(each) * 99 // 100]
    computing = max(gap.ms - gap.collecting_ms for gap in gaps)
    return (
        f"{len(each)} | {statistics.median(each):.1f} | {last:.1f} | {each[-1]:.1f} "
        f"| {computing:.1f}"
    )


def busy_row() -> str:
    """How long the loop waits while turns of eight sessions are compiled beside a first compile."""
    others, turns = [generated_session(200, seed=n) for n in range(8)], list[float]()
    long, short = Engine(C.compaction(max_tokens=8_000), MODEL), Engine(WINDOW, MODEL)
    session, dice = generated_session(1_000, seed=99), random.Random(3)

    async def measured() -> tuple[Gaps, float]:
        for other in others:
            await short.acompile(other)

        async def work() -> None:
            first = asyncio.ensure_future(long.acompile(session))
            for turn in range(10**6):
                if first.done():
                    break
                for other in others:
                    ask(other, 10**6 + turn, dice)
                start = time.process_time()
                await asyncio.gather(*map(short.acompile, others))
                turns.append((time.process_time() - start) * 1000 / len(others))
                for other in others:
                    answer(other, 10**6 + turn, dice)
            await first

        return await _gaps(work)

    beats, took = asyncio.run(measured())
    gaps = [gap.ms for gap in beats]
    return (
        f"\nA first compaction of 1,000 events while eight other sessions take their turns, {len(turns) * 8} of them: "
        f"gaps of {statistics.median(gaps):.1f} ms at the\nmedian, {sorted(gaps)[len(gaps) * 99 // 100]:.1f} at the 99th percentile, "
        f"{max(gaps):.1f} at the longest, over {took:,.0f} ms.\n"
    )


def hop() -> float:
    """Microseconds of the way to a worker thread and back, by the fastest of twenty rounds."""

    async def awaited() -> float:
        await off_loop(int)
        rounds = []
        for _ in range(20):
            start = time.process_time()
            for _ in range(100):
                await off_loop(int)
            rounds.append((time.process_time() - start) * 1e4)
        return min(rounds)

    return asyncio.run(awaited())


def _processor_ms(run: Callable[[], Any]) -> tuple[float, float]:
    """Processor time of this process, and of processes that it began and ended."""
    gc.collect()
    own, others = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - others.ru_utime - others.ru_stime
    return (time.process_time() - own) * 1000, spent * 1000


def process_rows() -> str:
    """What a session costs here, and in the process that compiles it."""

    def many(sources: list[Any]) -> Callable[[], Any]:
        def run() -> None:
            done = compile_many(sources, DEFAULT, model=MODEL, workers=2)
            assert all(one.pack for one in done)

        return run

    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{n}.jsonl" for n in range(SESSIONS)]
        for n, path in enumerate(paths):
            write_session(generated_session(EVENTS, seed=1_000 + n), "contextwright", path=path)
        # what a process costs to start, its first compile included
        start = _processor_ms(many([generated_session(8)]))
        sources = [generated_session(EVENTS, seed=2_000 + n) for n in range(SESSIONS)]
        rows = {
            "`compile`": _processor_ms(
                lambda: [compile(one, DEFAULT, model=MODEL) for one in sources]
            ),
            "`compile_many`, sessions": _processor_ms(many(sources)),
            "`compile_many`, paths": _processor_ms(many(paths)),
        }
    table = f"| a process, started | | {start[1]:,.0f} |\n"
    for name, (own, others) in rows.items():
        other = max(0.0, others - 2 * start[1]) / SESSIONS if others else 0.0
        table += f"| {name} | {own / SESSIONS:.1f} | {other:.1f} |\n"
    return table


def live_rows(name: str, spec: Expr, events: int, counts: tuple[int, ...]) -> str:
    """What is held of a live session and the time of a turn, by how many live."""
    engine = Engine(spec, MODEL)
    engine.compile(generated_session(events, seed=1))
    return "".join(live_row(name, engine, events, live) for live in counts)


def live_row(name: str, engine: Engine, events: int, live: int) -> str:
    """The same where so many live."""
    forget_remembered()
    gc.collect()
    dice, turns = random.Random(2), list[float]()
    sessions = [generated_session(events, seed=10_000 * live + n) for n in range(live)]
    file = len(write_session(sessions[0], "contextwright"))
    held = 0.0
    for turn in range(live + max(100, live)):
        session = sessions[turn % live]
        ask(session, 10**6 + turn, dice)
        start = time.process_time()
        engine.compile(session)
        turns.append((time.process_time() - start) * 1000)
        answer(session, 10**6 + turn, dice)
        held = held or memory().held_bytes / 1000
    del turns[:live]  # first compiles
    start = time.process_time()
    gc.collect()
    pause = (time.process_time() - start) * 1000
    median, worst = statistics.median(turns), sorted(turns)[len(turns) * 99 // 100]
    return (
        f"| {name} | {live:,} | {file / 1000:,.0f} | {held:,.0f} | "
        f"{memory().held_bytes / 1e6:,.0f} | {median:.2f} | {worst:.2f} | {pause:.0f} |\n"
    )


PAGE_TEXT = """# Servers

Written by `python -m benchmarks.servers`. {machine}, {cores} cores, Python {python}. Sessions are generated.

## What an event loop waits

`await engine.acompile(session)` beside a task that sleeps for a millisecond, again and again. A gap is the
processor time of the whole process between two of its turns, in milliseconds: what the loop waits on a machine
that does nothing else; one with other work, as this had, adds to the longest. Computing: the longest without its whole collections of garbage,
during which no thread runs. They are the process's, and this library leaves them as they are; a server may set aside what it has once it
compiled something (`gc.freeze()`), as the proxy does, which collects in its pauses. First: nothing
remembered but the vocabulary, the spec's modules imported. Turn: after a new turn of eight events, {turns} times, the
gaps of all of them together.

| spec | events | first compile, ms | gaps | median | 99th | longest | computing | turn, ms | gaps | median | 99th | longest | computing |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
{loops}{busy}
The way to a worker thread and back costs {hop:.0f} µs.

## In processes

{sessions} sessions of {events} events under `C.default() | C.budget(8_000)`, two workers: milliseconds of the processor for a session, in
the process that asks and in the one that compiles. So many processes are worth their while as the second number has the first.

| | here, ms | there, ms |
| --- | ---: | ---: |
{processes}
## Live sessions in one process

Sessions of 60 events under `C.window(n=10) | C.compact() | C.budget(8_000)` (window), and of 400 under
`C.compaction(8_000)`, one engine. File: a session as JSON. One: what is remembered of one that was compiled once;
all: of all sessions at the end, which may be 256 MB (`contextwright.memory(max_bytes=...)`). Where that does not hold
all that live, of the least recently used nothing is but their newest pack, from whose steps they go on. A turn is of eight events, each session's in turn; milliseconds of the
processor. The last column is a whole garbage collection, during which no thread runs.

| spec | live | file, KB | one, KB | all, MB | a turn, median | 99th percentile | collection, ms |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
{live}"""


def page() -> str:
    """The page."""
    gc.callbacks.append(COLLECTING)
    compile(generated_session(100), DEFAULT, model=MODEL)  # loads the vocabulary
    with Progress() as progress:
        bar = progress.add_task("servers", total=len(LOOPS) + len(LIVE) + 3)

        def done(rows: Any) -> Any:
            progress.advance(bar)
            return rows

        loops = "".join(done(loop_row(*each)) for each in LOOPS)
        return PAGE_TEXT.format(
            machine=platform.machine(),
            cores=os.cpu_count(),
            python=platform.python_version(),
            turns=TURNS,
            loops=loops,
            busy=done(busy_row()),
            hop=done(hop()),
            sessions=SESSIONS,
            events=EVENTS,
            processes=done(process_rows()),
            live="".join(done(live_rows(*each)) for each in LIVE),
        )


if __name__ == "__main__":
    PAGE.write_text(page())
