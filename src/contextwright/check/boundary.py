"""Boundaries: patterns that must not reach an agent, and the spec that keeps them away."""

from contextwright.check.pipeline import AgentStep
from contextwright.check.report import Finding
from contextwright.compiler.pack import Pack
from contextwright.compiler.plan import Plan
from contextwright.redaction.patterns import catalogue
from contextwright.redaction.scan import compile_patterns


def findings(step: AgentStep, plan: Plan | None, packs: list[Pack]) -> list[Finding]:
    """A boundary that no redaction covers, and what a sample leaked behind one."""
    if not step.boundary:
        return []
    covered = {p for guard in (plan.redactions if plan else ()) for p in _named(guard.covers)}
    open_to = [name for name in step.boundary if not _named((name,)) <= covered]
    fix = f"end the spec with C.redact(patterns={list(step.boundary)!r})"
    results: list[Finding] = []
    if open_to:
        what = f"the boundary names {', '.join(open_to)}, and no redaction of the spec covers it"
        where = repr(step.spec) if step.spec is not None else "no spec"
        results.append(Finding("error", "boundary", step.agent, where[:200], what, fix))
    scanner = compile_patterns(step.boundary)
    kinds = sorted({span.name for pack in packs for span in scanner.spans(_text(pack))})
    if kinds:
        what = f"the sample's request holds {', '.join(kinds)}"
        results.append(Finding("error", "leak", step.agent, "request", what, fix))
    return results


def _named(patterns: tuple[str, ...]) -> set[str]:
    """The patterns behind names and groups; an expression is its own."""
    known = catalogue()
    return {
        name
        for pattern in patterns
        for name in ([p.name for p in known[pattern]] if pattern in known else [pattern])
    }


def _text(pack: Pack) -> str:
    return pack.body.decode("utf-8", "replace")
