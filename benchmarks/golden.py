"""The golden run: what every word sends, over recorded sessions, as checksums to compare with.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.golden --write FILE      (with the code before)
    CONTEXTWRIGHT_DATA=... python -m benchmarks.golden --compare FILE    (with the code after)

`--quick` runs a part of it, the same keys in both; `--only TEXT` the specs that have this text. It
uses nothing but what both sides have in public. A key is session, position, way and format, under a
spec; a value is the request's SHA-256, or the error's class and words.

Ways: `cold` compiles a fresh session of the events so far; `grown` goes on with one engine from
position to position, recording each turn.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

from rich.console import Console
from rich.progress import Progress

import contextwright
from benchmarks.generated import generated_session
from benchmarks.golden_specs import LONG, one_each, word_specs
from benchmarks.recorded import FILES, chained, evenly, sessions
from contextwright import Engine, FileArtifacts, Session, compile
from contextwright.session import Event, Tool
from contextwright.spec.expr import Expr
from contextwright.testing import target_for
from contextwright.testing.rule_sessions import SESSIONS, WORD_STATE

FORMATS = ("openai-chat", "openai-responses", "anthropic", "gemini", "text")
SHORT, PER_FILE = 100, 2
"""Events at most of a recorded session that is compiled whole, and sessions of a file."""
GROWING = ("tau_bench_airline", "swe_agent", "pi_coding", "locomo", "who_when", "webdancer")
QUICK_FILES = ("tau_bench_airline", "swe_agent", "locomo")
Values = dict[str, dict[str, str]]
"""By spec: key to checksum or error."""


class Work:
    """One session under one spec: what is compiled, at which positions."""

    def __init__(
        self, name: str, source: Session, positions: Sequence[int], ways: Sequence[str],
        specs: Sequence[Expr],
    ) -> None:  # fmt: skip
        self.name, self.positions, self.ways = name, positions, ways
        self.events: list[Event] = list(source.log)[: positions[-1]]
        self.tools: tuple[Tool, ...] = source.tools
        self.specs = specs

    def session(self, position: int) -> Session:
        """A fresh one of the first events."""
        events = self.events[:position]
        return Session("golden", events, state=WORD_STATE, tools=self.tools)

    def values(self, spec: Expr) -> Iterator[tuple[str, str]]:
        """Keys with their checksums."""
        format = FORMATS[crc32(f"{self.name}|{spec!r}".encode()) % len(FORMATS)]
        if "grown" in self.ways:
            yield from self._grown(spec, format)
        if "cold" in self.ways:
            for position in self.positions[-1:] if "grown" in self.ways else self.positions:
                pack = outcome(
                    lambda at=position: compile(self.session(at), spec, target=_target(format))
                )
                yield f"{self.name}@{position} cold {format}", pack

    def _grown(self, spec: Expr, format: str) -> Iterator[tuple[str, str]]:
        with tempfile.TemporaryDirectory() as folder:
            yield from self._turns(spec, format, FileArtifacts(folder))

    def _turns(
        self, spec: Expr, format: str, artifacts: FileArtifacts
    ) -> Iterator[tuple[str, str]]:
        session = Session("golden", state=WORD_STATE, tools=self.tools)
        model, window = _target(format).model, _target(format).window
        try:
            engine = Engine(
                spec, model, artifacts=artifacts, format=format, window=window, reserved_output=0
            )
        except Exception as error:  # noqa: BLE001
            yield f"{self.name} grown {format}", _words(error)
            return
        for position in self.positions:
            session.extend(self.events[len(session) : position])
            checksum = outcome(lambda: engine.compile(session))
            yield f"{self.name}@{position} grown {format}", checksum
            recorded = outcome(lambda: engine.record(session))
            if recorded:
                yield f"{self.name}@{position} recorded {format}", recorded


_target = cache(target_for)


def outcome(work: Callable[[], Any]) -> str:
    """The checksum of a pack's request, or the error's class and words."""
    try:
        pack = work()
    except Exception as error:  # noqa: BLE001 -- whatever it is has to stay the same
        return _words(error)
    return "" if pack is None else sha256(pack.body).hexdigest()[:24]


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:400]


def works(quick: bool) -> Iterator[Work]:
    """All of it, or the quick part, in an order that never changes."""
    every = word_specs()
    for name in ("agent",) if quick else SESSIONS:
        session = SESSIONS[name]()
        steps = (len(session) // 2, len(session) - 3, len(session) - 1, len(session))
        yield Work(f"rules/{name}", session, steps, ("grown", "cold"), every)
    for file in QUICK_FILES if quick else FILES:
        for place, session in enumerate(evenly(sessions(file), PER_FILE)[: 1 if quick else None]):
            most = min(SHORT, len(session))
            name = f"{file}/{place}"
            if file in GROWING and not place:
                steps = sorted({most // 3 + 1, most // 2 + 1, most - 2, most - 1, most})
                yield Work(name, session, steps, ("grown", "cold"), every)
            else:
                yield Work(name, session, [most], ("cold",), every)
    yield _chain(240, [220, 221, 232, 240], every)
    if not quick:
        yield from _long(one_each())


def _long(words: Sequence[Expr]) -> Iterator[Work]:
    coding, made = sessions("pi_coding")[0], generated_session(600)
    yield Work("pi_coding/long", coding, [700, 890, 900, 913], ("grown",), words)
    yield Work("generated/600", made, [560, 568, 576, 600], ("grown", "cold"), words)
    yield _chain(2_040, [2_000, 2_001, 2_020, 2_040], words)
    yield _chain(6_020, [6_000, 6_004, 6_020], LONG)


def _chain(most: int, positions: Sequence[int], specs: Sequence[Expr]) -> Work:
    session = Session("tau", chained("tau_bench_airline", most))
    return Work(f"tau/{most}", session, positions, ("grown",), specs)


def run(quick: bool, only: str, console: Console, *, verbose: bool = False) -> Values:
    """Compile everything."""
    found: Values = defaultdict(dict)
    start = time.process_time()
    pairs = [(work, spec) for work in works(quick) for spec in work.specs if only in repr(spec)]
    with Progress(console=console) as progress:
        bar, name, since = progress.add_task("golden run", total=len(pairs)), "", start
        for work, spec in pairs:
            if verbose and work.name != name:
                console.print(f"{name} {time.process_time() - since:.1f} s")
                name, since = work.name, time.process_time()
            progress.update(bar, description=work.name)
            found[repr(spec)].update(work.values(spec))
            progress.advance(bar)
    count = sum(map(len, found.values()))
    where = Path(contextwright.__file__).parent
    console.print(f"{where}: {count:,} requests, {time.process_time() - start:.0f} s of CPU")
    return dict(found)


def differences(before: Values, after: Values, whole: bool) -> list[str]:
    """What differs, a line for each spec: how many of how many, and the first key.

    Args:
        whole: whether what only one side has is a difference, too.
    """
    lines = []
    for spec in {**before, **after}:
        old, new = before.get(spec, {}), after.get(spec, {})
        keys = {**old, **new} if whole else {key: None for key in new if key in old}
        differing = [key for key in keys if old.get(key) != new.get(key)]
        if differing:
            key = differing[0]
            lines.append(
                f"{len(differing)} of {len(keys)}  {spec}\n    {key}\n"
                f"    before {old.get(key)}\n    after  {new.get(key)}"
            )
    return lines


def main() -> int:
    """Write, or compare; 1 where anything differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", type=Path)
    parser.add_argument("--compare", type=Path)
    parser.add_argument("--quick", action="store_true", help="a part of the sessions")
    parser.add_argument("--only", default="", help="the specs that have this text")
    parser.add_argument("-v", action="store_true", help="where the time went")
    options = parser.parse_args()
    if (options.write is None) == (options.compare is None):
        parser.error("either --write FILE or --compare FILE")
    before = json.loads(options.compare.read_text()) if options.compare else {}
    after = run(options.quick, options.only, Console(stderr=True), verbose=options.v)
    if options.write:
        options.write.write_text(json.dumps(after, indent=0, ensure_ascii=False))
        return 0
    lines = differences(before, after, whole=not (options.quick or options.only))
    print("\n".join(lines))
    compared = sum(key in before.get(spec, {}) for spec, keys in after.items() for key in keys)
    print(f"{compared:,} requests compared, {len(lines)} specs with a difference")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
