"""What a session of a sweep costs as sweeps grow, in processor time and memory.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.sweep_scale [SESSIONS ...] [--page]
    CONTEXTWRIGHT_DATA=... python -m benchmarks.sweep_scale --speed-up [--page]

Sessions are made from the six shortest recorded ones of `tooltalk`, two answers each (from all 39
for `--speed-up`): the digits 1 to 9 of all texts are exchanged, by a
permutation that each session has by itself, so that no two are the same, and what is kept warm from
one helps little with another. Each sweep runs in a process of its own, by one process and by two. Processor time is not wall time: what two cores
would gain is bounded by the busiest process, and that is what is printed. `--speed-up` is wall time:
the same sweep by one process and by two workers in turn, on a machine that does nothing else, and
refuses one that is busy. `--page` writes the table, or that line, of docs/reference/sweeps.md.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from math import factorial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.recorded import rows
from benchmarks.recorded_chats import plain
from contextwright import C
from contextwright.sweep import SweepJob, SweepSpec, sweep
from contextwright.sweep.sweep_table import SESSIONS

PAGE = Path(__file__).parents[1] / "docs/reference/sweeps.md"
SHORTEST = 6
TIMED = 6000
IDLE = 0.5
"""Load of the last minute above which no wall time is taken."""
JOB = SweepJob((SweepSpec.of(C.default() | C.compaction(800)),))


def digits(number: int) -> dict[int, str]:
    """The permutation of the digits 1 to 9 that has a number, for `str.translate`."""
    left, found = list("123456789"), ""
    number %= factorial(9)
    for place in range(8, -1, -1):
        at, number = divmod(number, factorial(place))
        found += left.pop(at)
    return str.maketrans("123456789", found)


def write_sessions(path: Path, count: int, most: int | None = None) -> None:
    """So many sessions, made of recorded ones; of `most`, the shortest."""
    bodies = sorted((plain(row["messages"]) for row in rows("tooltalk")), key=_calls)[:most]
    with pq.ParquetWriter(path, SESSIONS) as writer:
        numbered = enumerate(islice(cycle(bodies), count))
        while part := list(islice(numbered, 1000)):
            made = [
                {"source": "made", "row": at, "id": f"s{at}",
                 "body": f'{{"id": "s{at}", "messages": {_own(messages, at)}}}'.encode()}
                for at, messages in part
            ]  # fmt: skip
            writer.write_table(pa.Table.from_pylist(made, SESSIONS))


def _calls(messages: list[dict[str, object]]) -> int:
    return sum(message["role"] == "assistant" for message in messages)


def _own(messages: list[dict[str, object]], number: int) -> str:
    return json.dumps(messages, ensure_ascii=False).translate(digits(number * 7919))


def measured(path: str, workers: int) -> None:
    """Sweep, and print what it took."""
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        done = sweep([path], JOB, Path(folder) / "r.parquet", workers=workers)
    wall = time.perf_counter() - begun
    own, others = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    print(json.dumps({
        "sessions": done[0].sessions, "calls": done[0].calls, "wall": wall, "own": own.ru_utime + own.ru_stime,
        "others": others.ru_utime + others.ru_stime, "memory": own.ru_maxrss // 1024, "worker": others.ru_maxrss // 1024,
    }))  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("counts", nargs="*", type=int, default=[1000, 5000])
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--one", nargs=2)
    parser.add_argument("--speed-up", action="store_true")
    given = parser.parse_args()
    if given.one:
        measured(given.one[0], int(given.one[1]))
        return
    if given.speed_up:
        line = speed_up()
        print(line)
        if given.page:
            _put("speed-up", line)
        return
    lines = [
        "| sessions | calls | ms a session, one process | two: driver + workers | busiest of two | driver, MB | worker, MB |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for count in given.counts:
            path = Path(folder) / "sessions.parquet"
            write_sessions(path, count, SHORTEST)
            two = _run(path, 2)
            one = _run(path, 1)
            busiest = max(two["own"], two["others"] / 2)
            line = (
                f"| {one['sessions']:,} | {one['calls']:,} | {1000 * one['own'] / count:.1f} |"
                f" {1000 * two['own'] / count:.1f} + {1000 * two['others'] / count:.1f} |"
                f" {one['own'] / busiest:.2f} times less | {two['memory']} | {two['worker']} |"
            )
            print(line, flush=True)
            lines.append(line)
    if given.page:
        _put("scale", "\n".join(lines))


def speed_up() -> str:
    """What two workers gain, by the clock: the median of three ratios, each of two runs in turn."""
    busy = os.getloadavg()[0]
    if busy > IDLE:
        sys.exit(f"the load is {busy:.1f}: wall time tells nothing while others compute")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sessions.parquet"
        write_sessions(path, TIMED)
        pairs = [tuple(_run(path, workers)["wall"] for workers in (1, 2)) for _ in range(3)]
    ratios = sorted(one / two for one, two in pairs)
    one, two = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    return (
        f"{TIMED:,} sessions by the clock, on {len(os.sched_getaffinity(0))} cores: {one:.1f} s by one process, {two:.1f} s by"
        f" two workers, **{ratios[1]:.2f} times** as fast ({ratios[0]:.2f} to {ratios[2]:.2f}, three pairs)."
    )


def _put(mark: str, text: str) -> None:
    begin, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->"
    head, rest = PAGE.read_text(encoding="utf-8").split(begin)
    PAGE.write_text(f"{head}{begin}{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")


def _run(path: Path, workers: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.sweep_scale", "--one", str(path), str(workers)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    return json.loads(shown.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
