"""Values that later calls need: which of them stay in sight when traces and results get shorter.

    python -m benchmarks.values_in_sight        needs CONTEXTWRIGHT_DATA

writes docs/reference/values-in-sight.md. Recorded sessions, replayed request by request. No model
is asked.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.economy_metrics import Message, text_of, tokens_of, values_of
from benchmarks.economy_own import compiled
from benchmarks.recorded_chats import sessions
from contextwright import C
from contextwright.spec.expr import Expr
from contextwright.traces.later_values import shows

PAGE = Path(__file__).parents[1] / "docs/reference/values-in-sight.md"
NAMES = ("tau_bench_airline", "tau_chained", "se_agent")
SPECS: dict[str, Expr] = {
    '`C.isolate("boundary")`': C.default() | C.isolate(),
    '`C.isolate("masking")`': C.default() | C.isolate("masking"),
    "`C.decay()`": C.default() | C.decay(),
    "`C.compact()`": C.default() | C.compact(),
    "`C.compact(max_tokens=150)`": C.default() | C.compact(max_tokens=150),
    '`C.compact("tool_results")`': C.default() | C.compact("tool_results"),
}


@dataclass
class Kept:
    """Values that stand only in earlier results, or only in arguments of earlier calls: how many
    later calls need, and how many of them a request shows; its tokens, and those of all."""

    results: int = 0
    results_seen: int = 0
    arguments: int = 0
    arguments_seen: int = 0
    tokens: int = 0
    whole: int = 0


def measured(spec: Expr, recorded: list[list[Message]]) -> Kept:
    """What requests of recorded sessions keep under a spec."""
    kept = Kept()
    for messages in recorded:
        method = compiled(spec)
        texts = [text_of(message) for message in messages]
        for at, message in enumerate(messages):
            calls = message.get("tool_calls") or ()
            if not calls or not at:
                continue
            sent = method(messages[:at]).messages
            shown = "\n".join(map(text_of, sent))
            kept.tokens += sum(map(tokens_of, sent))
            kept.whole += sum(map(tokens_of, messages[:at]))
            values = [v for call in calls for v in values_of(call["function"]["arguments"])]
            for value, only_results in _sole(values, messages[:at], texts):
                seen = shows(shown, value)
                if only_results:
                    kept.results += 1
                    kept.results_seen += seen
                else:
                    kept.arguments += 1
                    kept.arguments_seen += seen
    return kept


def _sole(
    values: list[str], earlier: list[Message], texts: list[str]
) -> Iterator[tuple[str, bool]]:
    """Values that only results hold (True), and those that only calls' messages hold (False)."""
    kinds = [
        "results" if m["role"] == "tool" else "calls" if m.get("tool_calls") else "rest"
        for m in earlier
    ]
    joined = {
        kind: "\n".join(text for text, own in zip(texts, kinds, strict=False) if own == kind)
        for kind in ("results", "calls", "rest")
    }
    for value in values:
        places = {kind for kind, text in joined.items() if shows(text, value)}
        if places in ({"results"}, {"calls"}):
            yield value, places == {"results"}


HEAD = """# Values in sight

A later call needs what earlier ones gave: ids, amounts, paths. Of the argument values that stand in
nothing but earlier results, or in nothing but earlier calls, these shares are still in the request.
Written by `python -m benchmarks.values_in_sight`; no model is asked, no budget presses; the recordings
are not part of the project. All that left is behind refs.

- **results**, **calls**: values that only earlier results held, and only messages with calls.
- **tokens**: of the requests, against full history, system message and user's words included.

| session | spec | results | calls | tokens |
| --- | --- | ---: | ---: | ---: |
"""
BEFORE = {
    "tau_bench_airline": "269 of 524 | 24 of 35 | 0.73",
    "tau_chained": "37 of 90 | 1 of 2 | 0.42",
    "se_agent": "70 of 70 | 14 of 14 | 0.64",
}
"""Boundary isolation by one line a turn, `[Turn 3] 8 tool calls (get_order × 8)`: what it kept."""
TAIL = """
*One line a turn* is what `C.isolate("boundary")` was before it told each call with its arguments and values.
`C.compact()` kept 150 tokens of a result before it kept 200.
"""


def page() -> str:
    """The page."""
    lines: list[str] = []
    for name in NAMES:
        recorded = sessions(name)
        lines.append(f"| {name} | one line a turn | {BEFORE[name]} |")
        for label, spec in SPECS.items():
            kept = measured(spec, recorded)
            lines.append(
                f"| {name} | {label} | {kept.results_seen} of {kept.results}"
                f" | {kept.arguments_seen} of {kept.arguments} | {kept.tokens / kept.whole:.2f} |"
            )
    return HEAD + "\n".join(lines) + "\n" + TAIL


if __name__ == "__main__":
    PAGE.write_text(page())
