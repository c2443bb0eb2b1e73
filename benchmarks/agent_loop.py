"""`python -m benchmarks.agent_loop`: what every word does to one long user turn, as a page.

The session is generated: one task, 34 calls, results of 300 to 4,000 tokens. It is compiled before
every call, as an agent would. `tests/compiler/test_agent_loop.py` asserts what the page shows.
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count as count_from
from pathlib import Path

import msgspec

from contextwright import C, Pack, Session, compile
from contextwright.errors import ContextwrightError
from contextwright.session.event import Tool
from contextwright.spec.expr import Expr
from contextwright.tokens.counter import counter_for

PAGE = Path(__file__).parents[1] / "docs/reference/agent-loop.md"
MODEL = "gpt-5"
LIMIT = 8_000
CALLS = 34
SIZES = (300, 900, 450, 2_400, 700, 1_300, 350, 4_000, 600, 1_000, 1_800, 500, 3_200, 800)
"""Tokens of the results, over and over: most are short, every seventh or so is a page or a log."""

TASK = (
    "Orders placed around midnight are billed twice. Find out why in the billing service, mend it "
    "with the smallest change that is safe, and prove it with a test. Constraints: do not change "
    "the public API; keep the migration reversible; the ledger table is append-only. When you are "
    "done, name the commit that introduced the fault and list every order that has to be refunded."
)
INSTRUCTION = (
    "You are a careful software engineer. Use the tools; do not guess what they would say."
)
TOOLS = ("search_code", "read_file", "query_orders", "read_log", "run_tests")
WORDS = [
    "ledger",
    "invoice",
    "midnight",
    "retry",
    "queue",
    "worker",
    "timezone",
    "offset",
    "cursor",
    "batch",
    "commit",
    "refund",
    "charge",
    "idempotency",
    "key",
    "lock",
    "timeout",
    "replica",
    "settlement",
    "window",
    "schedule",
    "customer",
    "amount",
    "currency",
]


class Held(msgspec.Struct, frozen=True):
    """A spec of the table, and what its limit is over.

    Args:
        limits: `request` for a word that limits all of it, `term` for one that limits what its
            term brings of the conversation, empty for a word that promises no number of tokens.
    """

    spec: Expr
    limits: str = ""


REQUEST, TERM = "request", "term"
OVERFLOWS = (
    "truncate_oldest", "truncate_lowest_priority", "truncate_least_salient", "summarize", "error",
)  # fmt: skip
STRATEGIES = ("cascade", "compact_then_summarize", "summarize_only", "salience", "strict")
SAMPLES: dict[str, tuple[Held, ...]] = {
    "budget": tuple(Held(C.budget(LIMIT, overflow=how), REQUEST) for how in OVERFLOWS),
    "fit": tuple(Held(C.fit(LIMIT, strategy=how), REQUEST) for how in STRATEGIES),
    "compaction": (Held(C.compaction(LIMIT), REQUEST),),
    "allocate": (Held(C.allocate(max_tokens=LIMIT), REQUEST),),
    "cap": (Held(C.default() | C.cap(LIMIT), TERM),),
    "cool": (Held(C.cool(LIMIT), TERM),),
    "sliding": (Held(C.sliding(LIMIT), TERM),),
    "relevant": (Held(C.relevant(max_tokens=LIMIT), TERM), Held(C.relevant(top_k=5))),
    "window": (Held(C.window(steps=8)), Held(C.window(5))),
    "recent": (Held(C.recent(3)), Held(C.recent(decay="step", window=8))),
    "salient": (Held(C.salient(0.7)),),
    "compress_results": (Held(C.compress_results(LIMIT)), Held(C.compress_results())),
    "truncate": (Held(C.truncate(150)), Held(C.truncate(150, strategy="bookend"))),
    "compact": (Held(C.compact()), Held(C.compact("stale")), Held(C.compact("tool_results"))),
    "decay": (Held(C.decay()), Held(C.decay(summary=False))),
    "dedup": (
        Held(C.dedup()), Held(C.dedup("structural")), Held(C.dedup("semantic")),
    ),
    "fresh": (
        Held(C.fresh(10)), Held(C.fresh(10, stale_action="compact")),
        Held(C.fresh(10, stale_action="summarize")), Held(C.fresh(10, stale_action="warn")),
    ),
    "isolate": (Held(C.isolate()), Held(C.isolate("masking")), Held(C.isolate("transparent"))),
    "summarize": (
        Held(C.summarize()), Held(C.rolling(n=5)),
        Held(C.window(steps=5) + C.summarize(scope="before_window")),
        Held(C.summarize(scope="tool_results")),
    ),
    "summary_constraint": (Held(C.summary_constraint(window=LIMIT)),),
    "project": (Held(C.project(["order", "amount", "path"])),),
    "minify": (Held(C.minify()),),
    "select": (Held(C.select(type="tool_result")), Held(C.select(role="user"))),
    "view": (Held(C.view("conversation")), Held(C.view())),
    "default": (Held(C.default()),),
    "none": (Held(C.none()),),
    "from_compaction": (Held(C.from_compaction() | C.window(5)),),
    "from_state": (Held(C.default() + C.from_state("intent")),),
    "template": (Held(C.default() + C.template("Intent: {intent?}")),),
    "notes": (Held(C.default() + C.notes("case")),),
    "memory": (Held(C.default() + C.memory()),),
    "within": (Held(C.default() + C.within(500)),),
    "evidence": (Held(C.default() + C.evidence()),),
    "failures": (Held(C.default() + C.failures()),),
    "recite": (Held(C.default() + C.recite()),),
    "step": (Held(C.default() + C.step()),),
    "tools": (Held(C.default() + C.tools("read_file", "search_code")),),
    "premise": (Held(C.default() + C.premise()),),
    "expand_refs": (Held(C.default() + C.expand("event://e1")),),
    "expand": (Held(C.default() | C.compact() | C.expand()),),
    "priority": (
        Held((C.default() | C.priority(3)) + (C.window(steps=3) | C.priority(2))),
        Held(C.select(type="tool_result") | C.priority(4)),
    ),
    "layer": (Held((C.from_state("intent") | C.layer("memory")) + C.default()),),
    "silent": (Held(C.silent()),),
    "phase": (Held((C.from_state("intent") | C.phase("system")) + C.default()),),
    "clock_last": (Held((C.from_state("intent") + C.default()) | C.clock_last()),),
    "vary": (Held((C.from_state("intent") + C.default()) | C.vary(1)),),
    "redact": (Held(C.redact(["email"])),),
    "validate": (Held(C.default() | C.validate(["freshness", "token_efficiency"])),),
    "capture": (Held(C.default() + C.capture("asked")),),
    "write_notes": (Held(C.default() + C.write_notes("case")),),
    "extract": (Held(C.default() + C.extract({"orders": "list[str]"}, key="found")),),
    "distill": (Held(C.default() + C.distill("facts")),),
    "offload": (Held(C.default() + C.offload()),),
}  # fmt: skip
"""Every word that can stand in a spec, with the options that say most about it."""

STATE = {
    "intent": "mend the double billing",
    "_notes_case": [{"text": "The nightly job runs twice when the clock goes back."}],
    "knowledge": [{"text": "Refunds need two approvals.", "score": 0.9, "time": "2026"}],
    "passages": [{"text": "Orders are billed by the nightly job.", "id": "d1", "rank": 0}],
    "evidence": [{"uri": "artifact://tasks/1/a.md", "summary": "The incident's report."}],
    "todo": [{"text": "find the fault", "done": False}, {"text": "prove it", "done": False}],
    "plan": {
        "task_id": "1", "step_id": "s1", "goal": "no order is billed twice",
        "step": "find why orders are billed twice", "acceptance": ["the fault has a name"],
    },
}  # fmt: skip


PARAMETERS = {"type": "object", "properties": {"q": {"type": "string"}}}


def _search_hit(dice: random.Random, n: int) -> str:
    words = " ".join(dice.choices(WORDS, k=8))
    return f"src/billing/{dice.choice(WORDS)}.py:{n * 13}:     # {words}"


def _code_line(dice: random.Random, n: int) -> str:
    left, right = dice.choices(WORDS, k=2)
    if n % 9 == 0:
        return f"\ndef {left}_{right}_{n}(order: Order, cursor: int) -> Decimal:"
    return f"    {left}_{n} = {right}(order.{dice.choice(WORDS)}, timeout={dice.randrange(90)})"


def _order_row(dice: random.Random, n: int) -> str:
    row = {
        "order": f"A-{dice.randrange(10**6):06}", "amount": dice.randrange(100, 99_999) / 100,
        "currency": dice.choice(("EUR", "USD")), "charged_at": f"2026-03-0{dice.randrange(1, 9)}T23:59",
        "note": " ".join(dice.choices(WORDS, k=4)),
    }  # fmt: skip
    return json.dumps(row)


def _log_line(dice: random.Random, n: int) -> str:
    level = "ERROR" if dice.random() < 0.04 else "INFO"
    words = " ".join(dice.choices(WORDS, k=6))
    return (
        f"2026-03-01T23:{n // 60 % 60:02}:{n % 60:02}Z {level} worker-{dice.randrange(8)} {words}"
    )


def _test_line(dice: random.Random, n: int) -> str:
    status = "FAILED" if dice.random() < 0.02 else "PASSED"
    return f"tests/{dice.choice(WORDS)}/test_{dice.choice(WORDS)}.py::test_{n} {status}"


LINES: dict[str, Callable[[random.Random, int], str]] = {
    "search_code": _search_hit, "read_file": _code_line, "query_orders": _order_row,
    "read_log": _log_line, "run_tests": _test_line,
}  # fmt: skip


def _result(tool: str, tokens: int, dice: random.Random) -> str:
    """A result of about so many tokens, as the tool would give it."""
    count, lines, held = counter_for(MODEL).count, [], 0
    for n in count_from(1):
        lines.append(LINES[tool](dice, n))
        held += count(lines[-1]) + 1
        if held >= tokens:
            break
    return f"[{', '.join(lines)}]" if tool == "query_orders" else "\n".join(lines)


def grow() -> Iterator[tuple[Session, dict[str, str]]]:
    """The session before each call, the first time with the task alone: with the results so far
    by the ids of their calls."""
    dice, session, results = random.Random(34), Session("agent-loop", state=STATE), {}
    asked: dict[str, str] = {}
    session.tools = tuple(
        Tool(name=name, description=f"{name.replace('_', ' ')}.", parameters=PARAMETERS)
        for name in TOOLS
    )
    session.add("system", INSTRUCTION)
    session.user(TASK)
    yield session, results
    for place in range(CALLS):
        tool, id = TOOLS[place % len(TOOLS)], f"call-{place}"
        again = f"call-{place - 10}" if place in {15, 27} else ""  # the same file once more
        failed = place in {8, 22}
        asked[id] = asked.get(again, f"{dice.choice(WORDS)} {place}")
        session.call(tool, json.dumps({"q": asked[id]}), id=id)
        text = results[again] if again else _result(tool, SIZES[place % len(SIZES)], dice)
        results[id] = f"Error: {dice.choice(WORDS)} is locked\n{text[:900]}" if failed else text
        session.result(id, results[id], error=failed)
        yield session, results


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """What a spec did to the loop.

    Args:
        last, largest: tokens of the last request and of the largest.
        limited: the most tokens of what the word limits, over the loop.
        whole: results of the last request that stand there byte for byte (blanks of JSON aside).
        cut_newest: calls whose newest result was not whole in the request that first showed it.
        changes: how often the last manifest has each action, and the exchanges not selected.
        notes: notes of the last manifest.
        error: the error that ended the loop, and at which call.
    """

    spec: Expr
    limits: str
    last: int = 0
    largest: int = 0
    limited: int = 0
    whole: int = 0
    cut_newest: tuple[int, ...] = ()
    changes: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    error: str = ""

    @property
    def holds(self) -> bool:
        """Whether what it limits stayed within the limit at every call; a refusal holds it, too."""
        return self.limited <= LIMIT


def measure(held: Held, stride: int = 1) -> Effect:
    """Compile a spec before every call of the loop, or before every `stride`-th one and the last."""
    packs: list[Pack] = []
    cut: list[int] = []
    results: dict[str, str] = {}
    for place, (session, results) in enumerate(grow()):
        if place % stride and place < CALLS:
            continue
        try:
            packs.append(compile(session, held.spec, model=MODEL))
        except ContextwrightError as error:
            message = f"{type(error).__name__} at call {place}"
            return _effect(held, packs, results, cut, message)
        if place and results[f"call-{place - 1}"] not in whole_results(packs[-1], results):
            cut.append(place)
    return _effect(held, packs, results, cut, "")


def _effect(
    held: Held, packs: list[Pack], results: dict[str, str], cut: list[int], error: str
) -> Effect:
    last, largest = packs[-1].manifest, max(pack.manifest.tokens for pack in packs)
    terms = max(pack.manifest.layer_tokens.get("conversation", 0) for pack in packs)
    changes = Counter(change.action for change in last.changes)
    return Effect(
        spec=held.spec,
        limits=held.limits,
        last=last.tokens,
        largest=largest,
        limited={REQUEST: largest, TERM: terms}.get(held.limits, 0),
        whole=len(whole_results(packs[-1], results)),
        cut_newest=tuple(cut),
        changes=dict(changes) | {"not selected": sum(one.exchanges for one in last.left_out)},
        notes=last.notes,
        error=error,
    )


def whole_results(pack: Pack, results: dict[str, str]) -> list[str]:
    """The results that stand in a request as they came; blanks between tokens of JSON aside."""
    sent = {
        message["tool_call_id"]: message["content"]
        for message in pack.request["messages"]
        if message["role"] == "tool"
    }
    return [
        text
        for id, text in results.items()
        if "".join(str(sent.get(id, "")).split()) == "".join(text.split())
    ]


def effects() -> list[Effect]:
    """Every sample, in the order of the table."""
    return [measure(held) for samples in SAMPLES.values() for held in samples]


HEAD = f"""# The words over an agent's loop

One task of a user, {CALLS} calls of tools in one turn, results of 300 to 4,000 tokens: code, logs, rows
of a database, hits of a search, reports of tests; two calls fail, two read again what was read before.
Each spec is compiled before every call. Written by `python -m benchmarks.agent_loop`; the facts are
asserted in `tests/compiler/test_agent_loop.py`. Model: {MODEL}, counted exactly; summaries are the
embedded model's.

- **last**, **largest**: tokens of the last request, and of the largest of the loop.
- **holds {LIMIT:,}**: for words with a limit, whether it held at every call: of the whole request for the
  words that end a spec, of what the term brings for the others.
- **whole**: of the {CALLS} results, those that the last request shows as they came.
- **manifest**: what the last manifest says was done, in blocks; "not selected" counts exchanges.

| spec | last | largest | holds {LIMIT:,} | whole | manifest |
| --- | ---: | ---: | --- | ---: | --- |
"""


def row(effect: Effect) -> str:
    """A line of the table."""
    spec = repr(effect.spec).replace("|", "\\|")
    held = "" if not effect.limits else "yes" if effect.holds else "**no**"
    changed = ", ".join(f"{number} {what}" for what, number in effect.changes.items() if number)
    what = effect.error or changed or "changed nothing"
    return (
        f"| `{spec}` | {effect.last:,} | {effect.largest:,} | {held} | {effect.whole} | {what} |\n"
    )


def main() -> None:
    """Measure, and write the page."""
    PAGE.write_text(HEAD + "".join(map(row, effects())), encoding="utf-8")


if __name__ == "__main__":
    main()
