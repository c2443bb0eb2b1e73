"""What a provider's cache can use again from request to request, by the history of a spec.

    python -m benchmarks.prefix

writes docs/reference/prefix.md. A conversation of 40 turns, a call in each; every request is compared
with the one before it, byte by byte, in the order in which a cache reads.
"""

import json
from collections.abc import Iterator
from itertools import pairwise
from os.path import commonprefix
from pathlib import Path

from contextwright import C, Criterion, PackBuilder, Session, Step, assign, compile
from contextwright.recipes.injectors import (
    InjectionOrchestrator,
    plan,
    system_role,
    todo,
    user_memory,
)
from contextwright.session import Tool
from contextwright.spec.expr import Expr
from contextwright.tokens.models import model_info

PAGE = Path(__file__).parents[1] / "docs/reference/prefix.md"
TURNS = 40
ROWS = 10
MODEL = model_info("gpt-5")
CACHED = MODEL.cached_price / MODEL.input_price
"""What a token costs that a cache has, against one that it has not."""
INJECTORS = (system_role("You close cases of a warehouse."), user_memory(), plan(), todo())
SPECS: dict[str, Expr] = {
    "full history": C.default(),
    "`C.compaction(16_000)`": C.compaction(16_000),
    "`C.decay()`": C.decay(),
    "`C.decay(step=1)`": C.decay(step=1),
    "`C.decay(step=4)`": C.decay(step=4),
    "`C.decay(step=12)`": C.decay(step=12),
    "`C.rolling(5)`": C.rolling(5),
    "`C.rolling(5, stride=1)`": C.rolling(5, stride=1),
    "`InjectionOrchestrator(...)`": InjectionOrchestrator(INJECTORS).spec,
    "`InjectionOrchestrator(..., history=C.decay(step=1))`": InjectionOrchestrator(
        INJECTORS, history=C.decay(step=1)
    ).spec,
    "`PackBuilder()`": PackBuilder().spec,
    "`C.window(5)`": C.window(5),
}


def moments(turns: int = TURNS) -> Iterator[Session]:
    """The session before each of its requests, two a turn."""
    tools = [Tool(name="stock", parameters={"type": "object"})]
    session = Session("warehouse", tools=tools)
    session.add("system", "You are a careful agent for a warehouse. " * 10)
    step = Step(
        task_id="1", step_id="1", goal="Check the stock.", do=("Look it up.",),
        acceptance=(Criterion(text="every article was looked up"),),
    )  # fmt: skip
    known = [{"text": "The user wants short answers."}]
    session.update(
        {**assign(step), "knowledge": known, "plan_status": "checking", "todo": ["look it up"]}
    )
    for n in range(turns):
        session.user(f"Turn {n}: look up the stock of article {n * 37}. Should we order?")
        yield session
        session.call("stock", json.dumps({"article": n * 37}), id=f"c{n}")
        found = (f"article {n * 37 + i} in hall {i % 7}: {i * n} pieces" for i in range(ROWS))
        session.result(f"c{n}", "\n".join(found))
        yield session
        session.assistant(f"There are {n} pieces of article {n * 37}: order ten more. " * 3)


def measured(spec: Expr, turns: int = TURNS) -> tuple[float, int, float]:
    """The share of bytes that a request has in common with the beginning of the one before, the
    tokens of all requests, and those tokens as a cache bills them."""
    packs = [compile(session, spec, model="gpt-5") for session in moments(turns)]
    sent = [(_in_order(pack.request), pack.tokens) for pack in packs]
    shared = [len(commonprefix([old, new])) for (old, _), (new, _) in pairwise(sent)]
    tokens = sum(count for _, count in sent)
    sizes = [len(text) for text, _ in sent]
    saved = sum(
        count * same / size
        for (_, count), size, same in zip(sent[1:], sizes[1:], shared, strict=True)
    )
    return sum(shared) / sum(sizes[1:]), tokens, tokens - (1 - CACHED) * saved


def _in_order(request: dict[str, object]) -> str:
    """A request as its cache reads it: tools, then messages, which hold the system's."""
    return json.dumps([request.get("tools", []), request["messages"]])


HEAD = f"""# What a cache can use again

{TURNS} turns with a call in each, {2 * TURNS} requests, one after another. Written by `python -m benchmarks.prefix`;
no model is asked. Model: gpt-5, counted exactly.

- **shared**: of the bytes of a request, those that it begins with as the request before it did.
- **tokens**: of all requests. **billed**: the same where what is shared costs a tenth.

| history | shared | tokens | billed |
| --- | ---: | ---: | ---: |
"""
TAIL = """
A history that moves at every turn costs a cache almost everything behind the instruction: it sends
least and is billed most of the three. Zones and rolling windows move by eight turns, by twice what is whole in
them where that is less; steps of four and of twelve are billed more.
"""


def page() -> str:
    """The page."""
    rows = [(name, *measured(spec)) for name, spec in SPECS.items()]
    table = "".join(
        f"| {name} | {shared:.2f} | {tokens:,} | {billed:,.0f} |\n"
        for name, shared, tokens, billed in rows
    )
    return HEAD + table + TAIL


if __name__ == "__main__":
    PAGE.write_text(page())
