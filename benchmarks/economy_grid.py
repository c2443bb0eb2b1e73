"""Whole grids of every product that is installed, in one run: each at its best setting by one rank, and
each at its defaults, with intervals.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.economy_grid [FILE ...] [--cells CELLS.jsonl] [--seconds S]

A cell is a product with a setting on a file. Cells go to CELLS.jsonl as they are measured, so that a run
that was ended goes on, and several files can be run beside one another; the figures go to
docs/reference/figures/economy.json, of which `python -m benchmarks.worth` makes its page.
"""

import argparse
import json
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import figures
from benchmarks.economy import BUDGETS
from benchmarks.economy_baselines import baselines
from benchmarks.economy_defaults import defaults
from benchmarks.economy_metrics import Method, Score, scores
from benchmarks.economy_own import compiled
from benchmarks.economy_peers import peers
from benchmarks.recorded_chats import sessions
from contextwright import C
from contextwright.tune.session_sums import Interval, SessionSums, differences, intervals

FILES = ("se_agent", "tau_chained", "tau_bench_airline", "pi_coding")
STRETCH = 20
"""Requests that are drawn together where a file has fewer than `FEW` sessions."""
FEW = 5
OURS = "C.compaction (ours)"
WHOLE = "full history"
PACKAGES = (
    "langchain", "langchain-core", "pydantic-ai-harness", "agent-framework-core", "deepagents",
    "headroom-ai", "litellm",
)  # fmt: skip


FIELDS = [field.name for field in fields(Score) if field.name != "missed"]
"""What a cell keeps of a stretch, in this order."""


class Way(NamedTuple):
    """A product with a setting: `sort` is "grid", "default" or "method" (nobody's product)."""

    product: str
    setting: str
    sort: str
    make: Callable[[], Method]


def ways(budget: int) -> Iterator[Way]:
    """All that is measured at a budget."""
    for product, setting, make in baselines(budget):
        yield Way(product, setting, "method", make)
    yield Way(OURS, "", "default", lambda: compiled(C.default() | C.compaction(budget)))
    for limit in (budget, budget * 3 // 4):
        for low in (35, 47, 60):
            for eager in (True, False):
                spec = C.default() | C.compaction(limit, low=low, eager=eager)
                setting = f"max_tokens={limit}, low={low}, eager={eager}"
                yield Way(OURS, setting, "grid", lambda spec=spec: compiled(spec))
    for product, setting, make in defaults(budget):
        yield Way(product, setting, "default", make)
    for product, setting, make in peers(budget):
        yield Way(product, setting, "grid", make)


def measured(file: str, way: Way) -> dict[str, Any]:
    """The sums of every stretch: a session, or so many requests of one."""
    recorded, budget, started = sessions(file), BUDGETS[file], time.process_time()
    stretches: list[Score] = []
    for messages in recorded:
        for place, found in enumerate(scores(messages, way.make(), budget)):
            if not place or (len(recorded) < FEW and place % STRETCH == 0):
                stretches.append(Score())
            stretches[-1].add(found)
    return {
        "stretches": [[getattr(one, name) for name in FIELDS] for one in stretches],
        "seconds": round(time.process_time() - started, 1),
    }


class OutOfTime(BaseException):
    """A cell took too long. A product that goes on after any `Exception` does not after this one."""


def within(seconds: float, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What work gives, or why it gives nothing."""

    def late(*_: Any) -> None:
        raise OutOfTime(f"over {seconds} CPU seconds")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return work()
    except (Exception, OutOfTime) as error:  # noqa: BLE001 a peer's fault is its row's
        return {"stopped": f"{type(error).__name__}: {error}"[:200]}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def known(path: Path) -> dict[tuple[str, str, str, str], dict[str, Any]]:
    """The cells that are there."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    cells = map(json.loads, lines)
    return {(c["file"], c["product"], c["setting"], c["sort"]): c for c in cells}


def run(files: Sequence[str], path: Path, seconds: int) -> None:
    """Measure what the file of cells has not."""
    there = known(path)
    with path.open("a", encoding="utf-8") as out:
        for file in files:
            for way in ways(BUDGETS[file]):
                key = (file, way.product, way.setting, way.sort)
                if key in there:
                    continue
                cell = dict(zip(("file", "product", "setting", "sort"), key, strict=True))
                cell |= within(seconds, lambda way=way: measured(file, way))  # noqa: B023
                print(json.dumps(cell), file=out, flush=True)
                print(*key, cell.get("stopped", f"{cell.get('seconds')} s"), flush=True)


# --- figures ---


def total(cell: dict[str, Any]) -> Score:
    """The sums over all stretches."""
    return _score([sum(column) for column in zip(*cell["stretches"], strict=True)])


def _score(figures: Sequence[Any]) -> Score:
    return Score(**dict(zip(FIELDS, figures, strict=True)))


def sums(cell: dict[str, Any], whole: dict[str, Any]) -> list[SessionSums]:
    """A cell's stretches beside those of full history."""
    pairs = zip(cell["stretches"], whole["stretches"], strict=True)
    made = []
    for at, (one, all_) in enumerate(pairs):
        mine, everything = _score(one), _score(all_)
        made.append(
            SessionSums(
                "", at, needing=mine.calls, whole=mine.whole, values=mine.values,
                in_sight=mine.seen, cost=mine.openai, whole_cost=everything.openai,
                tokens=mine.tokens, errors=mine.invalid + mine.over,
            )
        )  # fmt: skip
    return made


def rank(cell: dict[str, Any], whole: dict[str, Any]) -> float:
    """What decides which setting is a product's best: calls, less half of the cost, less what is
    invalid or over the budget."""
    found, everything = total(cell), total(whole)
    bad = (found.invalid + found.over) / found.requests
    return found.call_share - found.openai / everything.openai / 2 - bad


def row(cell: dict[str, Any], whole: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """A line of the table."""
    found, everything = total(cell), total(whole)
    shares = intervals(sums(cell, whole))
    apart = differences(sums(ours, whole), sums(cell, whole))
    return {
        "product": cell["product"],
        "setting": cell["setting"],
        "sort": cell["sort"],
        "calls": _rounded(shares["calls"]),
        "cost": _rounded(shares["cost"]),
        "values": round(found.recall, 4),
        "reach": round(found.recov, 4),
        "tokens": round(found.tokens / everything.tokens, 4),
        "anthropic": round(found.anthropic / everything.anthropic, 4),
        "invalid": round(found.invalid / found.requests, 4),
        "over": round(found.over / found.requests, 4),
        "apart": {name: _rounded(apart[name]) for name in ("calls", "cost")},
    }


def _rounded(interval: Interval) -> list[float]:
    return [round(figure, 4) for figure in interval]


def table(file: str, cells: list[dict[str, Any]]) -> dict[str, Any] | None:
    """A file's figures: methods and defaults as they are, of each grid the best."""
    told = [cell for cell in cells if "stretches" in cell]
    by_name = {(cell["product"], cell["sort"]): cell for cell in told if cell["sort"] != "grid"}
    whole, ours = by_name.get((WHOLE, "method")), by_name.get((OURS, "default"))
    if whole is None or ours is None:
        return None
    grids: dict[str, list[dict[str, Any]]] = {}
    for cell in told:
        if cell["sort"] == "grid":
            grids.setdefault(cell["product"], []).append(cell)
    rows = [row(cell, whole, ours) for cell in told if cell["sort"] != "grid"]
    for settings in grids.values():
        best = max(settings, key=lambda cell: rank(cell, whole))
        searched = {"settings": len(settings), "seconds": sum(c["seconds"] for c in settings)}
        rows.append(row(best, whole, ours) | {"sort": "best"} | searched)
    return {
        "file": file,
        "budget": BUDGETS[file],
        "requests": total(whole).requests,
        "calls": total(whole).calls,
        "drawn": len(whole["stretches"]),
        "rows": rows,
        "stopped": [
            {key: cell[key] for key in ("product", "setting", "stopped")}
            for cell in cells
            if "stopped" in cell
        ],
    }


def missing(file: str, cells: list[dict[str, Any]]) -> dict[str, int]:
    """Settings that were not run, by product."""
    there = {(cell["product"], cell["setting"], cell["sort"]) for cell in cells}
    left = [way.product for way in ways(BUDGETS[file]) if way[:3] not in there]
    return {product: left.count(product) for product in dict.fromkeys(left)}


def newest(cells: list[dict[str, Any]], before: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The figures of each file; those of an earlier run by the same packages where fewer settings
    are missing from them."""
    same = before is not None and before["versions"] == figures.versions(PACKAGES)
    earlier = {part["file"]: part for part in before["parts"]} if before and same else {}
    parts: list[dict[str, Any]] = []
    for file in FILES:
        own = [cell for cell in cells if cell["file"] == file]
        made, old = table(file, own), earlier.get(file)
        if made is not None:
            made |= {"missing": missing(file, own)}
        if made is None or (old and _left(old) < _left(made)):
            made = old
        if made is not None:
            parts.append(made)
    return parts


def _left(part: dict[str, Any]) -> int:
    return sum(part["missing"].values())


def main() -> None:
    """Measure, and write the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", default=FILES)
    parser.add_argument("--cells", type=Path, default=Path("economy-cells.jsonl"))
    parser.add_argument("--seconds", type=int, default=600, help="CPU that a cell may take")
    parser.add_argument("--write", action="store_true", help="only the figures of the cells there")
    given = parser.parse_args()
    if not given.write:
        run(given.files, given.cells, given.seconds)
    parts = newest(list(known(given.cells).values()), figures.load("economy"))
    print(figures.save("economy", "python -m benchmarks.economy_grid", PACKAGES, parts))


if __name__ == "__main__":
    main()
