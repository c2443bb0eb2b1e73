"""Tokens that a spec takes in a real session: compiled at several of its moments."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from contextwright.check.no_effect import idle_words
from contextwright.check.pipeline import AgentStep
from contextwright.compiler.assemble import BY_THE_ENGINE
from contextwright.compiler.pack import Pack
from contextwright.engine.one_call import compile
from contextwright.errors import BudgetError, ContextwrightError
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Atom

MOMENTS = 4
"""Moments of a session that are measured: after its first turns, its last, and between."""
MADE_UP = "(no session)"
"""Id of the session that stands for state without one: that a word changes nothing in it is no
news."""


class Measured(msgspec.Struct):
    """Args:
    packs: what was compiled.
    idle: the words that changed nothing at any moment of a session, with its last moment.
    tiers: tokens of each tier, least and most.
    headroom: tokens that the budget left free, least and most.
    failed: the first compile that did not succeed.
    """

    packs: list[Pack]
    idle: list[tuple[Atom, Snapshot]]
    tiers: dict[int, tuple[int, int]]
    headroom: tuple[int, int] | None
    failed: ContextwrightError | None


def moments(session: Session) -> list[Snapshot]:
    """The moments of a session to measure; only its last, where no user says anything."""
    whole = session.snapshot()
    starts = whole.positions("role", "user")
    if not starts:
        return [whole]
    picked = sorted({starts[(len(starts) - 1) * n // (MOMENTS - 1)] for n in range(MOMENTS)})
    early = [_at(session, start + 1) for start in picked]
    return [*early[:-1], whole]


def samples(sessions: Iterable[Session], state: Mapping[str, Any] | None) -> list[list[Snapshot]]:
    """The moments of each session; with state and no session, of one where the user says a word."""
    if not state:
        return [moments(session) for session in sessions]
    known = dict(state)
    with_state = [moments(_with_state(session, known)) for session in sessions]
    if with_state:
        return with_state
    session = Session(MADE_UP, state=known)
    session.user("?")
    return [moments(session)]


def _at(session: Session, position: int) -> Snapshot:
    """The session as it stood at a place in its log, its state then included."""
    changes = sum(change.position <= position for change in session.changes)
    return session.snapshot_at(position, changes)


def measure(step: AgentStep, model: str, samples: list[list[Snapshot]]) -> Measured:
    """Compile an agent's spec at each moment of each session."""
    packs: list[Pack] = []
    idle: list[tuple[Atom, Snapshot]] = []
    failed: ContextwrightError | None = None
    for session in samples:
        measured: list[Pack] = []
        for snapshot in session:
            try:
                measured.append(
                    compile(
                        snapshot,
                        step.spec,
                        model=step.model or model,
                        agent=step.agent,
                        steps=True,
                        read_back=step.read_back,
                        reader=step.reader,
                    )
                )
            except ContextwrightError as error:
                failed = failed if isinstance(failed, BudgetError) else error
        if step.spec is not None and measured and session[-1].session_id != MADE_UP:
            words = idle_words(step.spec, [pack.manifest for pack in measured])
            idle += [(word, session[-1]) for word in words]
        packs += measured
    tiers: dict[int, tuple[int, int]] = {}
    for number in range(1, 5):
        counts = [_tier_tokens(pack, number) for pack in packs]
        if any(counts):
            tiers[number] = (min(counts), max(counts))
    free = [pack.manifest.budget - pack.tokens for pack in packs]
    return Measured(packs, idle, tiers, (min(free), max(free)) if free else None, failed)


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
