"""What must not reach an agent, and whether its spec keeps it away."""

from contextwright.check.pipeline import AgentStep
from contextwright.check.report import Finding
from contextwright.compiler.pack import Pack
from contextwright.compiler.plan import Plan
from contextwright.redaction.patterns import catalogue
from contextwright.redaction.scan import compile_patterns


def findings(step: AgentStep, plan: Plan | None, packs: list[Pack]) -> list[Finding]:
    """A boundary that no redaction covers, and what was found behind one."""
    if not step.boundary:
        return []
    covered = {p for redact in (plan.redactions if plan else ()) for p in _named(redact.patterns)}
    open_to = [name for name in step.boundary if not _named((name,)) <= covered]
    fix = f"end the spec with C.redact(patterns={list(step.boundary)!r})"
    found: list[Finding] = []
    if open_to:
        what = f"the boundary names {', '.join(open_to)}, and no redaction of the spec covers it"
        where = repr(step.spec) if step.spec is not None else "no spec"
        found.append(Finding("error", "boundary", step.agent, where[:200], what, fix))
    scanner = compile_patterns(step.boundary)
    kinds = sorted({span.name for pack in packs for span in scanner.spans(_text(pack))})
    if kinds:
        what = f"the sample's request holds {', '.join(kinds)}"
        found.append(Finding("error", "leak", step.agent, "request", what, fix))
    return found


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
