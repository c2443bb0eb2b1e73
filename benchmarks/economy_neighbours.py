"""Budgets beside those of the economy's tables, so that a lucky one shows: `C.compaction`, a limit
alone, and `C.compaction` behind `C.minify()`.

CONTEXTWRIGHT_DATA=... python -m benchmarks.economy_neighbours [--minify]
"""

import sys
from collections.abc import Iterator

from benchmarks.economy import BUDGETS, PAGE, run
from benchmarks.economy_baselines import full
from benchmarks.economy_metrics import Method, Score
from benchmarks.economy_own import compaction, compiled, minified
from contextwright import C

FILES = ("pi_coding", "tau_chained", "se_agent", "tau_bench_airline")
SHARES = (75, 90, 100, 110, 125)
"""Percent of a file's budget."""
HEADING = "## Beside these budgets"
HEAD = f"""{HEADING}

Calls @ cost on gpt-5 at other budgets than the tables'; `C.budget` drops what is oldest, also in steps. Written by
`python -m benchmarks.economy_neighbours`.

| | ×.75 | ×.9 | ×1 | ×1.1 | ×1.25 | `C.budget`, ×1 |
| --- | --- | --- | --- | --- | --- | --- |
"""


LAST = "## What follows"
"""The section behind the tables."""
MINIFIED = ("tau_bench_airline", "tau_chained")
"""Files whose tools give JSON in a line."""
NEAR = (90, 100, 110)
WIDE = (70, 75, 80, 85, *NEAR, 95, 105, 115, 120, 125, 130, 140, 150)
"""Percent of a file's budget: a step that falls elsewhere is worth some calls more or less."""
MINIFIED_HEADING = "## With `C.minify()` in front"
MINIFIED_HEAD = f"""{MINIFIED_HEADING}

Calls @ cost on gpt-5 of `C.default() | C.compaction(budget)` → `C.default() | C.minify() | C.compaction(budget)`, in the files whose tools give
JSON in a line. Written by `python -m benchmarks.economy_neighbours --minify`.

| | ×.9 | ×1 | ×1.1 | mean of {len(WIDE)} budgets, ×.7 to ×1.5 |
| --- | --- | --- | --- | --- |
"""


def limited(budget: int) -> Method:
    """A limit, and nothing else."""
    return compiled(C.default() | C.budget(budget))


def rows() -> Iterator[str]:
    """A line for each file."""
    for name in FILES:
        whole, budget = run(name, full, None), BUDGETS[name]
        cells = [
            _cell(run(name, lambda share=share: compaction(budget * share // 100), None), whole)
            for share in SHARES
        ]
        cells.append(_cell(run(name, lambda budget=budget: limited(budget), None), whole))
        line = f"| {name}, {budget:,} | {' | '.join(cells)} |"
        print(line, flush=True)
        yield line


def _cell(found: Score, whole: Score) -> str:
    return f"{found.call_share:.3f} @ {found.openai / whole.openai:.3f}"


def minified_rows() -> Iterator[str]:
    """A line for each file whose tools give JSON."""
    for name in MINIFIED:
        whole = run(name, full, None)
        plain, found = (
            [run(name, lambda: method(BUDGETS[name] * share // 100), None) for share in WIDE]
            for method in (compaction, minified)
        )
        cells = [
            f"{_cell(plain[at], whole)} → {_cell(found[at], whole)}" for at in map(WIDE.index, NEAR)
        ]
        cells.append(f"{_mean(plain, whole)} → {_mean(found, whole)}")
        line = f"| {name}, {BUDGETS[name]:,} | {' | '.join(cells)} |"
        print(line, flush=True)
        yield line


def _mean(found: list[Score], whole: Score) -> str:
    calls = sum(one.call_share for one in found) / len(found)
    cost = sum(one.openai for one in found) / whole.openai / len(found)
    return f"{calls:.3f} @ {cost:.3f}"


def write(heading: str, section: str) -> None:
    """A section of the page, in the place of the one that is there, or of a new last table."""
    page = PAGE.read_text(encoding="utf-8")
    start = page.find(heading)
    start = start if start >= 0 else page.index(LAST)
    rest = page.index("\n## ", start) + 1 if page.startswith(heading, start) else start
    PAGE.write_text(page[:start] + section + "\n\n" + page[rest:], encoding="utf-8")


if __name__ == "__main__":
    if "--minify" in sys.argv:
        write(MINIFIED_HEADING, MINIFIED_HEAD + "\n".join(minified_rows()))
    else:
        write(HEADING, HEAD + "\n".join(rows()))
