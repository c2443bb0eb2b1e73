"""The replay metric of labelled trajectories, and whether it differs between those that were resolved
and the others.

    CONTEXTWRIGHT_DATA=folder python -m benchmarks.labelled NAME@BUDGET ... | --page

A row of NAME.jsonl.gz has `messages`, `resolved` (or `reward`, of which 1 is resolved) and, where a task
was tried more than once, `task` or `task_id`. No model is asked.

The metric is the share of calls whose argument values from before are all in the request that
`C.compaction(BUDGET)` would have sent. Differences are Mantel-Haenszel's: calls are compared within
strata, of all, of one length of history, of one task. Intervals draw whole tasks. How often such an
interval leaves out nought where there is nothing is measured by shuffling the labels.
"""

import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.economy_metrics import Message, asked_at, scores, tokens_of
from benchmarks.economy_own import compaction
from benchmarks.recorded import rows
from benchmarks.recorded_chats import plain

PAGE = Path(__file__).parents[1] / "docs/reference/labelled-trajectories.md"
PAGE_RUNS = ("tau_bench_airline@3000", "tau_bench_airline@2000", "intercode_sql@500")
DRAWS, SHUFFLES = 300, 200
STEPS = 4
"""Strata of a history's length in one budget."""


class Call(NamedTuple):
    """A call that needs values from before, whether all are in sight, and how long the history was
    in parts of the budget."""

    whole: bool
    depth: int


class Trajectory(NamedTuple):
    """A run of a task, its label, and its calls."""

    task: str
    resolved: bool
    calls: tuple[Call, ...]


def trajectories(name: str, budget: int) -> list[Trajectory]:
    """Those of a file, replayed."""
    return [
        Trajectory(
            str(row.get("task", row.get("task_id", row.get("id", number)))),
            is_resolved(row),
            tuple(calls(plain(row["messages"]), budget)),
        )
        for number, row in enumerate(rows(name))
    ]


def is_resolved(row: Mapping[str, Any]) -> bool:
    """A row's label."""
    return bool(row["resolved"]) if "resolved" in row else row["reward"] >= 1


def calls(messages: list[Message], budget: int) -> Iterator[Call]:
    """What each call of a session needs and sees."""
    sums = [0]
    for message in messages:
        sums.append(sums[-1] + tokens_of(message))
    replayed = scores(messages, compaction(budget), budget)
    for at, score in zip(asked_at(messages), replayed, strict=True):
        depth = sums[at] * STEPS // budget
        for number in range(score.calls):
            yield Call(number < score.whole, depth)


Stratum = Callable[[Trajectory, Call], Any]
STRATA: dict[str, Stratum] = {
    "all calls": lambda trajectory, call: None,
    "at one length of history": lambda trajectory, call: call.depth,
    "of one task": lambda trajectory, call: trajectory.task,
}
Tallies = list[dict[Any, tuple[int, int]]]
"""Of each trajectory by stratum: calls with all in sight, and calls."""


def tallied(runs: Sequence[Trajectory], stratum: Stratum) -> Tallies:
    """The calls of each trajectory."""
    tallies: Tallies = []
    for run in runs:
        sums: dict[Any, tuple[int, int]] = defaultdict(lambda: (0, 0))
        for call in run.calls:
            whole, count = sums[stratum(run, call)]
            sums[stratum(run, call)] = whole + call.whole, count + 1
        tallies.append(dict(sums))
    return tallies


def difference(tallies: Tallies, labels: Sequence[bool], chosen: Sequence[int]) -> float | None:
    """Mantel-Haenszel's, resolved less the others, over trajectories at these places; None where
    no stratum has both."""
    sums: dict[Any, list[int]] = {}
    for place in chosen:
        for stratum, (whole, count) in tallies[place].items():
            cell = sums.setdefault(stratum, [0, 0, 0, 0])
            side = 2 * labels[place]
            cell[side] += whole
            cell[side + 1] += count
    total = weight = 0.0
    for other, others, whole, count in sums.values():
        if count and others:
            total += (whole * others - other * count) / (count + others)
            weight += count * others / (count + others)
    return total / weight if weight else None


def interval(
    tallies: Tallies, labels: Sequence[bool], tasks: Sequence[Sequence[int]], dice: random.Random
) -> tuple[float, float]:
    """Of 95 of 100 draws of the tasks."""
    drawn = (
        difference(
            tallies, labels, [place for task in dice.choices(tasks, k=len(tasks)) for place in task]
        )
        for _ in range(DRAWS)
    )
    return middle([one for one in drawn if one is not None])


def middle(values: Sequence[float]) -> tuple[float, float]:
    """The ends of 95 of 100."""
    ordered = sorted(values)
    return ordered[int(len(ordered) * 0.025)], ordered[int(len(ordered) * 0.975)]


def shuffled(
    labels: Sequence[bool], tasks: Sequence[Sequence[int]], within: bool, dice: random.Random
) -> list[bool]:
    """Labels that say nothing: those of a task among its trials; unless `within`, tasks of as many
    trials exchange theirs too, all at once, since trials of a task end alike."""
    mixed = list(labels)
    by_size: dict[int, list[Sequence[int]]] = defaultdict(list)
    for task in tasks:
        by_size[len(task)].append(task)
    for alike in by_size.values():
        givers = list(alike) if within else dice.sample(alike, len(alike))
        for task, giver in zip(alike, givers, strict=True):
            for place, other in zip(task, dice.sample(list(giver), len(giver)), strict=True):
                mixed[place] = labels[other]
    return mixed


class Comparison(NamedTuple):
    """A difference, its interval, the range of what shuffled labels give, and how often their
    intervals leave out nought."""

    difference: float
    interval: tuple[float, float]
    chance: tuple[float, float]
    false_alarms: float


def compared(runs: Sequence[Trajectory], strata: str) -> Comparison | None:
    """Resolved trajectories beside the others; None where no stratum has both."""
    by_task: dict[str, list[int]] = defaultdict(list)
    for place, run in enumerate(runs):
        by_task[run.task].append(place)
    tasks, everyone, within = list(by_task.values()), range(len(runs)), strata == "of one task"
    tallies, labels = tallied(runs, STRATA[strata]), [run.resolved for run in runs]
    measured = difference(tallies, labels, everyone)
    if measured is None:
        return None
    dice, chance, alarms = random.Random(0), [], 0
    ends = interval(tallies, labels, tasks, dice)
    for _ in range(SHUFFLES):
        mixed = shuffled(labels, tasks, within, dice)
        if (nothing := difference(tallies, mixed, everyone)) is not None:
            chance.append(nothing)
            low, high = interval(tallies, mixed, tasks, dice)
            alarms += not low <= 0 <= high
    return Comparison(measured, ends, middle(chance), alarms / len(chance))


def table(name: str, budget: int) -> Iterator[str]:
    """What a file comes to."""
    runs = trajectories(name, budget)
    tasks: dict[str, set[bool]] = defaultdict(set)
    for run in runs:
        tasks[run.task].add(run.resolved)
    shares = ", ".join(_share(runs, resolved) for resolved in (True, False))
    yield f"`{name}` at {budget:,} tokens. Calls in sight: {shares}."
    yield f"{len(tasks)} tasks, {sum(len(ends) == 2 for ends in tasks.values())} of them with both ends.\n"
    yield "| compared | resolved less the others | labels shuffled | false alarms |"
    yield "| --- | ---: | ---: | ---: |"
    for strata in STRATA:
        row = compared(runs, strata)
        if row is not None:
            yield (
                f"| {strata} | {row.difference:+.3f} ({_ends(row.interval)}) | {_ends(row.chance)}"
                f" | {row.false_alarms:.2f} |"
            )


def _share(runs: Sequence[Trajectory], resolved: bool) -> str:
    marks = [call.whole for run in runs if run.resolved is resolved for call in run.calls]
    count = sum(run.resolved is resolved for run in runs)
    share = sum(marks) / len(marks) if marks else 1.0
    return (
        f"{share:.3f} of {len(marks)} in {count} {'resolved' if resolved else 'other'} trajectories"
    )


def _ends(ends: tuple[float, float]) -> str:
    return f"{ends[0]:+.3f} to {ends[1]:+.3f}"


def main(arguments: Sequence[str]) -> None:
    """Print the tables, or write the page."""
    is_page = list(arguments) == ["--page"]
    lines: list[str] = []
    for one in PAGE_RUNS if is_page else arguments:
        name, _, budget = one.partition("@")
        for line in table(name, int(budget)):
            print(line, flush=True)
            lines.append(line)
        print()
        lines.append("")
    if is_page:
        head = PAGE.read_text(encoding="utf-8").partition("## Figures\n")[0]
        PAGE.write_text(
            f"{head}## Figures\n\n" + "\n".join(lines).rstrip() + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
