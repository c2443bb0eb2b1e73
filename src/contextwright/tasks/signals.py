"""What the allocator goes by, read out of the step and the session
(context-packs.md#signals): each from 0 to 1,000,000."""

from collections.abc import Mapping
from typing import Any

from contextwright.blocks.block import SCORE_ONE, Block, Blocks
from contextwright.session.event import Text
from contextwright.session.snapshot import Snapshot
from contextwright.tasks.allocation import ONE
from contextwright.tasks.plan_step import KNOWLEDGE, SIGNALS, Step, step_in

RISK = {"low": 0, "medium": ONE // 2, "high": ONE}
HIT = SCORE_ONE // 2
"""A memory that scores half of the best or more is a hit."""
HALF_CALLS, HALF_QUESTIONS, HALF_TURNS = 3, 3, 8
"""Calls, questions and turns at which their signal is one half; it nears one, never jumps."""
WEEK_MS = 7 * 86_400_000
"""A memory's freshness halves in a week."""


def signals_of(snapshot: Snapshot, blocks: Blocks, now_ms: int | None) -> dict[str, int]:
    """All eight signals; one that the state key `signals` names, from 0 to 1, is taken from
    there.

    Args:
        blocks: what the spec brought.
        now_ms: milliseconds since 1970; where none is given, the newest event's time.
    """
    state = snapshot.state
    step = step_in(state)
    memories = [block for block in blocks if block.source == "memory"]
    known: Any = state.get(KNOWLEDGE)
    entries: list[Any] = known if isinstance(known, list) else []
    signals = {
        "checklist_evidence_ratio": _evidence_ratio(step),
        "expected_tool_calls": _nearing(_calls(step, snapshot), HALF_CALLS),
        "risk_weight": RISK[step.constraints.risk] if step is not None else 0,
        "retrieval_hit_rate": _hits(memories),
        "similarity": max((block.score for block in memories), default=0),
        "freshness": _freshness(entries, now_ms if now_ms is not None else _newest(snapshot)),
        "unresolved_questions": _nearing(_questions(snapshot), HALF_QUESTIONS),
        "dialogue_depth": _nearing(max(0, snapshot.turn), HALF_TURNS),
    }
    measured = _measured(state.get(SIGNALS), signals)
    return {name: max(0, min(ONE, value)) for name, value in (signals | measured).items()}


def window_of(max_tokens: int, state: Mapping[str, Any]) -> int:
    """Tokens that the spec or the step allows for a request; 0 where neither says."""
    step = step_in(state)
    return max_tokens or (step.constraints.tokens if step is not None else 0)


def _measured(stated: Any, known: Mapping[str, int]) -> dict[str, int]:
    """Signals that the application measured, from 0 to 1; others are not of ours."""
    values: Mapping[str, Any] = stated if isinstance(stated, Mapping) else {}
    return {
        name: round(value * ONE)
        for name, value in values.items()
        if name in known and isinstance(value, (int, float)) and 0 <= value <= 1
    }


def _evidence_ratio(step: Step | None) -> int:
    if step is None or not step.acceptance:
        return 0
    return sum(one.needs_evidence for one in step.acceptance) * ONE // len(step.acceptance)


def _calls(step: Step | None, snapshot: Snapshot) -> int:
    """Calls that are foreseen: as the step says, else one for every tool that it may use."""
    if step is None:
        return 0
    if step.expected_tool_calls >= 0:
        return step.expected_tool_calls
    return len(step.tools if step.tools is not None else snapshot.tools)


def _nearing(count: int, half: int) -> int:
    return count * ONE // (count + half)


def _hits(memories: list[Block]) -> int:
    scored = [block.score for block in memories if block.score >= 0]
    return sum(score >= HIT for score in scored) * ONE // len(scored) if scored else 0


def _freshness(entries: list[Any], now_ms: int | None) -> int:
    """The mean over the memories whose time is known; whole halvings, no floats."""
    times = [entry.get("time_ms") for entry in entries if isinstance(entry, Mapping)]
    ages = [max(0, now_ms - ms) for ms in times if isinstance(ms, int) and now_ms is not None]
    return sum(_halved(age) for age in ages) // len(ages) if ages else 0


def _halved(age_ms: int) -> int:
    """One, halved for every week; straight lines in between."""
    weeks, rest = divmod(age_ms, WEEK_MS)
    if weeks > 20:
        return 0
    whole = ONE >> weeks
    return whole - whole * rest // (2 * WEEK_MS)


def _newest(snapshot: Snapshot) -> int | None:
    for position in range(snapshot.position - 1, max(-1, snapshot.position - 50), -1):
        if snapshot.log[position].time_ms is not None:
            return snapshot.log[position].time_ms
    return None


LOOKED_AT = 20
"""Exchanges before the running turn in which open questions are looked for."""


def _questions(snapshot: Snapshot) -> int:
    """What is open: questions of the agent's last words, users that nobody answered, calls that
    failed and were not made good."""
    start = max(snapshot.preamble, snapshot.turn_start(snapshot.turn))
    before = snapshot.exchanges(max(snapshot.preamble, start - LOOKED_AT), start)
    count = len(snapshot.open_failures.intersection(exchange.index for exchange in before))
    for place, exchange in enumerate(before[:-1]):
        both = exchange.first.role == before[place + 1].first.role == "user"
        count += both and exchange.first.text.rstrip().endswith("?")
    for exchange in reversed(before):
        if exchange.first.role == "assistant":
            texts = (part.text for part in exchange.first.parts if isinstance(part, Text))
            return count + sum(text.count("?") for text in texts)
    return count
