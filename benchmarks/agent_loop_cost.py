"""`python -m benchmarks.agent_loop_cost`: what the loop of `benchmarks.agent_loop` costs under eight
specs, by the caches and prices of two providers, as a page, and as the table in the README.

Every figure is the engine's own ledger. `tests/docs/test_agent_loop_cost.py` holds both to it.
"""

from itertools import pairwise
from pathlib import Path

import msgspec

from benchmarks.agent_loop import CALLS, LIMIT, grow
from contextwright import C, Engine
from contextwright.render.renderer import Request
from contextwright.spec.expr import Expr

ROOT = Path(__file__).parents[1]
PAGE, README = ROOT / "docs/reference/agent-loop-cost.md", ROOT / "README.md"
MODELS = ("gpt-5", "claude-sonnet-4-5")
SPECS: dict[str, Expr | None] = {
    "no spec": None,
    f"`C.compaction({LIMIT})`": C.compaction(LIMIT),
    f"`C.fit({LIMIT})`": C.fit(LIMIT),
    f"`C.budget({LIMIT})`": C.budget(LIMIT),
    "`C.compact()`": C.compact(),
    f"`C.window(n=10) \\| C.compact() \\| C.budget({LIMIT})`": C.window(n=10)
    | C.compact()
    | C.budget(LIMIT),
    "`C.window(steps=8, stride=8)`": C.window(steps=8, stride=8),
    "`C.window(steps=8)`": C.window(steps=8),
}
EVERYTHING = "`C.default()`, everything"
START, END = "<!-- agent-loop-cost -->", "<!-- /agent-loop-cost -->"


class Cost(msgspec.Struct, frozen=True):
    """What a spec cost over the loop.

    Args:
        largest: tokens of the largest request. moved: requests that did not begin with the one
            before. cost: microdollars of all inputs. waiting: the same where steps wait.
    """

    largest: int
    moved: int
    cost: int
    waiting: int


def measure(spec: Expr | None, model: str) -> Cost:
    """One spec, compiled before each call of the loop."""
    engine, largest, requests = Engine(spec, model, suspend=False), 0, list[Request]()
    waiting, session = Engine(spec, model, never_dearer=True), None
    for session, _ in grow():
        waiting.compile(session)
        pack = engine.compile(session)
        largest = max(largest, pack.tokens)
        requests.append(pack.request)
    assert session is not None
    moved = sum(
        _unmarked(new)[: len(old["messages"])] != _unmarked(old) for old, new in pairwise(requests)
    )
    costs = engine.ledger(session).cost, waiting.ledger(session).cost
    return Cost(largest, moved, *costs)


def _unmarked(request: Request) -> list[bytes]:
    """The messages without the breakpoints, which move."""
    text = msgspec.json.encode(request["messages"])
    return [msgspec.json.encode(_plain(message)) for message in msgspec.json.decode(text)]


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key != "cache_control"}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def table(rows: dict[str, tuple[Cost, ...]], whole: tuple[Cost, ...]) -> list[str]:
    """The rows, against sending everything."""
    heads = "".join(f" {model} |" for model in MODELS)
    lines = [
        f"| {CALLS} calls | largest request | prefix moved |{heads} `never_dearer` |",
        "| --- | ---: | ---: |" + " ---: |" * (len(MODELS) + 1),
    ]
    for name, costs in {EVERYTHING: whole, **rows}.items():
        shares = (
            f" ${cost.cost / 1e6:.3f} ({cost.cost / all_.cost:.2f}) |"
            for cost, all_ in zip(costs, whole, strict=True)
        )
        waiting = " / ".join(
            f"{cost.waiting / all_.cost:.2f}" for cost, all_ in zip(costs, whole, strict=True)
        )
        told = f"{costs[0].largest:,} | {costs[0].moved} |{''.join(shares)} {waiting} |"
        lines.append(f"| {name} | {told}")
    return lines


HEAD = f"""# What an agent's loop costs

One task of a user and {CALLS} calls of tools in one turn, at the end of which everything takes 44,681
tokens ([the loop](agent-loop.md)). Each spec is compiled before every call by an `Engine` with
`suspend=False`. What the inputs cost is the engine's ledger: tokens that the provider's cache reads,
writes, or neither, by its rules and the model's prices as the table of models has them; in brackets,
against sending everything. Written by `python -m benchmarks.agent_loop_cost`.

- **prefix moved**: requests that do not begin with the whole request before them.
- **no spec**: nothing is done while everything fits; the window is far.
- **`never_dearer`**: the share that it costs with `Engine(never_dearer=True)`, where steps wait until they are paid for
  ([ADR 85](../adr/0085-a-step-waits-until-it-is-paid-for.md)), `gpt-5` / `claude-sonnet-4-5`. A limit is then reached later.

"""
TAIL = """
`C.window(steps=8)` means the newest eight, and so moves at every call; with `stride=8` it holds eight to fifteen.
"""


def main() -> None:
    """Measure, write the page and the README's table."""
    whole = tuple(measure(C.default(), model) for model in MODELS)
    rows = {name: tuple(measure(spec, model) for model in MODELS) for name, spec in SPECS.items()}
    lines = table(rows, whole)
    PAGE.write_text(HEAD + "\n".join(lines) + "\n" + TAIL, encoding="utf-8")
    text = README.read_text(encoding="utf-8")
    if START in text:
        before, rest = text.split(START)
        _, after = rest.split(END)
        made = f"{before}{START}\n" + "\n".join(lines) + f"\n{END}{after}"
        README.write_text(made, encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
