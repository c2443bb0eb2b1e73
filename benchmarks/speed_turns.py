"""One group of cells: a session of some length, built once, then a process of its own for each
spec or peer, forked off it, so that no cell finds what another has remembered.

    python -m benchmarks.speed_turns SOURCE EVENTS SECONDS NAME...

prints a line of JSON for each cell. All times are CPU time of the process.
"""

import gc
import json
import math
import os
import resource
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.generated import generated_session
from benchmarks.recorded import behind, chained
from benchmarks.speed_peers import PEERS, peer_turns
from benchmarks.speed_specs import specs
from contextwright import Engine, FileArtifacts, Session, read_session, write_session
from contextwright.session import Event
from contextwright.testing import target_for
from contextwright.testing.rule_sessions import WORD_STATE
from contextwright.tokens.counter import counter_for
from contextwright.tokens.vocabulary import encoding

SOURCES = ("recorded", "generated")
FORMAT = "openai-chat"
TURNS, FEWEST, MORE = 200, 5, 700
"""Turns that are timed at most and at least, and events that are there for them."""
SECONDS = 4.0
"""What the turns of a cell may take, of CPU."""
LARGE = tuple(generated_session(400, seed=3).log)
"""A session that is over the limits, so that what a step alone loads is loaded as well."""
Turn = Callable[[list[Event]], Any]


class Clock:
    """CPU milliseconds since it was made."""

    def __init__(self) -> None:
        self.start = time.process_time()

    @property
    def spent(self) -> float:
        """Milliseconds."""
        return (time.process_time() - self.start) * 1000


def events_of(source: str, most: int) -> list[Event]:
    """So many events: tau-bench's sessions chained, or generated turns."""
    if source == "recorded":
        return list(chained("tau_bench_airline", most))
    return list(generated_session(most).log)[:most]


def calls_of_model(events: list[Event], first: int) -> list[int]:
    """Positions at which an agent would ask its model, from a position on: behind a user's words or
    the last result of a call."""
    return [
        at + 1
        for at in range(first - 1, len(events) - 1)
        if events[at].role in {"user", "tool"} and events[at + 1].role == "assistant"
    ]


def resident() -> int:
    """Bytes of memory that the process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def spec_turns(name: str, session: Session, folder: str) -> tuple[Turn, Callable[[], Any]]:
    """A turn under a spec of ours, and the pack that came of the newest."""
    model = target_for(FORMAT).model
    engine = Engine(
        specs()[name], model, format=FORMAT, window=128_000, reserved_output=0,
        artifacts=FileArtifacts(folder),
    )  # fmt: skip
    packs: list[Any] = [None]

    def turn(new: list[Event]) -> None:
        session.extend(new)
        packs[0] = engine.compile(session)

    return turn, lambda: packs[0]


def limit_turns() -> Turn:
    """What no compiler can save: the new events written as JSON, their texts counted once."""
    tokens, written = encoding("o200k_base").encode_ordinary, msgspec.json.encode

    def turn(new: list[Event]) -> None:
        for event in new:
            tokens(written(event).decode())

    return turn


def turns_of(name: str, session: Session, folder: str) -> tuple[Turn, Callable[[], Any]]:
    """A turn of a cell, and the pack that came of the newest, if it makes packs."""
    if name == "limit":
        return limit_turns(), lambda: None
    if name in PEERS:
        return peer_turns(name, list(session.log)), lambda: None
    return spec_turns(name, session, folder)


def measured(name: str, session: Session, after: list[Event]) -> Iterator[dict[str, Any]]:
    """The first compile, as soon as it is there; then all of the cell. What is loaded on first
    use, such as modules and word lists, is loaded by another session before."""
    with tempfile.TemporaryDirectory() as folder:
        turns_of(name, Session("large", LARGE, state=WORD_STATE), folder)[0]([])
        turn, pack = turns_of(name, session, folder)
        gc.collect()
        before, clock = resident(), Clock()
        turn([])
        found: dict[str, Any] = {"first": clock.spent}
        gc.collect()
        found["first_bytes"] = resident() - before
        yield found
        yield found | timed_turns(turn, after) | sizes(pack())
        gc.collect()


def timed_turns(turn: Turn, after: list[Event]) -> dict[str, Any]:
    """Turn by turn, as long as there is time and there are events; behind each the limit, on the
    same events: a machine that others use as well is by half as fast an hour later. Its second run
    counts, for what a turn leaves of the processor's caches is the turn's doing."""
    gc.collect()
    taken, limits, limit, done = list[float](), list[float](), limit_turns(), 0
    whole, before = Clock(), resident()
    for position in calls_of_model(after, 1)[:TURNS]:
        new, done = after[done:position], position
        for work, times in ((turn, taken), (limit, []), (limit, limits)):
            clock = Clock()
            work(new)
            times.append(clock.spent)
        if whole.spent > SECONDS * 1000 and len(taken) >= FEWEST:
            break
    gc.collect()
    taken.sort()
    figures = {
        "p50": statistics.median(taken),
        "limit": statistics.median(limits),
        "p99": taken[math.ceil(len(taken) * 0.99) - 1],
        "longest": taken[-1],
        "turns": len(taken),
    }
    return figures | {"turn_bytes": resident() - before}


def sizes(pack: Any) -> dict[str, int]:
    """Bytes of a request and of its manifest."""
    if pack is None:
        return {}
    return {"request": len(pack.body), "manifest": len(pack.manifest.to_json())}


def in_a_fork(work: Callable[[], Iterator[dict[str, Any]]], seconds: float) -> dict[str, Any]:
    """The last dict that a process of its own gives before its time is over.

    Its parent looks at its time: with a limit of the kernel's a process sees its own clock in steps
    of four milliseconds.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _work_and_exit(work, writing)
    os.close(writing)
    over = False
    while not os.waitpid(child, os.WNOHANG)[0]:
        time.sleep(0.05)
        if not over and spent_by(child) > seconds:
            over = True
            os.kill(child, signal.SIGKILL)
    with os.fdopen(reading) as lines:
        found = [json.loads(line) for line in lines]
    last: dict[str, Any] = found[-1] if found else {}
    return last | {"stopped": f"over {seconds:.0f} s"} if over else last


def spent_by(child: int) -> float:
    """CPU seconds of a process so far; nothing where it has ended."""
    try:
        fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _work_and_exit(work: Callable[[], Iterator[dict[str, Any]]], writing: int) -> None:
    with os.fdopen(writing, "w") as lines:
        try:
            for found in work():
                print(json.dumps(found), file=lines, flush=True)
        except BaseException as error:  # noqa: BLE001 -- it is written down as what came of it
            stopped = f"{type(error).__name__}: {error}".partition("\n")[0][:200]
            print(json.dumps({"stopped": stopped}), file=lines, flush=True)
    os._exit(0)


def read_from_file(path: str) -> Iterator[dict[str, Any]]:
    """A stored session is read: milliseconds, and bytes that the process has more."""
    before, clock = resident(), Clock()
    session = read_session(path)
    found = {"first": clock.spent}
    gc.collect()
    yield found | {"bytes": resident() - before, "events_read": len(session)}


def group(source: str, events: int, seconds: float, names: list[str]) -> None:
    """Print every cell of a session's length."""
    every = events_of(source, events + MORE)
    first = calls_of_model(every, events)[0]
    after = behind(every[:MORE], first)  # the same turns at every length
    session = Session("speed", every[:first], state=WORD_STATE)
    counter = counter_for(target_for(FORMAT).model)
    counter.count("load the vocabulary, its other half as well: 日本語, ñ")
    gc.collect()
    gc.freeze()
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            extra = {}
            if name == "reading":
                path = Path(folder) / "session.jsonl"
                write_session(session, "contextwright", path)
                extra = {"json": path.stat().st_size}
                found = in_a_fork(lambda: read_from_file(str(path)), seconds)  # noqa: B023
            else:
                work = lambda: measured(name, session, after)  # noqa: B023, E731
                found = in_a_fork(work, seconds)
        cell = {"name": name, "source": source, "events": events, **extra, **found}
        print(json.dumps(cell), flush=True)


if __name__ == "__main__":
    group(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4:])
