"""A window shared out among layers: floors first, the rest by weights
(context-packs.md#allocation). Whole tokens and millionths; no floats."""

from collections.abc import Mapping

import msgspec

from contextwright.errors import StepError

ONE = 1_000_000
FIXED = ("system", "task", "tools", "slack")
SHARED = ("evidence", "memory", "conversation")

FLOORS: dict[str, dict[str, int]] = {
    "cost": {"system": 6, "task": 6, "tools": 4, "slack": 10},
    "balanced": {"system": 7, "task": 8, "tools": 5, "slack": 12},
    "quality": {"system": 8, "task": 10, "tools": 6, "slack": 15},
}
"""Percent of the window: the low end, the middle and the high end of the document's ranges."""

SPENT: dict[str, int] = {"cost": 50, "balanced": 100, "quality": 100}
"""Percent of the remainder that is shared out; what is not spent need not be paid for."""

PROFILES: dict[str, dict[str, int]] = {
    "balanced": {"evidence": 52, "memory": 27, "conversation": 21},
    "research": {"evidence": 62, "memory": 23, "conversation": 15},
    "requirements": {"evidence": 52, "memory": 28, "conversation": 20},
    "tests": {"evidence": 60, "memory": 25, "conversation": 15},
}
"""Shares of the remainder in percent: within the document's ranges, summing to 100."""

SIGNALS: dict[str, str] = {
    "checklist_evidence_ratio": "evidence",
    "expected_tool_calls": "evidence",
    "risk_weight": "evidence",
    "retrieval_hit_rate": "memory",
    "similarity": "memory",
    "freshness": "memory",
    "unresolved_questions": "conversation",
    "dialogue_depth": "conversation",
}
"""Each signal and the layer whose weight it adds to."""


class Allocation(msgspec.Struct, frozen=True):
    """Tokens for each layer; they sum to the window.

    Args:
        window: what is shared out.
        budgets: by layer; `slack` is what stays free: for the answer, and what the preset does
            not want to be spent.
        weights: by shared layer, in millionths: base and signals.
    """

    window: int
    budgets: dict[str, int]
    weights: dict[str, int]

    @property
    def limit(self) -> int:
        """Tokens that a request may have."""
        return self.window - self.budgets["slack"]


def allocate(
    window: int,
    signals: Mapping[str, int],
    *,
    profile: str = "balanced",
    preset: str = "balanced",
    needs: Mapping[str, int] | None = None,
    least_slack: int = 0,
    where: str = "C.allocate()",
) -> Allocation:
    """Share a window out.

    Args:
        window: tokens.
        signals: each from 0 to 1,000,000; a weight is twice the profile's share plus the mean of
            the layer's signals, so that the profile speaks for two thirds at the most.
        needs: tokens that the fixed layers really take; a floor is at least that.
        least_slack: tokens that must stay free for the answer.

    Raises:
        StepError: the floors are more than the window.
    """
    needs = needs or {}
    percent = FLOORS[preset]
    floors = {name: window * percent[name] // 100 for name in FIXED}
    floors["slack"] = max(floors["slack"], least_slack)
    fixed = {name: max(floors[name], needs.get(name, 0)) for name in FIXED}
    rest = window - sum(fixed.values())
    if rest < 0:  # what is reserved and not needed is given up before a step is refused
        fixed = {name: needs.get(name, 0) for name in FIXED} | {"slack": floors["slack"]}
        rest = window - sum(fixed.values())
    if rest < 0:
        raise _too_large(window, fixed, -rest, where)
    weights = {name: _weight(name, profile, signals) for name in SHARED}
    spent = rest * SPENT[preset] // 100
    budgets = fixed | _shares(spent, weights)
    budgets["slack"] = budgets.pop("slack") + rest - spent
    return Allocation(window, budgets, weights)


def shared_out(allocation: Allocation, needs: Mapping[str, int]) -> dict[str, int]:
    """What each shared layer may have once the others' unused tokens flowed to those in need.

    Args:
        needs: tokens that every layer would take.
    """
    free = sum(
        max(0, allocation.budgets[name] - needs.get(name, 0))
        for name in (*FIXED, *SHARED)
        if name != "slack"
    )
    have = {name: min(allocation.budgets[name], needs.get(name, 0)) for name in SHARED}
    wanting = {name for name in SHARED if needs.get(name, 0) > have[name]}
    while free > 0 and wanting:
        # in the order of SHARED: a set's own order differs from process to process
        weights = {name: allocation.weights[name] for name in SHARED if name in wanting}
        shares = _shares(free, weights)
        for name, share in shares.items():
            taken = min(share, needs[name] - have[name])
            have[name] += taken
            free -= taken
        full = {name for name in wanting if have[name] >= needs[name]}
        if not full:
            break
        wanting -= full
    return have


def _weight(layer: str, profile: str, signals: Mapping[str, int]) -> int:
    values = [signals.get(name, 0) for name, of in SIGNALS.items() if of == layer]
    return 2 * PROFILES[profile][layer] * ONE // 100 + sum(values) // len(values)


def _shares(tokens: int, weights: Mapping[str, int]) -> dict[str, int]:
    """Whole tokens in proportion, summing to all; each grows with its own weight."""
    total = sum(weights.values())
    shares: dict[str, int] = {}
    before = summed = 0
    for name, weight in weights.items():
        summed += weight
        upto = tokens * summed // total
        shares[name], before = upto - before, upto
    return shares


def _too_large(window: int, fixed: Mapping[str, int], over: int, where: str) -> StepError:
    named = ", ".join(f"{name} {tokens:,}" for name, tokens in fixed.items())
    return StepError(
        f"split the step: its floors take {over:,} tokens more than the window of {window:,} "
        f"({named})",
        where=where,
        fix="give the step less to do or fewer tools, shorten the instruction, or take a larger "
        "window",
    )
