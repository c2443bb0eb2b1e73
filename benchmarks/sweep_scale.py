"""What a session of a sweep costs as sweeps grow, in processor time and memory.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.sweep_scale [SESSIONS ...] [--page]

Sessions are made from the twenty shortest recorded ones of `tooltalk`: the digits 1 to 9 of all texts are exchanged, by a
permutation that each session has by itself, so that no two are the same, and what is kept warm from
one helps little with another. Each sweep runs in a process of its own, by one process and by two. Processor time is not wall time: what two cores
would gain is bounded by the busiest process, and that is what is printed. `--page` writes the table
of docs/reference/sweeps.md.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from itertools import cycle, islice
from math import factorial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.economy import plain, rows
from contextwright import C
from contextwright.sweep import SweepJob, SweepSpec, sweep
from contextwright.sweep.sweep_table import SESSIONS

PAGE = Path(__file__).parents[1] / "docs/reference/sweeps.md"
SHORTEST = 20
JOB = SweepJob((SweepSpec.of(C.default() | C.compaction(800)),))


def digits(number: int) -> dict[int, str]:
    """The permutation of the digits 1 to 9 that has a number, for `str.translate`."""
    left, found = list("123456789"), ""
    number %= factorial(9)
    for place in range(8, -1, -1):
        at, number = divmod(number, factorial(place))
        found += left.pop(at)
    return str.maketrans("123456789", found)


def write_sessions(path: Path, count: int) -> None:
    """So many sessions, made of recorded ones."""
    bodies = sorted((plain(row["messages"]) for row in rows("tooltalk")), key=_calls)[:SHORTEST]
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
    with tempfile.TemporaryDirectory() as folder:
        done = sweep([path], JOB, Path(folder) / "r.parquet", workers=workers)
    own, others = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    print(json.dumps({
        "sessions": done[0].sessions, "calls": done[0].calls, "own": own.ru_utime + own.ru_stime,
        "others": others.ru_utime + others.ru_stime, "memory": own.ru_maxrss // 1024, "worker": others.ru_maxrss // 1024,
    }))  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("counts", nargs="*", type=int, default=[1000, 5000])
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--one", nargs=2)
    given = parser.parse_args()
    if given.one:
        measured(given.one[0], int(given.one[1]))
        return
    lines = [
        "| sessions | calls | ms a session, one process | two: driver + workers | busiest of two | driver, MB | worker, MB |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for count in given.counts:
            path = Path(folder) / "sessions.parquet"
            write_sessions(path, count)
            one, two = (_run(path, workers) for workers in (1, 2))
            busiest = max(two["own"], two["others"] / 2)
            line = (
                f"| {one['sessions']:,} | {one['calls']:,} | {1000 * one['own'] / count:.1f} |"
                f" {1000 * two['own'] / count:.1f} + {1000 * two['others'] / count:.1f} |"
                f" {one['own'] / busiest:.2f} times less | {two['memory']} | {two['worker']} |"
            )
            print(line, flush=True)
            lines.append(line)
    if given.page:
        begin, end = "<!-- scale -->\n", "<!-- /scale -->"
        text = PAGE.read_text(encoding="utf-8")
        head, rest = text.split(begin)
        PAGE.write_text(
            f"{head}{begin}{chr(10).join(lines)}\n{end}{rest.split(end)[1]}", encoding="utf-8"
        )


def _run(path: Path, workers: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.sweep_scale", "--one", str(path), str(workers)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    return json.loads(shown.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
