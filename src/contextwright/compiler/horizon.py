"""How far back a compile looks (rules.md#horizon).

A limit that drops the oldest reaches a place behind which everything goes, whatever words of the
spec make of it. So what looks at a block alone is given the newest exchanges only: those of one
and a half times the limit, and the older ones that something holds. The compile is taken only if
the oldest of these were dropped by the limit; then the older ones, which would have been dropped
before them, change nothing of what is sent. Else it looks further back, at last at everything.
"""

from collections.abc import Iterator
from itertools import chain, islice, takewhile

from contextwright.blocks.block import Blocks
from contextwright.compiler.mapped_log import maps
from contextwright.compiler.step_left import known_place, table_of
from contextwright.compiler.token_sums import SOURCE, newest_of, place_of, tokens_between
from contextwright.compiler.trace_findings import LimitStage
from contextwright.spec.expr import Atom, Chain, Expr, Fallback, Pipe, Union
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import BARE, Kind
from contextwright.spec.terminal import (
    FoldHistory,
    ModelWindow,
    Terminal,
)
from contextwright.spec.traits import View
from contextwright.spec.word_roles import ConversationWindow, Indexed, Shortener, Standing
from contextwright.tasks.signals import window_of

MULTIPLES = (150, 200, 400, 800, 3200)
"""Tokens that are looked at first, in percent of the limit: what is shortened before anything is
dropped takes more room in the log than in a request."""
SHORT = 400
"""Where a word that is past its limit makes each as short as it can, percent of the limit that are
looked at first."""
NEAR = (2, 8, 32)
"""Limits after which what a limit by layers looks at begins anew, the fewest that are enough: the
newest exchanges that take two to four of them, as they came."""
SURE = 4
"""Exchanges at the far end that must have been dropped. A limit whose room is filled again brings
back the next one in short, so one would not do."""
GRAIN = 32
"""Exchanges by which the far end moves: what was decided of the same ones needs no new look."""
_LOG_VIEWS: frozenset[View] = frozenset({"log", "least"})
"""How words look that know all of the conversation by what is kept of its log."""
NO_STEP = "no step"
PAGE = 64
"""Exchanges that are counted at once, from the newest back."""


def view_of(body: Expr, terminal: Terminal | None) -> View:
    """How far back a spec must look to decide about one exchange: at it alone, at its turn, at
    what a fold does not know, or at all of them. `all` also for a spec without a term that brings
    the whole conversation.

    Args:
        body: what brings the blocks. terminal: what limits them; None for the model's window.
    """
    terminal = terminal or ModelWindow()
    terms = list(conversation_terms(body))
    steps = list(chain.from_iterable(terms))
    by_score = terminal.order == "tier" and any(step.traits.scores for step in steps)
    views = {*(step.traits.view for step in steps), *(stage.view for stage in terminal.stages)}
    if "near" in views:  # that it drops the oldest first is of exchanges as the log has them
        return "near" if maps(terms) and views <= {"near", "block"} else "all"
    if _asks_of_part(body):
        return "all"
    if not terms or "all" in views or by_score or not drops_oldest(terminal):
        knows = maps(terms) and terminal.step_low and not _brings_part(body)
        return "step" if knows else "all"
    if not _LOG_VIEWS.isdisjoint(views) and not _stands_on_log(body, terms):
        return "all"
    if "fold" in views:  # it knows what the log says, and what words make of each exchange alone
        return "fold" if maps(terms) or lessens(body) else "all"
    if any(step.traits.scores for step in steps):
        return "log" if views.isdisjoint({"turn", "least"}) else "all"
    if "least" in views:
        return "least" if "turn" not in views else "all"
    return "turn" if "turn" in views else "block"


def drops_oldest(terminal: Terminal) -> bool:
    """Whether what a limit drops first is the oldest of a tier."""
    return terminal.layers is None and terminal.order in {"age", "tier"}


def mapping_of(body: Expr) -> tuple[Atom, ...]:
    """The steps behind the one term that brings the whole conversation; none where there are
    several, or none."""
    terms = list(conversation_terms(body))
    return terms[0] if len(terms) == 1 else ()


def lessens(body: Expr) -> bool:
    """Whether all that a spec brings is the whole conversation, which one word alone shortens that
    looks at each exchange by itself, once all of them are more than its own limit."""
    match mapping_of(body):
        case (Shortener() as word,):
            return word.traits.view == "least" and _is_of_log(body)
        case _:
            return False


def brings_calls(body: Expr) -> bool:
    """Whether a spec brings what an agent calls while the turn runs, of which a word takes the
    calls out once the turn is over."""
    terms = [
        steps
        for steps in conversation_terms(body)
        if any(one.traits.keeps_running for one in steps)
    ]
    return any(all(one.traits.keeps_running or one.traits.maps for one in term) for term in terms)


def stands(body: Expr, terminal: Terminal | None, view: View, *, guarded: bool = False) -> bool:
    """Whether what the words of a spec leave of an exchange that has settled, they leave of it at
    every turn, as long as windows, state, what they go by (`Standing`) and what must stay are the
    same, and the limit takes no step."""
    terminal = terminal or ModelWindow()
    if not (drops_oldest(terminal) and _stays(body)):
        return False
    if any(_is_standing(step) for term in conversation_terms(body) for step in term):
        return view == "all" and not guarded and _is_of_log(body)
    return view == "fold" or not folds(terminal)


def folds(terminal: Terminal | None) -> bool:
    """Whether a limit stands on steps that hold on by themselves."""
    return terminal is not None and any(stage.standing for stage in terminal.stages)


def standing_of(body: Expr) -> tuple[Standing, ...]:
    """The words of a spec that say by what they stand."""
    steps = chain.from_iterable(conversation_terms(body))
    return tuple(one for one in steps if isinstance(one, Standing) and _is_standing(one))


def _is_of_log(body: Expr) -> bool:
    """Whether all that a spec brings is the whole conversation, once, and given as the log has it
    to the word that asks the log."""
    head = body
    while isinstance(head, Pipe):
        head = head.head
    return _is_conversation(head) and _stands_on_log(body, list(conversation_terms(body)))


def _stays(expr: Expr) -> bool:
    if isinstance(expr, Union):
        return all(map(_stays, expr.terms))
    if isinstance(expr, Pipe):
        if _brings_texts(expr.head):
            return all(step.kind is Kind.TRANSFORM for step in expr.steps)
        # behind a window another exchange is the first that says a thing, once the window moves
        is_alike = _leaves_alike if _is_of_log(expr) else _maps_alike
        return _stays(expr.head) and all(map(is_alike, expr.steps))
    if isinstance(expr, Chain):
        return all(map(_leaves_alike, expr.steps))
    if not isinstance(expr, Atom):
        return False
    is_source = isinstance(expr, ConversationWindow) or expr.traits.whole or _brings_texts(expr)
    return is_source or (expr.kind in BARE and _leaves_alike(expr))


def slides(body: Expr) -> bool:
    """Whether windows of the newest are all that a spec brings of the conversation."""
    if isinstance(body, Union):
        return all(map(slides, body.terms))
    if isinstance(body, Pipe):
        return slides(body.head)
    return isinstance(body, ConversationWindow) or _brings_texts(body)


def _brings_texts(expr: Expr) -> bool:
    """Whether a term brings no exchange, but texts of its own, which are asked for at each turn."""
    return isinstance(expr, Atom) and expr.kind is Kind.SOURCE and not expr.selects_conversation


def _leaves_alike(step: Atom) -> bool:
    """Whether a step makes always the same of an exchange that has settled, however old it is."""
    return _is_standing(step) or _maps_alike(step)


def _maps_alike(step: Atom) -> bool:
    return step.traits.maps and step.traits.min_age is None


def _is_standing(step: Atom) -> bool:
    return isinstance(step, Standing) and not step.traits.maps


def is_whole(body: Expr) -> bool:
    """Whether a spec brings the whole conversation, as the log has it, and no more."""
    if isinstance(body, Chain):
        return not body.steps
    return isinstance(body, Atom) and body.traits.whole


def _stands_on_log(body: Expr, terms: list[tuple[Atom, ...]]) -> bool:
    """Whether what knows the log is given it as it is: by one term, and before any other step. One
    that shortens all to the least may stand behind those that look at each exchange alone."""
    if isinstance(body, Union):
        return all(_stands_on_log(term, list(conversation_terms(term))) for term in body.terms)
    while isinstance(body, Pipe):
        body = body.head
    return isinstance(body, (Atom, Chain)) and all(map(_knows_first, terms))


def _knows_first(steps: tuple[Atom, ...]) -> bool:
    front = list(takewhile(lambda one: one.traits.maps, steps))
    views = [one.traits.view for one in steps]
    if "least" in views[: len(front) + 1]:
        views.remove("least")
    return _LOG_VIEWS.isdisjoint(views[1:])


def indexed_by(body: Expr) -> Indexed | None:
    """The word that brings all that comes of the conversation, where it finds that by the log's
    indexes."""
    terms = list(conversation_terms(body))
    first = terms[0][0] if len(terms) == 1 and terms[0] else None
    return first if isinstance(first, Indexed) and not isinstance(body, Union) else None


def age_limit(body: Expr) -> Atom | None:
    """The word that leaves nothing older than its age of what any term brings of the whole
    conversation, before another one can hold it; of several the one that leaves most."""
    firsts = [steps[0] if steps else None for steps in conversation_terms(body)]
    ages = [one.traits.max_age if one is not None else None for one in firsts]
    if not ages or None in ages:
        return None
    return max(filter(None, firsts), key=lambda one: one.traits.max_age or 0)


def conversation_terms(expr: Expr, behind: tuple[Atom, ...] = ()) -> Iterator[tuple[Atom, ...]]:
    """The steps behind each term that brings the whole conversation."""
    if isinstance(expr, Union):
        for term in expr.terms:
            if not _is_indexed(term):
                yield from conversation_terms(term, behind)
    elif isinstance(expr, Fallback):
        yield from conversation_terms(expr.first, behind)
        yield from conversation_terms(expr.second, behind)
    elif isinstance(expr, Pipe):
        yield from conversation_terms(expr.head, (*expr.steps, *behind))
    elif isinstance(expr, Chain):
        yield (*expr.steps, *behind)
    elif isinstance(expr, Atom) and (expr.kind in BARE or _refines_blocks(expr)):
        yield (expr, *behind)
    elif isinstance(expr, Atom) and _brings_everything(expr):
        yield behind


def _asks_of_part(expr: Expr) -> bool:
    """Whether a word that knows the others by what is kept of their log is given a part of the
    conversation: of a compile that begins later, the log would tell it of more."""
    if isinstance(expr, Union):
        return any(map(_asks_of_part, expr.terms))
    if isinstance(expr, Fallback):
        return _asks_of_part(expr.first) or _asks_of_part(expr.second)
    if not isinstance(expr, Pipe):
        return False
    asks = any(step.traits.view in _LOG_VIEWS for step in expr.steps)
    is_part = not (_is_conversation(expr.head) or _brings_texts(expr.head))
    return (asks and is_part) or _asks_of_part(expr.head)


def _is_conversation(expr: Expr) -> bool:
    """Whether it brings the whole conversation, and goes on with that."""
    is_atom = isinstance(expr, Atom)
    return isinstance(expr, Chain) or (is_atom and (expr.traits.whole or expr.kind in BARE))


def _brings_everything(source: Atom) -> bool:
    """Whether a source brings the whole conversation, exchange by exchange."""
    return source.kind is Kind.SOURCE and source.traits.view == "block"


def _brings_part(expr: Expr) -> bool:
    """Whether a term brings exchanges that are not the whole conversation: what it makes of them
    is another block than the log's."""
    if isinstance(expr, Union):
        return any(map(_brings_part, expr.terms))
    if isinstance(expr, Fallback):
        return _brings_part(expr.first) or _brings_part(expr.second)
    if isinstance(expr, Pipe):
        return _brings_part(expr.head)
    if not isinstance(expr, Atom) or _brings_texts(expr):
        return False
    return isinstance(expr, Indexed) or next(conversation_terms(expr), None) is None


def _is_indexed(term: Expr) -> bool:
    """Whether a term brings what the log's indexes find."""
    while isinstance(term, Pipe):
        term = term.head
    return isinstance(term, Indexed)


def _refines_blocks(refiner: Atom) -> bool:
    """Whether it stands on the whole conversation, and looks at each exchange alone, or by what is
    known of the log."""
    return refiner.kind is Kind.REFINER and refiner.traits.view in {"block", "log"}


def is_bounded(view: View, inputs: Inputs) -> bool:
    """Whether a compile needs to look no further back than its limit reaches. What a summary in
    the log stands for is not dropped by the limit."""
    return view in {"block", "turn", "log", "least"} and not inputs.snapshot.has_summaries


def starts_of(
    view: View,
    terminal: Terminal | None,
    limit: int,
    inputs: Inputs,
    oldest: int = 0,
    indexed: Indexed | None = None,
) -> Iterator[tuple[int, int]]:
    """The exchanges from which on a compile may look, the newest first, each with its place among
    these; at last the first of all.

    Args:
        terminal: the spec's. limit: tokens of the whole request.
        oldest: the first exchange that is not too old for the spec.
        indexed: what brings all that the limit is given; None where it is the whole conversation.
    """
    snapshot = inputs.snapshot
    first = snapshot.preamble
    if view == "fold" and (known := _known_until(terminal, limit, inputs)) > first:
        yield 0, known
    if view == "step" and terminal is not None and not snapshot.has_summaries:
        yield from ((0, place) for place in _step_starts(terminal, limit, inputs))
    if view == "near" and terminal is not None and not snapshot.has_summaries:
        yield from enumerate(_near_starts(terminal, limit, inputs))
    if is_bounded(view, inputs):
        for place, multiple in enumerate(MULTIPLES):
            if view == "least" and multiple < SHORT:
                continue
            start = _newest(limit * multiple // 100, inputs, indexed)
            start = max(first, start - start % GRAIN)
            if view == "turn" and start > first:
                start = max(first, snapshot.turn_start(snapshot.log.turn_of(start)))
            if start <= max(first, oldest):
                break
            yield place, start
        if oldest > first:
            yield len(MULTIPLES), oldest
    yield len(MULTIPLES), first


def _near_starts(terminal: Terminal, limit: int, inputs: Inputs) -> Iterator[int]:
    """Where what a limit by layers looks at may begin. It follows from the log alone: what is told
    of turns that left is told of those behind it."""
    snapshot, layers = inputs.snapshot, terminal.layers
    stop = min(inputs.settled, snapshot.exchange_count - 1)
    if layers is not None:
        limit = min(limit, window_of(layers.max_tokens, snapshot.state) or limit)
    if stop <= snapshot.preamble:
        return
    tokens = tokens_between(snapshot.preamble, stop, inputs)
    for multiple in NEAR:
        span = multiple * limit
        if tokens < 2 * span:
            return
        before = (tokens // span - 1) * span
        place = place_of(before, stop, inputs)
        if place > snapshot.preamble:
            yield place


def _known_until(terminal: Terminal | None, limit: int, inputs: Inputs) -> int:
    """The first exchange that the terminal's fold does not know."""
    from contextwright.compiler.steps.stepped import known_until

    stages = terminal.stages if terminal is not None else ()
    folds = [stage for stage in stages if isinstance(stage, FoldHistory)]
    return known_until(folds[0], limit, inputs) if len(folds) == 1 else 0


def _step_starts(terminal: Terminal, limit: int, inputs: Inputs) -> Iterator[int]:
    """Where a compile may begin that is given what came since the newest step: at that, where it is
    known; else so far back that it lies behind, until a request turned out to have none."""
    snapshot, name = inputs.snapshot, (terminal, limit)
    table, place = table_of(name, inputs), known_place(name, inputs)
    is_known = place > 0
    if not is_known and not table.known(NO_STEP):
        place = _newest(limit, inputs, None)
    if snapshot.preamble < place < snapshot.exchange_count:
        yield place
        if not is_known:
            table[NO_STEP] = True  # nothing came of it


def _newest(tokens: int, inputs: Inputs, indexed: Indexed | None) -> int:
    """The first of the newest exchanges that take so many tokens, whole; of those that a word
    finds, where it brings no others."""
    snapshot = inputs.snapshot
    start, size = min(snapshot.exchange_count, inputs.settled), PAGE
    if indexed is None and (known := newest_of(tokens, start, inputs)) is not None:
        return known
    while start > snapshot.preamble:
        page = max(snapshot.preamble, start - size)
        matching = (
            snapshot.exchanges(page, start)
            if indexed is None
            else indexed.matching(page, start, inputs)
        )
        for block in reversed(inputs.blocks(matching, SOURCE)):
            tokens -= inputs.cost(block)
            if tokens <= 0:
                return block.order
        start, size = page, 2 * size
    return start


def is_sure(start: int, assembled: Blocks, sent: Blocks, drop: LimitStage, inputs: Inputs) -> bool:
    """Whether what lies before `start` would have been dropped: the oldest that came from there on
    were, though nothing but their age spoke against them; and of what lies before it nothing had
    to stay when the limit's step was taken.

    Args:
        assembled: the blocks before the limit; sent: those that it left. drop: what it dropped by.
    """
    since = drop.protection.exchanges - inputs.protection.exchanges
    if any(inputs.snapshot.preamble <= at < start for at in since):
        return False
    may_drop = inputs.protection.may_drop
    old = (block.order for block in assembled if block.order >= start and may_drop(block))
    oldest = set(islice(old, SURE))
    return len(oldest) == SURE and oldest.isdisjoint(block.order for block in sent)
