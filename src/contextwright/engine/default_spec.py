"""The spec of who gives none: it costs no more than sending everything."""

from collections.abc import Iterator

from contextwright.atoms.budget.compaction import Compaction
from contextwright.atoms.select.default import Default
from contextwright.compiler.plan import plan
from contextwright.render.target import Target
from contextwright.spec.expr import Atom, Chain, Expr, Fallback, Pipe, Union
from contextwright.spec.word_roles import ConversationWindow
from contextwright.tokens.models import ModelInfo, known_model

OF_COST = frozenset({
    "default", "window", "recent", "salient", "sliding", "compact", "compress_results", "truncate",
    "summarize", "dedup", "decay", "cool",
})  # fmt: skip
"""Words that say how much of the conversation is sent, and nothing of what else a request holds."""
LIMITS = frozenset({"budget", "fit"})
"""Words that limit a request, in whose place a compaction can stand."""
MOVING = frozenset({"recent", "salient"})
"""Words that may leave something else at each call, as windows do that move one by one."""
LOW = 47
"""Percent of the limit that a step goes down to, as `C.compaction` does."""
LEAST_LOW = 30
"""Percent below which a step would take too much for what a length tier asks."""
LEAST_TIER = 100_000
"""Tokens that a request may have before its price alone is a reason to shorten it."""


def default_spec(target: Target) -> Expr:
    """What a request for this receiver holds where nobody says more: everything while it fits,
    then `C.compaction`, in rare steps down to a share of the window.

    It costs no more than sending everything, while everything could be sent: before the window is
    used up nothing is done, but where a longer request costs so much more that a step pays for
    itself at once.
    """
    above, low = _tier_of(target)
    return Default() | Compaction(max_tokens=above, soft=100, low=low, eager=False)


SHARES = 64
"""Shares of a request's limit in which room is kept for what comes and goes."""


def limited_spec(max_tokens: int) -> Expr:
    """The same within a limit that somebody named."""
    return Default() | Compaction(max_tokens=max_tokens, soft=100, eager=False)


def limit_of(spec: Expr, target: Target) -> int:
    """Tokens that a request of this spec may have."""
    terminal = plan(spec).terminal
    return target.max_input if terminal is None else terminal.limit(target.max_input)


def in_shares(tokens: int, limit: int) -> int:
    """Room for tokens of what comes and goes, in whole shares of a limit, so that one more of them
    moves no step."""
    share = max(1, limit // SHARES)
    return -(-tokens // share) * share


def instead_of(spec: Expr, target: Target) -> Expr | None:
    """What a spec gives way to where it costs more than sending everything: the default, within
    the limit that it names, with its guards. None for a spec that says what should be seen, not
    only how much of it, and for one that could not be replaced by anything cheaper."""
    planned = plan(spec)
    terminal = planned.terminal
    words = set(words_of(planned.body))
    if not planned.stands_on_conversation or not words <= OF_COST:
        return None
    if terminal is not None and terminal.word not in LIMITS:
        return None
    if terminal is not None and terminal.step_low and words <= {"default"}:
        return (
            None  # a limit that goes down in steps as the default's would, and is kept as that is
        )
    limit = target.max_input if terminal is None else terminal.limit(target.max_input)
    made = default_spec(target) if limit >= target.max_input else limited_spec(limit)
    for guard in (*planned.redactions, *planned.validations):
        made = made | guard
    return None if made == spec else made


def decides_at_steps(spec: Expr) -> bool:
    """Whether what a spec leaves moves now and then, and not with each exchange."""
    return not any(
        not one.strides if isinstance(one, ConversationWindow) else one.word in MOVING
        for one in atoms_of(spec)
        if isinstance(one, Atom)
    )


def words_of(expr: Expr) -> Iterator[str]:
    """The words of an expression."""
    for one in atoms_of(expr):
        yield one.word if isinstance(one, Atom) else type(one).__name__


def atoms_of(expr: Expr) -> Iterator[Expr]:
    """The words of an expression, and what it has that is none."""
    if isinstance(expr, Union):
        for term in expr.terms:
            yield from atoms_of(term)
    elif isinstance(expr, Pipe):
        yield from atoms_of(expr.head)
        yield from expr.steps
    elif isinstance(expr, Chain):
        yield from expr.steps
    elif isinstance(expr, Fallback):
        yield from atoms_of(expr.first)
        yield from atoms_of(expr.second)
    else:
        yield expr


def _tier_of(target: Target) -> tuple[int, int]:
    """Tokens from which on the model's price is a reason for a step, 0 where none is, and the
    percent that it goes down to."""
    info = known_model(target.model)
    if info is None:
        return 0, LOW
    for above, low in _steps_that_pay(info):
        if LEAST_TIER <= above < target.max_input and low >= LEAST_LOW:
            return above, min(LOW, low)
    return 0, LOW


def _steps_that_pay(info: ModelInfo) -> list[tuple[int, int]]:
    """The lengths above which prices change, each with the percent of it that can be written anew
    for what reading all of it again would cost."""
    pairs = zip(info.tiers, info.tiers[1:], strict=False)
    return [
        (longer.above, 100 * longer.cached // shorter.write)
        for shorter, longer in pairs
        if shorter.write
    ]
