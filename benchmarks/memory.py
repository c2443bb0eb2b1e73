"""What a process holds: of a long session that was read, over many compiles of new sessions, over
many turns of one, and after all sessions ended.

    python -m benchmarks.memory [--events 100000] [--compiles 100000] [--turns 2000] [--live 1000]

prints the tables; recorded sessions need CONTEXTWRIGHT_DATA. Each row is measured in a process of its own; `python -m benchmarks.memory` takes
about a quarter of an hour. Of resident memory, read the trend; `held` is what `contextwright.memory()`
says, the growth of a session's own events is in its own column.
"""

import argparse
import gc
import json
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.generated import generated_session, grow
from contextwright import C, PackBuilder, Session, compile, memory
from contextwright.formats import read_session, write_session
from contextwright.spec.expr import Expr
from contextwright.testing import target_for
from contextwright.testing.rule_sessions import WORD_STATE

TARGET = target_for("openai-chat")
SPECS: dict[str, Callable[[], Expr]] = {
    "C.window(n=10) | C.compact() | C.budget(8000)": lambda: (
        C.window(n=10) | C.compact() | C.budget(8000)
    ),
    "C.default() | C.budget(8000)": lambda: C.default() | C.budget(8000),
    "C.compaction(8000)": lambda: C.compaction(8000),
    "C.rolling(4) | C.budget(8000)": lambda: C.rolling(4) | C.budget(8000),
    "C.decay() | C.budget(8000)": lambda: C.default() | C.decay() | C.budget(8000),
    "C.relevant(...) | C.budget(8000)": lambda: (
        C.window(n=4) + C.relevant("invoice battery", top_k=5) | C.budget(8000)
    ),
    "PackBuilder()": lambda: PackBuilder().spec,
}
EVENTS = 9
"""Of a new session."""
LIVE_EVENTS = 60
"""Of one of many that live at once."""
MARKS = 5
"""Rows of a growth."""


def resident_mb() -> float:
    """Megabytes of this process that are in memory now; where that is not told, the most so far."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize() / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def row(done: int) -> dict[str, Any]:
    """What is held after so many."""
    gc.collect()
    use, blocks = memory(), sys.getallocatedblocks()
    held = use.held_bytes / 1e6
    return {"done": done, "rss": resident_mb(), "held": held, "blocks": blocks}


def new_sessions(compiles: int, spec: str) -> list[dict[str, Any]]:
    """Compiles of sessions that nobody had before, each dropped afterwards."""
    expr, rows = SPECS[spec](), list[dict[str, Any]]()
    for done in range(compiles + 1):
        if done and (done % (compiles // MARKS) == 0 or done == min(1_000, compiles // 100)):
            rows.append(row(done))
        session = generated_session(EVENTS, seed=done)
        session.update(WORD_STATE)
        compile(session, expr, target=TARGET)
    return rows


def turns_of_one(turns: int, spec: str) -> list[dict[str, Any]]:
    """Turns of one session, beside the bytes of its own events."""
    expr, dice, rows = SPECS[spec](), random.Random(1), list[dict[str, Any]]()
    session = generated_session(1_000)
    session.update(WORD_STATE)
    for done in range(turns + 1):
        compile(session, expr, target=TARGET)
        if done % (turns // MARKS) == 0:
            rows.append({**row(done), "json": json_bytes(session) / 1e6})
        grow(session, 10**6 + done, dice)
    return rows


def json_bytes(session: Session) -> int:
    """Bytes of a session as it is written."""
    return len(write_session(session))


def live_and_dropped(count: int, spec: str) -> list[dict[str, Any]]:
    """So many sessions at once, and once they all ended."""
    expr = SPECS[spec]()
    compile(generated_session(LIVE_EVENTS), expr, target=TARGET)
    rows = [row(0)]
    sessions = [generated_session(LIVE_EVENTS, seed=seed) for seed in range(count)]
    for session in sessions:
        compile(session, expr, target=TARGET)
    rows.append(row(count))
    del session
    sessions.clear()
    gc.collect()
    rows.append(row(0))
    return rows


def written(count: int, where: str) -> list[dict[str, Any]]:
    """So many events in a file; `where` is the source, and the path behind a blank."""
    from benchmarks.speed_turns import events_of

    source, _, path = where.partition(" ")
    write_session(Session("long", events_of(source, count)), "contextwright", path)
    return []


def events_read(count: int, source: str) -> list[dict[str, Any]]:
    """Megabytes of events in their file, and in memory once they were read; then with what a
    compile of each spec adds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        measured("written", count, f"{source} {path}")
        first = next(iter(SPECS))
        compile(generated_session(EVENTS), SPECS[first](), target=TARGET)
        gc.collect()
        before, rows = resident_mb(), [{"name": "file", "mb": path.stat().st_size / 1e6}]
        session = read_session(str(path))
        gc.collect()
        rows.append({"name": "read", "mb": resident_mb() - before})
        for spec in (first, "C.compaction(8000)"):
            compile(session, SPECS[spec](), target=TARGET)
            gc.collect()
            rows.append({"name": spec, "mb": resident_mb() - before})
    return rows


def cell(spec: str) -> str:
    """A spec in a table, whose cells end at a bar."""
    return f"`{spec}`".replace("|", "\\|")


def read_table(count: int) -> str:
    """A row a source: the file, what was read of it, and with what compiles add, in times the
    file."""
    lines: list[str] = []
    for source in ("recorded", "generated"):
        rows = measured("events_read", count, source)
        size = rows[0]["mb"]
        if not lines:
            names = " | ".join(f"after {cell(each['name'])}" for each in rows[2:])
            lines = [f"| {count:,} events | file, MB | read, MB | times the file | {names} |"]
            lines.append("| --- |" + " ---: |" * (len(rows) + 1))
        cells = " | ".join(f"{each['mb'] / size:.1f}" for each in rows[1:])
        lines.append(f"| {source} | {size:.1f} | {rows[1]['mb']:.1f} | {cells} |")
    return "\n".join(lines)


MEASURES: dict[str, Callable[[int, str], list[dict[str, Any]]]] = {
    "new_sessions": new_sessions,
    "turns_of_one": turns_of_one,
    "live_and_dropped": live_and_dropped,
    "written": written,
    "events_read": events_read,
}


def measured(measure: str, count: int, spec: str) -> list[dict[str, Any]]:
    """The rows of a measure, in a process of its own."""
    code = (
        "import json; from benchmarks.memory import MEASURES; "
        f"print(json.dumps(MEASURES[{measure!r}]({count}, {spec!r})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def growth_table(measure: str, count: int, specs: tuple[str, ...] = tuple(SPECS)) -> str:
    """A row a spec: resident megabytes and what is held, at each mark; of new sessions also the
    blocks of memory."""
    lines: list[str] = []
    for spec in specs:
        rows = measured(measure, count, spec)
        if not lines:
            marks = " | ".join(f"{each['done']:,}" for each in rows)
            lines = [f"| spec | {marks} | events |", "| --- |" + " ---: |" * (len(rows) + 1)]
        cells = " | ".join(f"{each['rss']:.0f} ({each['held']:.1f})" for each in rows)
        grown = rows[-1].get("json", 0) - rows[0].get("json", 0)
        lines.append(f"| {cell(spec)} | {cells} | {f'+{grown:.1f}' if grown else ''} |")
        if measure == "new_sessions":
            blocks = " | ".join(f"{each['blocks']:,}" for each in rows)
            lines.append(f"| blocks that Python has allocated | {blocks} | |")
    return "\n".join(lines)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--compiles", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=2_000)
    parser.add_argument("--live", type=int, default=1_000)
    options = parser.parse_args()
    first = next(iter(SPECS))
    print("Events in memory, in times their file:\n")
    print(read_table(options.events))
    print("\nMegabytes resident (held), after so many new sessions:\n")
    print(growth_table("new_sessions", options.compiles, (first,)))
    print("\nAfter so many turns of one, and the JSON of the events that came:\n")
    print(growth_table("turns_of_one", options.turns))
    print(f"\nWith {options.live:,} sessions at once, before and after:\n")
    print(growth_table("live_and_dropped", options.live, (first, "C.compaction(8000)")))


if __name__ == "__main__":
    main()
