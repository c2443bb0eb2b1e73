"""Whether the default, and words that leave something out, cost more than sending everything.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.never_dearer [waiting] [SESSIONS] [FILE...]

replays SESSIONS of each file of recorded sessions (default 1), compiled before every message of the assistant, and prints
a table: the engine's own ledger against sending everything, by the cache and prices of each model. No spec is suspended;
in brackets, as an engine has it by default, where steps of what promises no size wait, and a spec that goes on losing
gives way. The limits are small, so that there is something to do.

`waiting` compares that with an engine as users have it, whose steps wait until they are paid for, at every call, and
writes it into docs/reference/never-dearer.md.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import figures
from benchmarks.recorded import FILES, evenly, sessions
from benchmarks.worth_tables import cell
from contextwright import C, Engine, Session, target
from contextwright.engine.default_spec import instead_of
from contextwright.engine.put_off import may_wait
from contextwright.errors import ContextwrightError
from contextwright.session.event import Tool
from contextwright.spec.expr import Expr

MODELS = ("gpt-5", "claude-sonnet-4-5")
LIMIT = 8_000
SPECS: dict[str, Expr | None] = {
    "no spec": None,
    "`compaction(8000)`": C.compaction(LIMIT),
    "`budget(8000)`": C.budget(LIMIT),
    "`fit(8000)`": C.fit(LIMIT),
    "`sliding(8000)`": C.sliding(LIMIT),
    "`budget`, least salient": C.budget(LIMIT, overflow="truncate_least_salient"),
    "`fit`, salience": C.fit(LIMIT, strategy="salience"),
    "`cool(8000)`": C.cool(threshold=LIMIT),
    "`cap(8000)`": C.default() | C.cap(LIMIT),
    "`compress_results()`": C.compress_results(),
    "`compress_results(budget=8000)`": C.compress_results(budget=LIMIT),
    "`allocate(max_tokens=16000)`": C.default() | C.allocate(max_tokens=2 * LIMIT),
    "`relevant(max_tokens=8000)`": C.relevant(max_tokens=LIMIT, scorer="lexical"),
    "`salient(min_score=.3)`": C.salient(min_score=0.3),
    "`decay()`": C.decay(),
    "`isolate()`": C.isolate(),
    "`rolling(5)`": C.rolling(5),
    "`window(steps=8)`": C.window(steps=8),
}
"""By their names in the table."""
MOST = 60
"""Calls of a session that are replayed."""
AGENTS = ("pi_coding", "se_agent", "sgd", "swe_agent", "tapeagents", "tau_bench_airline",
          "toolbench", "webdancer")  # fmt: skip
"""Files of sessions with tools."""
PROVIDERS = (*MODELS, "gemini-2.5-pro")
PAGE = Path(__file__).parents[1] / "docs/reference/never-dearer.md"
START, END = "<!-- waiting -->", "<!-- /waiting -->"


def moments(session: Session) -> Iterator[Session]:
    """The session before each call of its model."""
    names = dict.fromkeys(call.name for event in session.log for call in event.calls)
    # without tools a request has those that were called so far, which move its whole prefix
    grown = Session(session.id, tools=session.tools or [Tool(name=name) for name in names])
    calls = 0
    for event in session.log:
        if event.role == "assistant" and any(one.role == "user" for one in grown.log):
            yield grown
            calls += 1
            if calls == MOST:
                return
        grown.append(event)


def share(
    spec: Expr | None, session: Session, model: str, *, suspend: bool = False
) -> float | None:
    """What the replay cost, of what sending everything would have; None where it can not be told."""
    engine, grown = Engine(spec, model, suspend=suspend), None
    try:
        for grown in moments(session):
            engine.compile(grown)
    except ContextwrightError:
        return None
    if grown is None:
        return None
    ledger = engine.ledger(grown)
    return ledger.cost / ledger.whole_cost if ledger.whole_cost else None


def measured(count: int, files: tuple[str, ...] = FILES) -> Iterator[dict[str, Any]]:
    """The dearest session of each file, by model and spec."""
    for name in files:
        for model in MODELS:
            found = evenly(sessions(name), count)
            costs = {title: dearest(spec, found, model) for title, spec in SPECS.items()}
            gives_way = {
                title: cost
                for title, spec in SPECS.items()
                if spec is not None
                and instead_of(spec, target(model)) is not None
                and (cost := dearest(spec, found, model, suspend=True)) != costs[title]
            }
            yield {"file": name, "model": model, "costs": costs, "gives_way": gives_way}


def dearest(
    spec: Expr | None, found: list[Session], model: str, *, suspend: bool = False
) -> float | None:
    """The most that a replay of these sessions cost."""
    shares = (share(spec, session, model, suspend=suspend) for session in found)
    some = [one for one in shares if one is not None]
    return round(max(some), 4) if some else None


def table(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A row a file and model, as they are measured."""
    yield f"| file | model | {' | '.join(SPECS)} |"
    yield f"| --- | --- | {' | '.join('---:' for _ in SPECS)} |"
    for row in rows:
        yield f"| {row['file']} | {row['model']} | {' | '.join(cell(row, spec) for spec in SPECS)} |"


class Sums(NamedTuple):
    """Microdollars of a replay, and of sending everything; the dearest at any of its calls, of what
    everything had cost by then; calls at which a step waited."""

    cost: int
    whole: int
    dearest: float
    put_off: int


def sums(spec: Expr, session: Session, model: str, *, never_dearer: bool) -> Sums | None:
    """What a replay came to; None where it can not be told."""
    engine, dearest, told = Engine(spec, model, suspend=False, never_dearer=never_dearer), 0.0, None
    try:
        for grown in moments(session):
            engine.compile(grown)
            told = engine.ledger(grown)
            dearest = max(dearest, told.cost / max(1, told.whole_cost))
    except ContextwrightError:
        return None
    return None if told is None else Sums(told.cost, told.whole_cost, dearest, told.put_off)


def waiting(count: int, files: tuple[str, ...]) -> Iterator[str]:
    """The lines of the section on steps that wait: a row a spec, over its sessions and models."""
    found = [(session, model) for name in files for session in evenly(sessions(name), count)
             for model in PROVIDERS]  # fmt: skip
    yield f"{len(found)} replays: {count} session of each of {', '.join(files)}, by {', '.join(PROVIDERS)}."
    yield ""
    yield "| spec | changed | at once | dearest call | `never_dearer` | dearest call | calls that waited |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for title, spec in SPECS.items():
        if spec is None or not may_wait(spec):
            continue
        pairs = [
            (kept, waited)
            for session, model in found
            if (kept := sums(spec, session, model, never_dearer=False))
            and (waited := sums(spec, session, model, never_dearer=True))
            and (kept.cost != waited.cost or kept.cost != kept.whole)
        ]
        if not pairs:
            continue
        cells = [f"{title} | {len(pairs)}"]
        for side in zip(*pairs, strict=True):
            share = sum(one.cost for one in side) / sum(one.whole for one in side)
            cells.append(f"{share:.3f} | {max(one.dearest for one in side):.3f}")
        yield f"| {' | '.join(cells)} | {sum(waited.put_off for _, waited in pairs):,} |"


def write_waiting(count: int, files: tuple[str, ...]) -> None:
    """Measure, and put the section into the page."""
    lines: list[str] = []
    for line in waiting(count, files):
        print(line, flush=True)
        lines.append(line)
    before, rest = PAGE.read_text(encoding="utf-8").split(START)
    made = "\n".join([START, *lines, ""])
    PAGE.write_text(before + made + END + rest.split(END)[1], encoding="utf-8")


def main() -> None:
    """Print the table as it is measured, and write the figures, where all files were asked for."""
    if sys.argv[1:2] == ["waiting"]:
        number, *chosen = sys.argv[2:] or ["1"]
        write_waiting(int(number), tuple(chosen) or AGENTS)
        return
    number, *chosen = sys.argv[1:] or ["1"]
    rows: list[dict[str, Any]] = []

    def kept() -> Iterator[dict[str, Any]]:
        for row in measured(int(number), tuple(chosen) or FILES):
            rows.append(row)
            yield row

    for line in table(kept()):
        print(line, flush=True)
    if chosen:
        return
    parts = {"sessions": int(number), "most": MOST, "rows": rows}
    print(figures.save("never-dearer", "python -m benchmarks.never_dearer", (), parts))


if __name__ == "__main__":
    main()
