"""Limits that limit nothing: growth behind them, budgets that no model has, checks of nothing."""

from collections.abc import Iterator

from contextwright.check.report import Finding
from contextwright.check.terms import grows, terms_by_tier
from contextwright.compiler.plan import Plan, walk
from contextwright.errors import ModelError
from contextwright.render.target import Target, target
from contextwright.session.state import NOTES_PREFIX
from contextwright.spec.expr import Atom

MANY = 1000
"""Turns, steps or blocks from which on a limit is none."""
_COUNTS = ("n", "steps", "top_k")
_BEFORE_WINDOW = "before_window"
UNSET = 1 << 62
"""A window that no terminal's own limit reaches."""


def findings(agent: str, plan: Plan, model: str, appended: frozenset[str]) -> list[Finding]:
    """What of one spec looks like a limit and is none.

    Args:
        agent: whose spec it is.
        plan: its parts.
        model: its model; an unknown one has no window to compare with.
        appended: state keys of the notes that somebody appends to.
    """
    atoms = list(walk(plan.body))
    rows = [*_unscoped(atoms, plan), *_unchecked(plan), *_over_the_window(plan, model)]
    rows += _tier_one(plan, model)
    if plan.terminal is None:
        rows += [*_large(atoms), *_growing_notes(plan, appended)]
    return [
        Finding(severity, code, agent, where, what, fix)  # pyright: ignore[reportArgumentType]
        for severity, code, where, what, fix in rows
    ]


Rows = Iterator[tuple[str, str, str, str, str]]


def _large(atoms: list[Atom]) -> Rows:
    for atom in atoms:
        for name in _COUNTS:
            value = getattr(atom, name, None)
            if isinstance(value, int) and value >= MANY:
                what = f"{name}={value} is no limit: it grows with the session"
                fix = f"lower {name}, or end the spec with C.budget(...)"
                yield "warning", "unbounded", repr(atom), what, fix


def _growing_notes(plan: Plan, appended: frozenset[str]) -> Rows:
    for terms in terms_by_tier(plan).values():
        for term in terms:
            atoms = list(walk(term))
            keys = {key for atom in atoms for key in atom.reads()} & appended
            bounded = any(atom.traits.bounded for atom in atoms[1:]) or any(
                getattr(atom, "top_k", 0) for atom in atoms
            )
            if keys and not bounded and not grows(term):
                key = min(keys).removeprefix(NOTES_PREFIX)
                what = f"the notes {key!r} are appended to at every turn, and nothing limits them"
                fix = (
                    f"C.notes(key={key!r}) | C.relevant(top_k=3), S.decay_notes({key!r}, keep=...)"
                    ", or end the spec with C.budget(...)"
                )
                yield "warning", "unbounded", repr(term), what, fix


def _unscoped(atoms: list[Atom], plan: Plan) -> Rows:
    for atom in atoms:
        if getattr(atom, "scope", "") == _BEFORE_WINDOW and not plan.windows:
            what = "nothing lies before a window where the spec has none: it brings nothing"
            yield "warning", "no-effect", repr(atom), what, f"C.window(n=5) + {atom!r}"


def _unchecked(plan: Plan) -> Rows:
    for atom in plan.validations:
        checks: tuple[str, ...] = getattr(atom, "checks", ())
        keys = getattr(atom, "keys", ())
        if "completeness" in checks and not keys and not plan.required:
            what = "completeness checks no key: the spec reads none, and none is named"
            fix = 'name them: C.validate(["completeness"], keys=["requirements"])'
            yield "warning", "no-effect", repr(atom), what, fix


def _over_the_window(plan: Plan, model: str) -> Rows:
    receiver = _target(model)
    if plan.terminal is None or receiver is None:
        return
    limit = plan.terminal.limit(UNSET)
    if receiver.max_input < limit < UNSET:
        takes = f"{receiver.model} takes {receiver.max_input:,} tokens of input"
        what = f"it allows {limit:,} tokens, and {takes}: that is the limit"
        fix = f"lower it to at most {receiver.max_input:,}, or name a model with a larger window"
        yield "warning", "budget-over-window", repr(plan.terminal), what, fix


def _tier_one(plan: Plan, model: str) -> Rows:
    """What the texts of tier 1 need at least, before anything is put into them."""
    receiver = _target(model) or _target("gpt-5")
    if plan.terminal is None or receiver is None:
        return
    terms = terms_by_tier(plan).get(1, [])
    texts = [text for term in terms for atom in walk(term) if (text := getattr(atom, "text", ""))]
    needed = sum(map(receiver.counter.count, texts))
    limit = plan.terminal.limit(UNSET)
    if needed > limit:
        what = f"the texts of tier 1 have {needed:,} tokens, and {limit:,} are allowed"
        fix = "shorten them, raise the budget, or give them tier 2"
        where = " + ".join(map(repr, terms))[:200]
        yield "error", "tier-1-over-budget", where, what, fix


def _target(model: str) -> Target | None:
    try:
        return target(model)
    except ModelError:
        return None
