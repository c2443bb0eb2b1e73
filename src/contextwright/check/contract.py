"""The checker: every rule over every agent, and over the pipeline."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any, cast

from contextwright.check import (
    boundary,
    cache_rules,
    dangling_refs,
    keys,
    limits,
    no_effect,
    precedence,
    references,
    terms,
)
from contextwright.check.measure import Measured, measure, samples
from contextwright.check.pipeline import AgentStep, Branch, Pipeline, steps_of
from contextwright.check.report import AgentReport, Finding, Report, TierReport
from contextwright.compiler.plan import Plan, plan, walk
from contextwright.errors import BudgetError, ContextwrightError, ModelError, SpecError
from contextwright.render.target import target
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.session.state import FACTS_PREFIX, NOTES_PREFIX
from contextwright.spec.expr import Expr
from contextwright.spec.terminal import Terminal

RULES = {
    "All template variables resolved": {"template-variable"},
    "Every key is written before it is read": {"unwritten-key"},
    "No circular note dependencies": {"circular-notes"},
    "Priority tiers consistent (tier 1 always < budget)": {"tier-1-over-budget"},
    "Every spec compiles and fits": {"kind", "does-not-compile", "over-budget"},
    "Every term can be reached": {"unreachable"},
    "Boundaries hold": {"boundary", "leak"},
}


def check(
    pipeline: Expr | AgentStep | Branch | Iterable[Expr | AgentStep | Branch],
    *,
    model: str = "gpt-5",
    known: Iterable[str] = (),
    state: Mapping[str, Any] | None = None,
    sessions: Session | Iterable[Session] = (),
) -> Report:
    """Check a spec, or a pipeline of agents with one each.

    Args:
        pipeline: a spec by itself; agents and branches in the order in which they run, and
            specs that only write between them.
        model: for agents that name none; its tokenizer counts, its window bounds.
        known: state keys that are there before the first agent runs.
        state: the same with values, which are measured.
        sessions: samples; the specs are compiled at several moments of each, and measured.

    Raises:
        SpecError: no agent at all, or a part that is neither an agent nor a branch.
    """
    parts = _pipeline(pipeline)
    sessions = [sessions] if isinstance(sessions, Session) else list(sessions)
    available = frozenset(known).union(state or (), *map(_before, sessions))
    measured = samples(sessions, state)
    results = keys.findings(parts, available) + references.findings(parts, measured)
    appended = frozenset(
        key for step in steps_of(parts) for key in keys.written(step) if _appends(step, key)
    )
    agents: list[AgentReport] = []
    for step in steps_of(parts):
        if not step.agent:
            continue
        report, more = _agent(step, model, measured, appended)
        agents.append(report)
        results += more
    results.sort(key=lambda result: result.severity != "error")
    codes = {result.code for result in results if result.severity == "error"}
    rules = {rule: not broken & codes for rule, broken in RULES.items()}
    return Report(tuple(agents), tuple(results), rules, sum(map(len, measured)))


def _agent(
    step: AgentStep, model: str, samples: list[list[Snapshot]], appended: frozenset[str]
) -> tuple[AgentReport, list[Finding]]:
    planned: Plan | None = None
    results: list[Finding] = []
    try:
        planned = plan(step.spec) if step.spec is not None else None
    except SpecError as error:
        results.append(_raised("kind", step.agent, error))
    if step.wrong is not None:
        what, where, fix = step.wrong
        results.append(Finding("error", "kind", step.agent, where, what, fix))
    measured = measure(step, model, samples) if planned is not None and samples else None
    if planned is not None:
        results += terms.findings(step.agent, planned)
        results += limits.findings(step.agent, planned, step.model or model, appended)
    results += precedence.findings(step.agent, step.source)
    packs = measured.packs if measured is not None else []
    results += boundary.findings(step, planned, packs)
    results += cache_rules.findings(step.agent, planned, packs)
    results += dangling_refs.findings(step, planned, packs)
    if measured is not None:
        results += no_effect.findings(step.agent, measured.idle)
    if measured is not None and measured.failed is not None:
        code = "does-not-compile"
        if isinstance(measured.failed, BudgetError):
            tiers = terms.terms_by_tier(planned) if planned is not None else {}
            code = "tier-1-over-budget" if 1 in tiers else "over-budget"
        results.append(_raised(code, step.agent, measured.failed))
    grows = any(one.code == "unbounded" for one in results)
    return _report(step, planned, measured, step.model or model, grows=grows), results


def _appends(step: AgentStep, key: str) -> bool:
    """Whether an agent's notes under this key grow with every turn."""
    words = walk(step.spec) if step.spec is not None else ()
    return key.startswith(NOTES_PREFIX) and any(
        key in atom.written() and getattr(atom, "strategy", "") == "append" for atom in words
    )


def _report(
    step: AgentStep,
    planned: Plan | None,
    measured: Measured | None,
    model: str,
    *,
    grows: bool,
) -> AgentReport:
    tiers = terms.terms_by_tier(planned) if planned is not None else {}
    spans = measured.tiers if measured is not None else {}
    terminal = planned.terminal if planned is not None else None
    return AgentReport(
        agent=step.agent,
        spec=repr(step.spec) if step.spec is not None else "",
        budget=_limit(terminal, model) if terminal is not None else None,
        overflow=terminal.label if terminal is not None else "",
        tiers=tuple(
            TierReport(tier, tuple(map(repr, listed)), *spans.get(tier, (None, None)))
            for tier, listed in tiers.items()
        ),
        headroom=measured.headroom if measured is not None and terminal is not None else None,
        reads=tuple(map(_shown, keys.read(step))),
        writes=tuple(map(_shown, keys.written(step))),
        guards=tuple(map(repr, (*planned.redactions, *planned.validations))) if planned else (),
        grows=grows,
    )


def _limit(terminal: Terminal, model: str) -> int:
    """Tokens that a terminal allows in this model's window; in any window, for an unknown one."""
    try:
        window = target(model).max_input
    except ModelError:
        window = sys.maxsize
    return terminal.limit(window)


def _before(session: Session) -> frozenset[str]:
    """The state keys that a sample began with: what it held later its agents wrote."""
    return frozenset(
        key for change in session.changes if change.position == 0 for key in change.values
    )


def _shown(key: str) -> str:
    """A state key as a reader knows it."""
    for prefix, name in ((NOTES_PREFIX, "notes"), (FACTS_PREFIX, "facts")):
        if key.startswith(prefix):
            return f"{key.removeprefix(prefix)} ({name})"
    return key


def _raised(code: str, agent: str, error: ContextwrightError) -> Finding:
    return Finding("error", code, agent, error.where or "", error.what, error.fix or "")


def _pipeline(pipeline: Any) -> Pipeline:
    if isinstance(pipeline, Expr):
        return (AgentStep(agent="agent", spec=pipeline),)
    listed = pipeline if isinstance(pipeline, Iterable) else (pipeline,)
    parts: tuple[Any, ...] = tuple(cast("Iterable[Any]", listed))
    if not parts:
        raise SpecError(
            "there is no agent to check",
            where="check(pipeline)",
            fix="give AgentStep(agent=..., spec=...), a file a list of "
            '{"agent": "name", "spec": "C.window(n=5)"}',
        )
    parts = tuple(
        AgentStep(agent="", spec=part) if isinstance(part, Expr) else part for part in parts
    )
    for part in parts:
        if not isinstance(part, AgentStep | Branch):
            raise SpecError(
                f"expected an agent or a branch, got {type(part).__name__}",
                where="check(pipeline)",
                fix="give AgentStep(agent=..., spec=...) and Branch(on=..., cases=...)",
            )
    return parts
