"""The tables of the page "What is it worth?", each of one benchmark's figures."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

Figures = dict[str, Any]
SORTS = {"method": "simple", "default": "defaults", "best": "best found"}


def interval(figures: Sequence[float], digits: int = 3) -> str:
    """The middle, with the ends in brackets."""
    low, middle, high = figures
    return f"{middle:.{digits}f} ({low:.2f} to {high:.2f})"


def economy(told: Figures) -> Iterator[str]:
    """Calls in sight and cost, product by product."""
    yield "## Tool sessions: what the next call finds, and what it costs"
    yield ""
    yield "Products as they are installed, over one grid each; **best found** is the setting with the most calls − cost ÷ 2 − invalid − over on"
    yield "these very sessions, for ours as for theirs; **defaults** are with nothing said but the limit. No model is asked: where a product"
    yield "summarizes by a model it is given the beginning of each message instead (*lead*); headroom counts by its own estimate, since nothing"
    yield "is fetched."
    yield ""
    yield "- **calls**: of the calls whose argument values occur earlier, those with all of them in the request. **reach**: values in it or"
    yield "  behind a ref that it shows."
    yield "- **cost**: input, of sending everything, by gpt-5's prices and cache rules; **Anthropic**: by claude-sonnet-4-5's."
    yield "- **invalid**, **over**: shares of requests that a provider refuses, or that pass the budget."
    yield "- **searched**: settings that the grid had, and CPU seconds."
    for part in told["parts"]:
        yield ""
        yield f"### {part['file']}, {part['budget']:,} tokens"
        yield ""
        yield f"{part['requests']:,} requests, {part['calls']:,} calls, {part['drawn']} parts drawn."
        yield ""
        yield "| product | | setting | calls | cost | Anthropic | reach | tokens | invalid | over | searched |"
        yield "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
        for row in sorted(part["rows"], key=_place):
            yield _economy_row(row)
        for stopped in part["stopped"]:
            yield f"| {stopped['product']} | stopped | {stopped['setting']}: {stopped['stopped']} {'| ' * 9}"


def _place(row: Figures) -> tuple[int, str]:
    ours = row["product"].endswith("(ours)")
    return (0 if ours else list(SORTS).index(row["sort"]) + 1, row["product"])


def _economy_row(row: Figures) -> str:
    name = f"**{row['product']}**" if row["product"].endswith("(ours)") else row["product"]
    cells = [
        name,
        SORTS[row["sort"]],
        row["setting"],
        interval(row["calls"]),
        interval(row["cost"]),
    ]
    cells += [f"{row['anthropic']:.3f}", f"{row['reach']:.3f}", f"{row['tokens']:.2f}"]
    cells += [f"{row['invalid']:.2f}", f"{row['over']:.2f}"]
    searched = f"{row['settings']}, {row['seconds']:.0f} s" if "settings" in row else ""
    return "| " + " | ".join([*cells, searched]) + " |"


def reader(told: Figures) -> Iterator[str]:
    """What a small model can use."""
    found = told["parts"]
    yield "## What a small language model reads in it"
    yield ""
    yield f"The recorded next call under {found['model']}, given each method's request: the mean log-likelihood of its tokens, 1 being"
    yield "what full history gives and 0 what no history gives. Both ends are of the same calls, so a figure above 1 says that less was read"
    yield "better. Every method is told half of the tokens that full history has at that call. **over**: calls at which it sent more all the"
    yield "same; **invalid**: calls at which it sent what a provider refuses (a result without its call, no user's words first). Such a request"
    yield "is none of that budget, so ours is set **beside** each method at the calls that are left to it: by how many nats a token ours is ahead"
    yield f"there, and of how many calls. The last calls of sessions of {found['shortest']:,} to {found['longest']:,} tokens ({found['files']}),"
    yield f"{found['calls']} at which every method gave a request."
    yield ""
    yield "| method | likelihood kept | nats a token | tokens | over | invalid | ours ahead by | of calls |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for row in found["rows"]:
        cells = [
            row["method"],
            interval(row["kept"]),
            interval(row["nats"]),
            f"{row['tokens']:.2f}",
            f"{row['over']:.2f}",
            f"{row['invalid']:.2f}",
            interval(row["ahead"]) if "ahead" in row else "",
            str(row.get("held", "")),
        ]
        yield "| " + " | ".join(cells) + " |"


def fidelity(told: Figures) -> Iterator[str]:
    """What outlives many compactions."""
    yield "## What outlives many compactions"
    yield ""
    yield "20 rules, 20 decisions, 20 statements that are only heard, 20 beside a request, 20 finished and 20 cancelled tasks planted in the first half of a recorded session"
    yield "([more](fidelity.md)): a name stands in the last request, or it does not. Rules and decisions are told by their wording, what is only heard and what ended by what came of it, and what stands beside a request by being none."
    for part in told["parts"]:
        yield ""
        yield f"### {part['file']}, {part['budget']:,} tokens, {part['messages']:,} messages"
        yield ""
        yield "| method | rules | decisions | only heard | beside a request | ended, shown as open | requests that miss any | tokens | steps |"
        yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
        for row in part["rows"]:
            yield (
                f"| {row['method']} | {row['rules']} of 20 | {row['decisions']} of 20 "
                f"| {row['heard']} of 20 | {row['beside']} of 20 | {row['open']} of 40 "
                f"| {row['missing']} of {row['requests']} | {row['tokens']:,} | {row['steps']} |"
            )


def cell(row: dict[str, Any], spec: str) -> str:
    """What a spec costs, and in brackets where it gives way."""
    cost, given = row["costs"][spec], row.get("gives_way", {}).get(spec)
    told = "-" if cost is None else f"{cost:.2f}"
    return told if given is None else f"{told} ({given:.2f})"


def never_dearer(told: Figures) -> Iterator[str]:
    """What words with a limit cost."""
    found = told["parts"]
    yield "## Whether a limit costs more than sending everything"
    yield ""
    yield f"The dearest of {found['sessions']} sessions a file, its first {found['most']} calls, by the engine's own ledger ([more](never-dearer.md));"
    yield "no spec is suspended; in brackets, as an engine has it by default, where steps of what promises no size wait"
    yield "([ADR 143](../adr/0143-what-promises-no-size-waits-by-default.md)), and a spec that goes on losing gives way. Without a spec a"
    yield "list's own fields count up to .07. Limits of 8,000 tokens are named, so they are held."
    yield ""
    rows = found["rows"]
    yield "| spec | " + " | ".join(f"{row['file']}, {row['model']}" for row in rows) + " |"
    yield "| --- |" + " ---: |" * len(rows)
    for spec in rows[0]["costs"]:
        yield f"| {spec} | " + " | ".join(cell(row, spec) for row in rows) + " |"


def retrieval(told: Figures) -> Iterator[str]:
    """Evidence within a budget."""
    yield "## Evidence for a question within a budget"
    yield ""
    yield "Mean share of a question's gold items that were sent ([more](retrieval.md)); o200k tokens; intervals by conversation. Weights of"
    yield "`within` were searched for on half of these conversations."
    for part in told["parts"]:
        yield ""
        yield f"### {part['set']}, {part['questions']:,} questions"
        yield ""
        yield "| method | " + " | ".join(f"{room:,}" for room in part["budgets"]) + " |"
        yield "| --- |" + " ---: |" * len(part["budgets"])
        for row in part["rows"]:
            name = "**`within`, ours**" if row["method"] == "within" else row["method"]
            yield f"| {name} | " + " | ".join(map(interval, row["recall"])) + " |"
        goals = (f"{goal:.2f}" if goal else "" for goal in part["targets"])
        yield "| our goal | " + " | ".join(goals) + " |"


TABLES: dict[str, Callable[[Figures], Iterator[str]]] = {
    "economy": economy,
    "reader": reader,
    "fidelity": fidelity,
    "retrieval": retrieval,
    "never-dearer": never_dearer,
}
