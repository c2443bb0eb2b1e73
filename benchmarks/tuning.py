"""What tuning finds on recorded sessions, and peers' settings tuned by the same code beside it.

CONTEXTWRIGHT_DATA=... python -m benchmarks.tuning [FILE ...] [--trials N] [--sessions N]

Ours is `ctx tune` with its three usual spaces. Then everybody, the default, the spec that was found,
and for each peer the setting that the same rule chooses on the same half, is measured on the half
that no search saw, with one yardstick: `economy_metrics.score`. Writes docs/reference/tuning.md.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.economy import BUDGETS
from benchmarks.economy_baselines import full
from benchmarks.economy_metrics import Message, Method, Request, score
from benchmarks.economy_own import compiled
from benchmarks.economy_peers import peers
from benchmarks.recorded import rows
from benchmarks.recorded_chats import plain
from contextwright import parse
from contextwright.errors import BudgetError
from contextwright.spec.expr import Expr
from contextwright.tune import TuneJob, tune
from contextwright.tune.run_tuning import Point, candidates, verdict
from contextwright.tune.session_sums import Interval, SessionSums, differences, figures
from contextwright.tune.study import session_digest

PAGE = Path(__file__).parents[1] / "docs/reference/tuning.md"
FILES = ("webdancer", "tooltalk")
UNSEEN = {"webdancer": ("tapeagents", "se_agent"), "tooltalk": ("toolbench", "intercode_sql")}
"""Whole files, of other agents, on which what was found on a file is measured as well."""
Sessions = list[list[Message]]


def sums(sessions: Sessions, make: Callable[[], Method], budget: int) -> list[SessionSums]:
    """A method on each session; what is no request, or above the budget, is an error."""
    made = []
    for at, messages in enumerate(sessions):
        one, whole = score(messages, make(), budget), score(messages, full(), None)
        made.append(
            SessionSums(
                "", at, needing=one.calls, whole=one.whole, values=one.values, in_sight=one.seen,
                cost=one.openai, whole_cost=whole.openai, tokens=one.tokens, errors=one.invalid + one.over,
            )
        )  # fmt: skip
    return made


def tuned_peers(
    seen: Sessions, budget: int, base: dict[str, float], job: TuneJob
) -> Iterator[tuple[str, str, Callable[[], Method]]]:
    """Each peer's candidates, chosen on the half that is searched as ours are; where every setting
    loses calls or cost, the one that loses least."""
    makers: dict[str, list[tuple[str, Callable[[], Method]]]] = {}
    for name, setting, make in peers(budget):
        makers.setdefault(name, []).append((setting, make))
    for name, settings in makers.items():
        points = []
        for at, (setting, make) in enumerate(settings):
            points.append(Point(at, setting, figures(sums(seen, make, budget))))
        best = max(points, key=lambda one: one.figures["calls"] - one.figures["cost"])
        for point in candidates(points, base, job) or [best]:
            yield name, point.spec, settings[point.number][1]


def table(name: str, trials: int, most: int) -> Iterator[str]:
    """A file's lines of the page."""
    budget = BUDGETS[name]
    picked = rows(name)[:most]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        lines = [
            json.dumps({"id": f"{name}-{at}", "messages": plain(row["messages"])}) + "\n"
            for at, row in enumerate(picked)
        ]
        (home / "sessions.jsonl").write_text("".join(lines))
        job = TuneJob.of((), budget, objectives=("calls", "cost"))
        done = tune(
            [home / "sessions.jsonl"], job, home / "study", trials=trials, workers=1,
            progress=lambda state: print(name, state, flush=True),
        )  # fmt: skip
    tuned = done.tuned
    halves: tuple[Sessions, Sessions] = ([], [])
    for row, line in zip(picked, lines, strict=True):
        untouched = session_digest(line.encode()) in tuned.untouched
        halves[untouched].append(plain(row["messages"]))
    seen, untouched = halves
    counts = ", ".join(f"{number} {what}" for number, what in zip(
        tuned.sessions, ("searched on", "untouched"), strict=True))  # fmt: skip
    yield f"## {name}, {budget:,} tokens\n"
    yield f"Sessions: {counts}. {tuned.trials} trials, {tuned.pruned} of them given up early.\n"
    found = tuned.tried
    for what in ("calls", "cost"):
        yield f"- {what}, as `ctx tune` measured it: {_change(tuned.measured, what)}"
    yield f"- our default: `{tuned.against}`"
    yield f"- tried: `{found}`"
    yield f"- **{tuned.why}**\n"
    yield "| on the untouched half | calls | cost | difference in calls | difference in cost | against our default |"
    yield "| --- | ---: | ---: | --- | --- | --- |"
    default = job.default.spec
    base = sums(untouched, lambda: compiled(default), budget)
    yield from [_row("our default", "", base, base)]
    spec = parse(found)
    yield _row("tried", "", sums(untouched, lambda: compiled(spec), budget), base)
    base_seen = figures(sums(seen, lambda: compiled(default), budget))
    for peer, setting, make in tuned_peers(seen, budget, base_seen, job):
        yield _row(peer, setting, sums(untouched, make, budget), base)
    yield ""
    yield from unseen(name, default, spec, most)


def held(spec: Expr) -> Method:
    """A spec; where not even what must stay has room, everything is sent, and counts as over."""
    method = compiled(spec)

    def request(messages: list[Message]) -> Request:
        try:
            return method(messages)
        except BudgetError:
            return Request(messages)

    return request


def unseen(name: str, default: Expr, spec: Expr, most: int) -> Iterator[str]:
    """What was found on a file, on files of other agents that no search saw, at the same budget."""
    budget = BUDGETS[name]
    yield "| on other files, never searched | sessions | calls | cost | difference in calls | difference in cost | against our default |"
    yield "| --- | ---: | ---: | ---: | --- | --- | --- |"
    for other in UNSEEN.get(name, ()):
        sessions = [plain(row["messages"]) for row in rows(other)[:most]]
        base = sums(sessions, lambda: held(default), budget)
        for who, each in ((f"{other}, our default", base),
                          (f"{other}, tried", sums(sessions, lambda: held(spec), budget))):  # fmt: skip
            yield _row(f"{who} | {len(sessions)}", "", each, base)
    yield ""


def _change(measured: dict[str, dict[str, Interval]], what: str) -> str:
    before, after, apart = (measured[key][what] for key in ("default", "tried", "difference"))
    return (
        f"{before.figure:.3f} → {after.figure:.3f}, {apart.figure:+.3f}"
        f" ({apart.low:+.3f} to {apart.high:+.3f})"
    )


def _row(name: str, setting: str, one: list[SessionSums], base: list[SessionSums]) -> str:
    apart, mine = differences(one, base), figures(one)
    cells = [f"{name} {setting}".strip(), f"{mine['calls']:.3f}", f"{mine['cost']:.3f}"]
    for what in ("calls", "cost"):
        low, middle, high = apart[what]
        cells.append(f"{middle:+.3f} ({low:+.3f} to {high:+.3f})")
    errors = sum(each.errors for each in one)
    more = errors > sum(each.errors for each in base)
    state = "beats it" if verdict(apart)[0] and not more else ("-" if one is base else "does not")
    cells.append(f"{state}; {errors} requests invalid or over" if errors else state)
    return "| " + " | ".join(cells) + " |"


HEAD = """# What tuning finds

`python -m benchmarks.tuning` over recorded sessions that are not part of this project. One half of each file is searched on, the other
one is only measured on. "calls" are calls of tools whose values from before are all in sight; "cost" is a share of sending everything, by
gpt-5's prices and cache rules; in brackets, between what a difference lies in 95 of 100 draws of the sessions.

The tables hold everybody to one yardstick, `benchmarks/economy_metrics.py`: requests of messages alone, refs shown. Peers are what is
installed beside us, over a grid of their settings, from which the same rule chooses on the same half. A row beats our default if it
surely wins calls or cost, loses neither, and no more of its requests are invalid or over the budget.

What was found is measured on whole files of other agents too, at the same budget, where a request that has no room for what must stay is sent
whole and counted as over. A spec is for the agents whose sessions it was tuned on: on others' it costs less as well, and loses calls.

"""


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", default=FILES)
    parser.add_argument("--trials", type=int, default=48)
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--unseen", metavar="SPEC", help="only its rows on unseen files")
    parser.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args()
    if given.unseen:
        for name in given.files:
            default = TuneJob.of((), BUDGETS[name]).default.spec
            print(*unseen(name, default, parse(given.unseen), given.sessions), sep="\n", flush=True)
        return
    lines = [line for name in given.files for line in table(name, given.trials, given.sessions)]
    given.page.write_text(HEAD + "\n".join(lines).rstrip() + "\n", encoding="utf-8")
    print(given.page)


if __name__ == "__main__":
    main()
