"""What each way of keeping a session within a budget is worth and costs, on real tool sessions.

CONTEXTWRIGHT_DATA=... python -m benchmarks.economy [FILE ...] | --page
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.economy_baselines import baselines, full
from benchmarks.economy_metrics import (
    Method,
    Score,
    hard_values,
    score,
)
from benchmarks.economy_own import compaction, minified
from benchmarks.economy_peers import peers
from benchmarks.recorded_chats import sessions
from contextwright.text.json_rows import values_only


def run(name: str, make: Callable[[], Method], budget: int | None) -> Score:
    """A fresh method for each session of a file."""
    total = Score()
    for messages in sessions(name):
        total.add(score(messages, make(), budget))
    return total


BUDGETS = {
    "pi_coding": 32_000,
    "tau_chained": 8_000,
    "se_agent": 8_000,
    "tau_bench_airline": 3_000,
    "swe_agent": 8_000,
    "tapeagents": 10_000,
    "webdancer": 4_500,
    "intercode_sql": 2_000,
    "toolbench": 1_500,
    "tooltalk": 800,
}
TARGETS = {
    "pi_coding": (0.95, 0.36),
    "tau_chained": (0.99, 0.23),
    "se_agent": (0.99, 0.92),
    "tau_bench_airline": (0.99, 0.88),
}
"""Calls with all their values in sight, at least, and cost under OpenAI's rule, at most."""
HARD = (0.30, 0.97)
"""Tokens of stale JSON results, at most, and the hard values kept, at least."""


def table(name: str) -> Iterator[str]:
    """A line for each method, the best setting of each peer, ours; then the targets."""
    budget = BUDGETS[name]
    whole = run(name, full, None)
    yield f"{name} at {budget:,} tokens: {whole.requests} requests, {whole.calls} calls"
    yield f"  {'method':44} recall calls recov tokens cost (Anthropic) invalid  over  cut"
    for method, setting, make in baselines(budget):
        label = f"{method}, {setting}" if setting else method
        yield _line(label, run(name, make, budget), whole)
    best: dict[str, tuple[float, str, Score]] = {}
    for label, setting, make in peers(budget):
        found = run(name, make, budget)
        bad = (found.invalid + found.over) / found.requests
        rank = found.call_share - found.openai / whole.openai / 2 - bad
        if label not in best or rank > best[label][0]:
            best[label] = rank, setting, found
    for label, (_, setting, found) in best.items():
        yield _line(label, found, whole) + f"  {setting}"
    own = run(name, lambda: compaction(budget), budget)
    yield _line("C.compaction (ours)", own, whole)
    if name in TARGETS:
        calls, cost = TARGETS[name]
        checks = {
            f"calls {own.call_share:.3f} >= {calls}": own.call_share >= calls,
            f"cost {own.openai / whole.openai:.3f} <= {cost}": own.openai / whole.openai <= cost,
            "recov 1.0": own.recov == 1.0,
            "invalid 0": not own.invalid,
            "over 0": not own.over,
        }
        told = (f"{check}: {'met' if met else 'MISSED'}" for check, met in checks.items())
        yield "  targets: " + "; ".join(told)


def _line(label: str, found: Score, whole: Score) -> str:
    n = found.requests
    return (
        f"  {label:44} {found.recall:6.3f} {found.call_share:5.3f} {found.recov:5.3f}"
        f" {found.tokens / whole.tokens:6.2f} {found.openai / whole.openai:5.3f}"
        f" ({found.anthropic / whole.anthropic:8.3f}) {found.invalid / n:7.2f}"
        f" {found.over / n:5.2f} {found.unseen_fresh:4d}"
    )


def hard_line(name: str) -> str:
    """Stale JSON results to their different values: what stays."""
    short = all_ = kept = values = 0
    for messages in sessions(name):
        found = hard_values(messages, values_only)
        short, all_ = short + found[0], all_ + found[1]
        kept, values = kept + found[2], values + found[3]
    tokens, share = short / max(1, all_), kept / max(1, values)
    met = tokens <= HARD[0] and share >= HARD[1]
    return (
        f"stale JSON results of {name}: {tokens:.3f} of the tokens keep {share:.3f} of"
        f" {values} hard values: {'met' if met else 'MISSED'}"
    )


PAGE = Path(__file__).parents[1] / "docs/reference/economy.md"
OURS = {
    "| **`C.compaction`, ours** |": compaction,
    "| **the same behind `C.minify()`** |": minified,
}
"""How our rows of a table begin, and what they are of."""


def write_page() -> None:
    """Our rows of each table of the page, measured anew; the peers' rows stay as they were run."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    name = ""
    for at, line in enumerate(lines):
        if line.startswith("## "):
            name = line[3:].partition(",")[0]
        for label, method in OURS.items():
            if line.startswith(label):
                own = run(name, lambda method=method: method(BUDGETS[name]), BUDGETS[name])
                lines[at] = f"{label} {_row(own, run(name, full, None))} |"
                print(name, lines[at])
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _row(found: Score, whole: Score) -> str:
    n = found.requests
    shares = [found.call_share, found.recall, found.recov]
    costs = [found.openai / whole.openai, found.anthropic / whole.anthropic]
    rest = [f"{found.invalid / n:.2f}", f"{found.over / n:.2f}", str(found.unseen_fresh)]
    return " | ".join(
        [
            *(f"{share:.3f}" for share in shares),
            f"{found.tokens / whole.tokens:.2f}",
            *(f"{cost:.3f}" for cost in costs),
            *rest,
        ]
    )


def main(names: Sequence[str]) -> None:
    """All tables, or with `--page` our rows of the page."""
    if "--page" in names:
        write_page()
        return
    print("cut: requests in which a fresh result had no room to be whole\n")
    for name in names or BUDGETS:
        for line in table(name):
            print(line, flush=True)
        print()
    if not names or "tau_bench_airline" in names:
        print(hard_line("tau_bench_airline"))


if __name__ == "__main__":
    main(sys.argv[1:])
