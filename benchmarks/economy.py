"""What each way of keeping a session within a budget is worth and costs, on real tool sessions.

CONTEXTWRIGHT_DATA=... python -m benchmarks.economy [FILE ...] | --page
"""

import gzip
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.economy_metrics import (
    Message,
    Method,
    Request,
    Score,
    hard_values,
    score,
    text_of,
    tokens_of,
)
from benchmarks.economy_peers import peers
from contextwright import C, Session, target
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.render.exchange_text import text_behind
from contextwright.session import Text, ToolCall, ToolResult
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Expr
from contextwright.spec.inputs import Memo
from contextwright.text.json_rows import values_only
from contextwright.text.line_matches import line_count, lines_in, read_range

PLACEHOLDER = "[old tool result cleared]"


def data() -> Path:
    """Where the recorded sessions are: never a part of the project."""
    return Path(os.environ["CONTEXTWRIGHT_DATA"])


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a file."""
    with gzip.open(data() / f"{name}.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def plain(messages: Sequence[Message]) -> list[Message]:
    """Standard keys only, ids unique, calls whose results never came without them."""
    found: list[Message] = []
    for message in messages:
        kept = {
            key: message[key]
            for key in ("role", "content", "tool_calls", "tool_call_id", "name", "is_demo")
            if message.get(key) is not None
        }
        if "tool_call_ids" in message and "tool_call_id" not in kept and message["role"] == "tool":
            kept["tool_call_id"] = message["tool_call_ids"][0]
        kept.setdefault("content", "")
        found.append(kept)
    return _answered(found)


def _answered(messages: list[Message]) -> list[Message]:
    found: list[Message] = []
    for at, message in enumerate(messages):
        calls = message.get("tool_calls")
        if not calls:
            if message["role"] != "tool" or message.get("tool_call_id"):
                found.append(message)
            continue
        ids = []
        for later in messages[at + 1 :]:
            if later["role"] != "tool":
                break
            ids.append(later.get("tool_call_id"))
        answered = [call for call in calls if call["id"] in ids]
        message = dict(message)
        if answered:
            message["tool_calls"] = answered
        else:
            del message["tool_calls"]
        found.append(message)
    return found


def sessions(name: str) -> list[list[Message]]:
    """The tool sessions of a file; `tau_chained` is tau-bench's first 25 of trial 0 as one."""
    if name == "tau_chained":
        chain: list[Message] = []
        for row in rows("tau_bench_airline"):
            if row["trial"] == 0 and row["task_id"] < 25:
                own = plain(row["messages"])
                chain += [m for m in own if m["role"] != "system" or not chain]
        return [chain]
    return [plain(row["messages"]) for row in rows(name)]


# --- baselines ---


def full() -> Method:
    """Everything."""
    return lambda messages: Request(messages)


def exchanges_of(messages: Sequence[Message]) -> list[list[int]]:
    """Places of messages that go together: a call with its results, or one message."""
    found: list[list[int]] = []
    for at, message in enumerate(messages):
        if message["role"] == "tool" and found:
            found[-1].append(at)
        else:
            found.append([at])
    return found


def _head(messages: list[Message]) -> int:
    return 1 if messages and messages[0]["role"] == "system" else 0


def last_n(budget: int) -> Method:
    """The newest exchanges that fit, from a user message on or with the first one kept."""

    def method(messages: list[Message]) -> Request:
        head = messages[: _head(messages)]
        room = budget - sum(map(tokens_of, head))
        kept: list[Message] = []
        for exchange in reversed(exchanges_of(messages)[len(head) :]):
            part = [messages[at] for at in exchange]
            room -= sum(map(tokens_of, part))
            if room < 0:
                break
            kept = part + kept
        return Request(head + kept)

    return method


def masking(keep: int) -> Method:
    """Only the newest `keep` tool results stay."""

    def method(messages: list[Message]) -> Request:
        places = [at for at, m in enumerate(messages) if m["role"] == "tool"]
        return Request(_cleared(messages, set(places[: len(places) - keep])))

    return method


def _cleared(messages: list[Message], places: set[int]) -> list[Message]:
    return [{**m, "content": PLACEHOLDER} if at in places else m for at, m in enumerate(messages)]


def superseded() -> Method:
    """Results go when the same was asked again: same path, else same arguments."""

    def method(messages: list[Message]) -> Request:
        newest: dict[str, int] = {}
        gone: set[int] = set()
        calls = {c["id"]: c for m in messages for c in m.get("tool_calls") or ()}
        for at, message in enumerate(messages):
            if message["role"] == "tool":
                call = calls[message["tool_call_id"]]["function"]
                key = call["name"] + call["arguments"]
                try:
                    path = json.loads(call["arguments"]).get("path")
                    key = call["name"] + path if path else key
                except (ValueError, AttributeError):
                    pass
                if key in newest:
                    gone.add(newest[key])
                newest[key] = at
            else:
                for call in message.get("tool_calls") or ():
                    calls[call["id"]] = call
        return Request(_cleared(messages, gone))

    return method


def head_tail(characters: int) -> Method:
    """Every result to so many characters of its beginning and of its end."""

    def method(messages: list[Message]) -> Request:
        return Request(
            [
                {**m, "content": m["content"][:characters] + "\n...\n" + m["content"][-characters:]}
                if m["role"] == "tool" and len(m["content"]) > 2 * characters
                else m
                for m in messages
            ]
        )

    return method


def clearing(budget: int, keep: int = 3, fraction: float = 0.75) -> Method:
    """When the budget would be passed: the oldest results go, but for the newest, then the oldest
    exchanges, down to a share of it; then nothing until the next time."""
    return _stepped(budget, fraction, keep)


def dropping(budget: int, fraction: float = 0.5) -> Method:
    """The oldest exchanges go, in steps."""
    return _stepped(budget, fraction, None)


def _stepped(budget: int, fraction: float, keep: int | None) -> Method:
    cleared: set[int] = set()
    dropped = 0

    def method(messages: list[Message]) -> Request:
        nonlocal dropped
        head = _head(messages)

        def sent() -> list[Message]:
            whole = _cleared(messages, cleared)
            return whole[:head] + whole[max(head, dropped) :]

        def size() -> int:
            return sum(map(tokens_of, sent()))

        if size() > budget:
            results = [at for at, m in enumerate(messages) if m["role"] == "tool"]
            for at in results[: len(results) - keep] if keep is not None else ():
                if size() <= budget * fraction:
                    break
                cleared.add(at)
            for exchange in exchanges_of(messages)[head:-1]:
                if size() <= budget * fraction:
                    break
                dropped = max(dropped, exchange[-1] + 1)
        return Request(sent())

    return method


def run(name: str, make: Callable[[], Method], budget: int | None) -> Score:
    """A fresh method for each session of a file."""
    total = Score()
    for messages in sessions(name):
        total.add(score(messages, make(), budget))
    return total


REF = re.compile(r"(?<![\w#./])(?:event://)?e(\d+)(?:#\.\.e(\d+)|-e(\d+)|#\d+)?(?![\w-])")
"""A ref, or the id of a note's line, alone or in a range."""
LINES = re.compile(r"\be\d+ \[lines [\d -]+-\]")
"""An exchange with the lines with which its parts begin and end."""


def compaction(budget: int) -> Method:
    """Ours, by its defaults: `C.compaction(budget)` over the whole conversation."""
    return compiled(C.default() | C.compaction(budget))


def minified(budget: int) -> Method:
    """`C.compaction` over JSON without its blanks."""
    return compiled(C.default() | C.minify() | C.compaction(budget))


def compiled(spec: Expr) -> Method:
    """What a spec sends."""
    session, memo = Session(), Memo()
    given = target(
        "gpt-5",
        window=1_000_000,
        reserved_output=0,
        format="openai-chat",
        cache=False,
        refs="show",
    )

    def method(messages: list[Message]) -> Request:
        for message in messages[len(session) :]:
            _append(session, message)
        pack = SpecCompiler(spec, memo=memo).compile(session.snapshot(), given)
        sent = [
            {key: value for key, value in message.items() if value is not None}
            for message in pack.request["messages"]
        ]
        shown = "\n".join(map(text_of, sent))
        refs: dict[str, Sequence[int] | str] = {}
        for match in LINES.finditer(shown):
            refs |= parts_behind(match[0], session.snapshot())
        for match in REF.finditer(shown):
            first = int(match[1])
            last = int(match[2] or match[3] or first)
            if last >= len(messages):
                continue
            while last + 1 < len(messages) and messages[last + 1]["role"] == "tool":
                last += 1
            refs[match[0]] = range(first, last + 1)
        return Request(sent, refs)

    return method


def parts_behind(named: str, snapshot: Snapshot) -> dict[str, str]:
    """What is behind `e7 [lines 1-40 41-]`, by each of its ranges with the id in front of it, or
    with what stands between."""
    id, _, ranges = named.removesuffix("]").partition(" [lines ")
    text = text_behind(id, snapshot, str)
    total = line_count(text)
    behind: dict[str, str] = {}
    for one in ranges.split():
        lines = read_range(one, total)
        if lines is not None:
            behind[named[: named.index(one) + len(one)]] = lines_in(text, lines)
    return behind


def _append(session: Session, message: Message) -> None:
    text, role = message.get("content") or "", message["role"]
    if role == "assistant":
        calls = [
            ToolCall(
                id=call["id"],
                name=call["function"]["name"],
                arguments=call["function"]["arguments"],
            )
            for call in message.get("tool_calls") or ()
        ]
        session.assistant(*([Text(text=text)] if text or not calls else []), *calls)
    elif role == "tool":
        result = ToolResult(call_id=message["tool_call_id"], content=(Text(text=text),))
        session.add("tool", result)
    else:
        session.add("system" if role in {"system", "developer"} else "user", text)


# --- the table ---

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
    methods: list[tuple[str, Callable[[], Method]]] = [
        ("full history", full),
        ("last-N", lambda: last_n(budget)),
        ("masking, keep 10", lambda: masking(10)),
        ("superseded results go", superseded),
        ("head + tail, 1,000 characters", lambda: head_tail(1000)),
        ("clearing in steps, to .75", lambda: clearing(budget)),
        ("dropping in steps, to .5", lambda: dropping(budget)),
    ]
    for label, make in methods:
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
