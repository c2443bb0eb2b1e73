"""Findings on one spec that need no session: idle terms, contexts without a limit."""

from collections.abc import Iterator
from itertools import pairwise

from contextwright.check.report import Finding
from contextwright.compiler.plan import Plan
from contextwright.session.turns import LONG_TURN
from contextwright.spec.expr import Atom, Chain, Expr, Fallback, Pipe, Union, When
from contextwright.spec.kind import Kind
from contextwright.spec.traits import PLAIN, Gives, Traits

IMPORTANT = 2


def terms_by_tier(plan: Plan) -> dict[int, list[Expr]]:
    """The terms of a spec by the tier that its priorities put them in."""
    by_tier: dict[int, list[Expr]] = {}
    for term, tier in _tiered(plan.body, 0):
        by_tier.setdefault(tier or IMPORTANT, []).append(term)
    return dict(sorted(by_tier.items()))


def _tiered(expr: Expr, tier: int) -> Iterator[tuple[Expr, int]]:
    if isinstance(expr, Union):
        for term in expr.terms:
            yield from _tiered(term, tier)
        return
    if isinstance(expr, (Pipe, Chain)):
        set_here = [step.traits.tier for step in expr.steps if step.traits.tier]
        steps = tuple(step for step in expr.steps if not step.traits.tier)
        tier = set_here[-1] if set_here else tier
        if isinstance(expr, Pipe) and not steps:
            yield from _tiered(expr.head, tier)
            return
        expr = Pipe(expr.head, steps) if isinstance(expr, Pipe) else Chain(steps)
        if not steps:
            return
    if isinstance(expr, Atom) and (expr.kind is Kind.WRITER and type(expr).over is Atom.over):
        return
    if _traits(expr).gives is not Gives.NOTHING:
        yield expr, tier


def findings(agent: str, plan: Plan) -> list[Finding]:
    """Terms that can never do anything, and contexts that nothing bounds."""
    results = [
        Finding("warning", "no-effect", agent, where, what, fix)
        if mild
        else Finding("error", "unreachable", agent, where, what, fix)
        for where, what, fix, mild in _idle(plan.body)
    ]
    loose = [term for term in _conversations(plan.body) if grows(term)]
    if loose and plan.terminal is None:
        what = "it grows with the session, and nothing limits it"
        fix = "end it with C.budget(...) or C.fit(...), or begin with C.window(...)"
        results.append(Finding("warning", "unbounded", agent, repr(loose[0]), what, fix))
    return results


def grows(expr: Expr) -> bool:
    """Whether what an expression brings of a conversation has no limit of its own."""
    if isinstance(expr, Pipe):
        return grows(expr.head) and not any(map(_bounds, expr.steps))
    if isinstance(expr, Chain):
        return not any(map(_bounds, expr.steps))
    if isinstance(expr, Union):
        return any(map(grows, expr.terms))
    if isinstance(expr, Fallback):
        return grows(expr.first) or grows(expr.second)
    if isinstance(expr, When):
        return any(map(grows, expr.branches))
    return isinstance(expr, Atom) and not _bounds(expr)


_UNBOUNDED = {Kind.REFINER, Kind.TRANSFORM, Kind.ASSEMBLY}
"""Kinds whose words leave more of a longer conversation, unless one says that it does not."""


def _bounds(atom: Atom) -> bool:
    """Whether an atom leaves a bounded rest of any conversation."""
    bounded = atom.traits.bounded
    return atom.kind not in _UNBOUNDED if bounded is None else bounded


def _traits(expr: Expr) -> Traits:
    return expr.traits if isinstance(expr, Atom) else PLAIN


def _conversations(expr: Expr) -> Iterator[Expr]:
    if isinstance(expr, Union):
        for term in expr.terms:
            yield from _conversations(term)
    else:
        yield expr


def _idle(expr: Expr) -> Iterator[tuple[str, str, str, bool]]:
    """(where, what, fix, whether it only does nothing) of what can never have an effect."""
    if isinstance(expr, Union):
        for term in expr.terms:
            yield from _idle(term)
    elif isinstance(expr, Fallback):
        yield from _idle(expr.first)
        yield from _idle(expr.second)
        if _never_empty(expr.first):
            what = f"{expr.first!r} always gives something: {expr.second!r} is never used"
            yield repr(expr), what, f"leave {expr.second!r} out", False
    elif isinstance(expr, When):
        for branch in expr.branches:
            yield from _idle(branch)
    elif isinstance(expr, (Pipe, Chain)):
        head: tuple[Expr, ...] = (expr.head,) if isinstance(expr, Pipe) else ()
        if isinstance(expr, Pipe):
            yield from _idle(expr.head)
        yield from _idle_steps((*head, *expr.steps))


def _idle_steps(chain: tuple[Expr, ...]) -> Iterator[tuple[str, str, str, bool]]:
    if not chain:
        return
    where = " | ".join(map(repr, chain))
    if _traits(chain[0]).gives is Gives.NOTHING and len(chain) > 1:
        yield where, "nothing comes out of C.none()", "leave the steps behind it out", False
    for before, after in pairwise(chain):
        if before == after and not _traits(after).tier:
            yield where, f"{after!r} stands twice", "leave one out", True
    for before, after in pairwise([step for step in chain if _traits(step).tier]):
        what = f"{before!r} is overwritten by {after!r}"
        yield where, what, f"leave {before!r} out", True
    yield from _beyond_the_window(chain, where)
    if {"user"} < {_traits(step).role for step in chain} - {""}:
        what = "what the user said holds no other role: this selects nothing"
        yield where, what, "unite them: C.select(role='user') + C.select(role=...)", False


def _beyond_the_window(chain: tuple[Expr, ...], where: str) -> Iterator[tuple[str, str, str, bool]]:
    """Steps for turns that a window before them left out already.

    An age is one of turns only in a chat: in a long turn every exchange counts, so that a window
    of few turns may hold much that is old. That is what the finding says.
    """
    turns: int | None = None
    # behind a selection a window counts what was selected: it says nothing of ages
    newest = _traits(chain[0]).turns
    for step in chain:
        n, age = _traits(step).turns, _traits(step).min_age
        if n is not None:
            if turns is not None and n >= turns:
                what = f"{step!r} selects from {turns} turns: all of them"
                yield where, what, f"leave {step!r} out", True
            turns = n if turns is None else min(turns, n)
        if newest is not None and age is not None and age > newest - 1:
            what = (
                f"{step!r} is for an age of at least {age}: in a chat, a window of {newest} turns "
                f"has none (in a turn of more than {LONG_TURN} steps each step counts)"
            )
            yield where, what, f"lower it below {newest}, unless turns are long", True


def _never_empty(expr: Expr) -> bool:
    """Whether it gives something in every session that a request can be made from."""
    if isinstance(expr, Union):
        return any(map(_never_empty, expr.terms))
    return _traits(expr).gives is Gives.ALWAYS
