"""What a session would cost under other budgets: the points of the page's curve."""

from typing import Any

import msgspec

from contextwright.compiler.plan import plan
from contextwright.engine.engine import memo_of
from contextwright.errors import SpecError
from contextwright.inspect.call_moments import call_moments
from contextwright.inspect.series import SpecRun
from contextwright.render.target import Target
from contextwright.session.session import Session
from contextwright.spec.expr import Chain, Expr, Pipe
from contextwright.spec.terminal import Terminal
from contextwright.words import C


def with_budget(spec: Expr, tokens: int) -> Expr:
    """The spec with another limit; one without a limit gets `C.budget`.

    Raises:
        SpecError: its limit takes no number of tokens.
    """
    terminal = plan(spec).terminal
    if terminal is None:
        return spec | C.budget(tokens)
    if "max_tokens" not in terminal.__struct_fields__:
        raise SpecError(
            f"{terminal!r} has no max_tokens that could be another",
            where=repr(spec),
            fix="give a spec whose limit is C.budget, C.fit or C.compaction",
        )
    return _replaced(spec, terminal, msgspec.structs.replace(terminal, max_tokens=tokens))


def _replaced(spec: Expr, old: Terminal, new: Terminal) -> Expr:
    if spec == old:
        return new
    if isinstance(spec, Chain | Pipe):
        steps = tuple(new if step == old else step for step in spec.steps)
        return msgspec.structs.replace(spec, steps=steps)
    return spec


def budget_point(session: Session, spec: Expr, target: Target, tokens: int) -> dict[str, Any]:
    """The whole session under a spec with another limit."""
    return {"budget": tokens, **session_sums(session, with_budget(spec, tokens), target)}


def session_sums(session: Session, spec: Expr, target: Target) -> dict[str, int]:
    """The whole session under a spec: cost in microdollars, tokens, prefixes of which less than
    half was shared, the largest request, calls without one."""
    run = SpecRun(session, spec, target, memo_of(session.log))
    sums = {"cost": 0, "tokens": 0, "lost": 0, "largest": 0, "errors": 0}
    for call in call_moments(session):
        done = run.compiled(call)
        if done.pack is None:
            sums["errors"] += 1
            continue
        manifest = done.pack.manifest
        sums["cost"] += done.cost
        sums["tokens"] += manifest.tokens
        sums["largest"] = max(sums["largest"], manifest.tokens)
        prefix = manifest.prefix
        lost = prefix is not None and prefix.loss is not msgspec.UNSET
        if lost and prefix is not None and 2 * prefix.tokens < manifest.tokens:
            sums["lost"] += 1
    return sums
