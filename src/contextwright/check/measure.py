"""Tokens that a spec takes in a real session: compiled at several of its moments."""

from typing import Any

import msgspec

from contextwright.check.pipeline import AgentStep
from contextwright.compiler.assemble import BY_THE_ENGINE
from contextwright.compiler.pack import Pack
from contextwright.engine.engine import compile
from contextwright.errors import BudgetError, ContextwrightError
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot

MOMENTS = 4
"""Moments of a session that are measured: after its first turns, its last, and between."""


class Measured(msgspec.Struct):
    """Args:
    packs: what was compiled.
    tiers: tokens of each tier, least and most.
    headroom: tokens that the budget left free, least and most.
    failed: the first compile that did not succeed.
    """

    packs: list[Pack]
    tiers: dict[int, tuple[int, int]]
    headroom: tuple[int, int] | None
    failed: ContextwrightError | None


def moments(session: Session | None, state: dict[str, Any] | None) -> list[Snapshot]:
    """The moments to measure; with no session, one in which the user says a word."""
    if session is None:
        if not state:
            return []
        session = Session("sample", state=state)
        session.user("?")
        return [session.snapshot()]
    if state:
        session = _with_state(session, state)
    whole = session.snapshot()
    starts = whole.positions("role", "user")
    picked = sorted({starts[(len(starts) - 1) * n // (MOMENTS - 1)] for n in range(MOMENTS)})
    early = [_at(session, start + 1) for start in picked]
    return [*early[:-1], whole] if early else [whole]


def _at(session: Session, position: int) -> Snapshot:
    """The session as it stood at a place in its log, its state then included."""
    changes = sum(change.position <= position for change in session.changes)
    return session.snapshot_at(position, changes)


def measure(step: AgentStep, model: str, samples: list[Snapshot]) -> Measured:
    """Compile an agent's spec at each moment."""
    packs: list[Pack] = []
    failed: ContextwrightError | None = None
    for snapshot in samples:
        try:
            packs.append(compile(snapshot, step.spec, model=step.model or model, agent=step.agent))
        except ContextwrightError as error:
            failed = failed if isinstance(failed, BudgetError) else error
    tiers: dict[int, tuple[int, int]] = {}
    for number in range(1, 5):
        counts = [_tier_tokens(pack, number) for pack in packs]
        if any(counts):
            tiers[number] = (min(counts), max(counts))
    free = [pack.manifest.budget - pack.tokens for pack in packs]
    return Measured(packs, tiers, (min(free), max(free)) if free else None, failed)


def _tier_tokens(pack: Pack, tier: int) -> int:
    always = {*BY_THE_ENGINE, "system"}
    return sum(
        block.tokens
        for block in pack.manifest.kept
        if (block.tier or 2) == tier and block.source not in always
    )


def _with_state(session: Session, state: dict[str, Any]) -> Session:
    copy = Session(session.id, state=state, tools=session.tools, metadata=session.metadata)
    copy.extend(session.log)
    for change in session.changes:
        copy.restore(change)
    return copy
