"""Budgets beside those of the economy's tables, so that a lucky one shows: `C.compaction`, and a limit
alone.

CONTEXTWRIGHT_DATA=... python -m benchmarks.economy_neighbours
"""

from collections.abc import Iterator

from benchmarks.economy import BUDGETS, PAGE, compaction, compiled, full, run
from benchmarks.economy_metrics import Method, Score
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


def write() -> None:
    """The section of the page, in the place of the one that is there."""
    page = PAGE.read_text(encoding="utf-8")
    section = HEAD + "\n".join(rows()) + "\n\n"
    start = page.find(HEADING)
    rest = page.index("## What follows")
    PAGE.write_text(page[: start if start >= 0 else rest] + section + page[rest:], encoding="utf-8")


if __name__ == "__main__":
    write()
