"""The checker: every rule over every agent, and over the pipeline."""

from collections.abc import Iterable, Mapping
from typing import Any

from contextwright.check import boundary, cache_rules, keys, precedence, terms
from contextwright.check.measure import Measured, measure, moments
from contextwright.check.pipeline import AgentStep, Branch, Pipeline, steps_of
from contextwright.check.report import AgentReport, Finding, Report, TierReport
from contextwright.compiler.plan import Plan, plan
from contextwright.compiler.spec_compiler import limit_of
from contextwright.errors import BudgetError, ContextwrightError, SpecError
from contextwright.session.session import Session
from contextwright.session.state import FACTS_PREFIX, NOTES_PREFIX
from contextwright.spec.expr import Expr

RULES = {
    "All template variables resolved": {"template-variable"},
    "Every key is written before it is read": {"unwritten-key"},
    "No circular note dependencies": {"circular-notes"},
    "Priority tiers consistent (tier 1 always < budget)": {"tier-1-over-budget"},
    "Every spec compiles and fits": {"kind", "does-not-compile", "over-budget"},
    "Every term can be reached": {"unreachable"},
    "Boundaries hold": {"boundary", "leak"},
}


_OVERFLOW = ("overflow", "strategy", "profile")
"""What a terminal says of more than fits, under each one's own name."""


def check(
    pipeline: Expr | AgentStep | Branch | Iterable[Expr | AgentStep | Branch],
    *,
    model: str = "gpt-5",
    known: Iterable[str] = (),
    state: Mapping[str, Any] | None = None,
    session: Session | None = None,
) -> Report:
    """Check a spec, or a pipeline of agents with one each.

    Args:
        pipeline: a spec by itself; agents and branches in the order in which they run, and
            specs that only write between them.
        model: for agents that name none; its tokenizer counts, its window bounds.
        known: state keys that are there before the first agent runs.
        state: the same with values, which are measured.
        session: a sample; the specs are compiled at several of its moments, and measured.

    Raises:
        SpecError: something else was given.
    """
    parts = _pipeline(pipeline)
    given = frozenset(known) | frozenset(state or ()) | _before(session)
    samples = moments(session, dict(state) if state else None)
    found = keys.findings(parts, given)
    agents: list[AgentReport] = []
    for step in steps_of(parts):
        if not step.agent:
            continue
        report, more = _agent(step, model, samples)
        agents.append(report)
        found += more
    found.sort(key=lambda one: one.severity != "error")
    codes = {one.code for one in found if one.severity == "error"}
    rules = {rule: not broken & codes for rule, broken in RULES.items()}
    return Report(tuple(agents), tuple(found), rules, len(samples))


def _agent(step: AgentStep, model: str, samples: list[Any]) -> tuple[AgentReport, list[Finding]]:
    planned: Plan | None = None
    found: list[Finding] = []
    try:
        planned = plan(step.spec) if step.spec is not None else None
    except SpecError as error:
        found.append(_raised("kind", step.agent, error))
    if step.wrong is not None:
        what, where, fix = step.wrong
        found.append(Finding("error", "kind", step.agent, where, what, fix))
    measured = measure(step, model, samples) if planned is not None and samples else None
    if planned is not None:
        found += terms.findings(step.agent, planned)
    found += precedence.findings(step.agent, step.source)
    packs = measured.packs if measured is not None else []
    found += boundary.findings(step, planned, packs)
    found += cache_rules.findings(step.agent, packs)
    if measured is not None and measured.failed is not None:
        code = "does-not-compile"
        if isinstance(measured.failed, BudgetError):
            tiers = terms.terms_by_tier(planned) if planned is not None else {}
            code = "tier-1-over-budget" if 1 in tiers else "over-budget"
        found.append(_raised(code, step.agent, measured.failed))
    return _report(step, planned, measured), found


def _report(step: AgentStep, planned: Plan | None, measured: Measured | None) -> AgentReport:
    tiers = terms.terms_by_tier(planned) if planned is not None else {}
    spans = measured.tiers if measured is not None else {}
    limited = planned is not None and planned.terminal is not None
    terminal = planned.terminal if planned is not None else None
    return AgentReport(
        agent=step.agent,
        spec=repr(step.spec) if step.spec is not None else "",
        budget=limit_of(planned) if planned is not None and limited else None,
        overflow=next(filter(None, (getattr(terminal, name, "") for name in _OVERFLOW)), ""),
        tiers=tuple(
            TierReport(tier, tuple(map(repr, listed)), *spans.get(tier, (None, None)))
            for tier, listed in tiers.items()
        ),
        headroom=measured.headroom if measured is not None and limited else None,
        reads=tuple(map(_shown, keys.read(step))),
        writes=tuple(map(_shown, keys.written(step))),
        guards=tuple(map(repr, (*planned.redactions, *planned.validations))) if planned else (),
        grows=planned is not None and terms.grows(planned.body),
    )


def _before(session: Session | None) -> frozenset[str]:
    """The state keys that a sample began with: what it held later its agents wrote."""
    changes = session.changes if session is not None else []
    return frozenset(key for change in changes if change.position == 0 for key in change.values)


def _shown(key: str) -> str:
    """A state key as a reader knows it."""
    for prefix, name in ((NOTES_PREFIX, "notes"), (FACTS_PREFIX, "facts")):
        if key.startswith(prefix):
            return f"{key.removeprefix(prefix)} ({name})"
    return key


def _raised(code: str, agent: str, error: ContextwrightError) -> Finding:
    return Finding("error", code, agent, error.where or "", error.what, error.fix or "")


def _pipeline(given: Any) -> Pipeline:
    if isinstance(given, Expr):
        return (AgentStep(agent="agent", spec=given),)
    parts: tuple[Any, ...] = (given,) if isinstance(given, AgentStep | Branch) else tuple(given)
    parts = tuple(
        AgentStep(agent="", spec=part) if isinstance(part, Expr) else part for part in parts
    )
    for part in parts:
        if not isinstance(part, AgentStep | Branch):
            raise SpecError(
                f"a {type(part).__name__} is no part of a pipeline",
                where="check(pipeline)",
                fix="give Step(agent=..., spec=...) and Branch(on=..., cases=...)",
            )
    return parts
