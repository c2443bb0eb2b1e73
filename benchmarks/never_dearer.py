"""Whether the default, and words that leave something out, cost more than sending everything.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.never_dearer [SESSIONS] [FILE...]

replays SESSIONS of each file of recorded sessions (default 1), compiled before every message of the assistant, and prints
a table: the engine's own ledger against sending everything, by the cache and prices of each model. No spec is suspended.
The limits are small, so that there is something to do.
"""

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from benchmarks import figures
from benchmarks.recorded import FILES, evenly, sessions
from contextwright import C, Engine, Session
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


def share(spec: Expr | None, session: Session, model: str) -> float | None:
    """What the replay cost, of what sending everything would have; None where it can not be told."""
    engine, grown = Engine(spec, model, suspend=False), None
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
            shares = {
                title: [one for s in found if (one := share(spec, s, model)) is not None]
                for title, spec in SPECS.items()
            }
            costs = {title: round(max(some), 4) if some else None for title, some in shares.items()}
            yield {"file": name, "model": model, "costs": costs}


def table(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A row a file and model, as they are measured."""
    yield f"| file | model | {' | '.join(SPECS)} |"
    yield f"| --- | --- | {' | '.join('---:' for _ in SPECS)} |"
    for row in rows:
        costs = row["costs"].values()
        cells = ("-" if cost is None else f"{cost:.2f}" for cost in costs)
        yield f"| {row['file']} | {row['model']} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table as it is measured, and write the figures."""
    number, *chosen = sys.argv[1:] or ["1"]
    rows: list[dict[str, Any]] = []

    def kept() -> Iterator[dict[str, Any]]:
        for row in measured(int(number), tuple(chosen) or FILES):
            rows.append(row)
            yield row

    for line in table(kept()):
        print(line, flush=True)
    parts = {"sessions": int(number), "most": MOST, "rows": rows}
    print(figures.save("never-dearer", "python -m benchmarks.never_dearer", (), parts))


if __name__ == "__main__":
    main()
