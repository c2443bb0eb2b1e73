"""The blocks of a request as the steps so far leave them: all of them, or those that a fold does
not know (rules.md#horizon)."""

from bisect import bisect_left
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, compress
from operator import attrgetter

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.mapped_log import final_until, mapped, mapped_at
from contextwright.compiler.steps.decide import Decisions, Economy, economy_of
from contextwright.compiler.steps.first_look import told_prefix
from contextwright.compiler.steps.fold import Fold
from contextwright.compiler.steps.known_prefix import (
    KnownPrefix,
    known_by,
    prefix_of,
    saved_with_prefix,
    scope_of,
)
from contextwright.compiler.stood_for import (
    NO_MERGES,
    StoodFor,
    stood_for_spans,
)
from contextwright.compiler.task_framing import with_short_task
from contextwright.compiler.token_sums import tokens_between
from contextwright.spec.inputs import Inputs
from contextwright.spec.log_part import spans_between
from contextwright.spec.saved_fold import SavedPrefix
from contextwright.spec.terminal import FoldHistory

SHARE = 10
"""Percent of the space by which the room for texts grows."""
_MESSAGES, _ORDER = attrgetter("messages"), attrgetter("order")
PAGE = 64
"""Exchanges that are counted at once."""


class Stepped(msgspec.Struct, frozen=True, eq=False):
    """What steps left.

    Args:
        before: the blocks that were given, and what is sent beside them of those that were not.
        blocks: what is sent. merges: what its note stands for, where not all of it was looked at,
            or words stand in front of the limit.
    """

    before: Blocks
    blocks: Blocks
    merges: Mapping[Block, StoodFor] = NO_MERGES


def stepped(
    blocks: Blocks,
    stage: FoldHistory,
    space: int,
    limit: int,
    inputs: Inputs,
    *,
    with_merges: bool = True,
) -> Stepped:
    """The blocks as the steps so far leave them. Of a conversation that is looked at from
    `inputs.start` on, what a fold knows of the rest; where it knows too little, they stay as they
    are, and nothing is `folded`.

    Args:
        stage: how far a step goes down, and whether results are shortened early.
        space: tokens that all of them may have.
        limit: tokens of the whole request.
        with_merges: whether it is asked what the note stands for.
    """
    raw, texts = blocks, ()
    if not all(map(_MESSAGES, blocks)):
        raw = tuple(block for block in blocks if block.messages)
        texts = tuple(block for block in blocks if not block.messages)
    space = _remaining(sum(map(inputs.cost, texts)), space)
    conversation = raw
    if _is_longer(space, raw, stage, limit, inputs):
        conversation = with_short_task(raw, limit, inputs)
    if not conversation or space <= 0:
        return Stepped(blocks, blocks)
    economy = economy_of(space, limit, stage, inputs.step_prices())
    with _fold(stage, limit, inputs) as fold:
        if fold.prefix is None and inputs.start > inputs.snapshot.preamble:
            if not _has_begun(fold, stage, limit, raw, conversation, economy, inputs):
                fold.__init__()
        known = _known(fold, inputs)
        if known is None and fold.needs_log:
            fold.__init__()  # what is missing is as the log was then: it may be another by now
        newer = _newer(fold.blocks, known, conversation, texts, inputs)
        if newer is None:
            return Stepped(blocks, blocks)
        decisions = fold.decisions(newer, economy, inputs, known.place if known is not None else 0)
        if known is not None and (decisions.upto < known.place or decisions.note is None):
            return Stepped(blocks, blocks)  # it went back; or each that it dropped has its entry
        if known is not None and inputs.lessens and fold.origins.before(fold.origin) < known.place:
            return Stepped(blocks, blocks)  # what came in front of it decides something after all
        sent = (*fold.sent(decisions, inputs), *texts)
        fold.prefix = _next_prefix(fold, raw, known, inputs)
        if decisions.steps:
            prefix = _noted(fold, decisions, raw, known, inputs)
            scope = scope_of(stage, limit, inputs)
            inputs.folded.append(fold.record(decisions, prefix, scope, inputs))
        fold.release(inputs)
        is_all = known is None and not (inputs.goes_by_log and decisions.note is not None)
        if is_all or not with_merges:
            return Stepped(blocks, sent)
        looked_at = (*_with_held(raw, fold.blocks, decisions), *texts)
        note = next(block for block in sent if block.order < 0 and block.messages)
        sources = _note_sources(fold.blocks, looked_at, decisions, known, inputs)
        return Stepped(looked_at, sent, {note: sources})


def known_until(stage: FoldHistory, limit: int, inputs: Inputs) -> int:
    """The exchange from which on a compile may look; the first one where no fold is known."""
    if inputs.lessens:
        return _told_until(stage, limit, inputs)
    with inputs.memo.growing(_key(stage, limit, inputs), Fold) as fold:
        if inputs.mapping and fold.prefix is not None:
            fold.prefix = fold.prefix.as_mapped(fold.blocks, inputs)
        prefix, is_new = fold.prefix, not fold.blocks
    if prefix is None and (saved := saved_with_prefix(stage, limit, inputs)) is not None:
        prefix = known_by(saved, inputs)
    elif prefix is None and is_new:
        prefix = told_prefix(limit, inputs)
    return prefix.stop if prefix is not None and prefix.holds(inputs) else inputs.snapshot.preamble


def _told_until(stage: FoldHistory, limit: int, inputs: Inputs) -> int:
    """The same behind a word that shortens all to the least: what it makes of an exchange is no
    part of the log, so the fold begins anew as soon as the place moves that the log tells."""
    prefix = told_prefix(limit, inputs)
    if prefix is None or not prefix.holds(inputs):
        return inputs.snapshot.preamble
    late = msgspec.structs.replace(inputs, start=prefix.stop)
    with inputs.memo.growing(_key(stage, limit, late), Fold) as fold:
        known = fold.prefix
        if known is None or known.stop != prefix.stop or not known.holds(inputs):
            fold.__init__()
    return prefix.stop


def _has_begun(
    fold: Fold,
    stage: FoldHistory,
    limit: int,
    raw: Blocks,
    conversation: Blocks,
    economy: Economy,
    inputs: Inputs,
) -> bool:
    """Whether a fold that knows nothing yet goes on from what was saved, or begins with what the
    log tells of what this compile did not look at.

    Args:
        raw: the conversation without its task in short.
    """
    if (saved := saved_with_prefix(stage, limit, inputs)) is not None:
        return fold.begin(saved, conversation, economy, inputs)
    prefix = told_prefix(limit, inputs) if not fold.blocks else None
    if prefix is None or prefix.stop != inputs.start:
        return False
    held = tuple(block for block in raw if 0 <= block.order < prefix.stop)
    if held != tuple(chain.from_iterable(mapped_at(block.order, inputs) for block in held)):
        return False
    return fold.begin_first(prefix, conversation, economy, inputs)


@contextmanager
def _fold(stage: FoldHistory, limit: int, inputs: Inputs) -> Generator[Fold]:
    """The fold of this limit, which can read what it did not look at."""
    with inputs.memo.growing(_key(stage, limit, inputs), Fold) as fold:
        fold.read_from(inputs)
        try:
            yield fold
        finally:
            fold.read_from(None)


def _key(stage: FoldHistory, limit: int, inputs: Inputs) -> tuple[object, ...]:
    # what a look at everything shortens, one from further on has as it came
    is_part = inputs.lessens and inputs.start > inputs.snapshot.preamble
    return "steps", stage, limit, inputs.cost_id, inputs.mapping, inputs.ports, is_part


def _known(fold: Fold, inputs: Inputs) -> KnownPrefix | None:
    """What a fold knows of the exchanges that this compile did not look at; None if it looked at
    all of them."""
    return fold.prefix if inputs.start > inputs.snapshot.preamble else None


def _is_longer(space: int, raw: Blocks, stage: FoldHistory, limit: int, inputs: Inputs) -> bool:
    """Whether the exchanges of the conversation have more than so many tokens, also those that
    this compile did not look at."""
    costs, start = inputs.costs(raw), inputs.start
    if sum(costs) > space:
        return True
    if start <= inputs.snapshot.preamble:
        return False
    with inputs.memo.growing(_key(stage, limit, inputs), Fold) as fold:
        known = fold.prefix
    if known is None or known.stop != start or not known.holds(inputs):
        return _exceeds(_counted(raw, inputs), space, inputs)
    older = compress(costs, map(range(start).__contains__, map(_ORDER, raw)))
    return known.tokens + sum(costs) - sum(older) > space


def _counted(raw: Blocks, inputs: Inputs) -> Iterator[Block]:
    """The exchanges of the conversation, also those that this compile did not look at."""
    snapshot, start = inputs.snapshot, max(inputs.start, inputs.snapshot.preamble)
    for page in range(snapshot.preamble, start, PAGE):
        yield from mapped(snapshot.exchanges(page, min(page + PAGE, start)), inputs)
    for block in raw:
        if not 0 <= block.order < start:
            yield block


def _newer(
    before: Sequence[Block],
    known: KnownPrefix | None,
    conversation: Blocks,
    texts: Blocks,
    inputs: Inputs,
) -> Blocks | None:
    """What came behind what is known of the conversation; None where the terms of the spec made
    something else of what is known."""
    start, first = inputs.start, inputs.snapshot.preamble
    if start <= first:
        return conversation
    if known is None or known.stop != start or any(text.turn >= 0 for text in texts):
        return None
    orders = list(map(_ORDER, conversation))
    at = bisect_left(orders, start)
    newer = conversation[at:] if orders == sorted(orders) else ()
    for block in conversation[: len(conversation) - len(newer)]:
        if not first <= block.order < start or before[block.order - first] != block:
            return None
    return newer


def _next_prefix(
    fold: Fold, raw: Blocks, known: KnownPrefix | None, inputs: Inputs
) -> KnownPrefix | None:
    """What the next compile need not look at: what the note stands for, and the one before it, to
    which a late result may lead back, as may an exchange of which words make something else."""
    if inputs.lessens:
        return known
    states, final = fold.states[-2:], len(fold.blocks)
    if inputs.mapping:
        final = max(0, final_until(inputs) - inputs.snapshot.preamble)
        states += [state for state in fold.states if state.since <= final][-2:]
    noted = [state.decisions.upto for state in states if state.decisions.upto]
    place = min(final, *noted) if noted else 0
    if known is None:
        return prefix_of(raw, 0, place, None, inputs) if place else None
    if place <= known.place:
        return known
    newer = tuple(block for block in raw if block.order >= known.stop)
    return prefix_of(newer, known.place, place, known, inputs) or known


def _noted(
    fold: Fold, decisions: Decisions, raw: Blocks, known: KnownPrefix | None, inputs: Inputs
) -> SavedPrefix | None:
    """What the newest note stands for, as it is saved: the same wherever a compile began. None
    behind words that map the log: what they make of it is not saved."""
    if inputs.goes_by_log:
        return None
    noted, log = fold.noted, inputs.snapshot.log
    if noted is None or noted.place != decisions.upto or not noted.holds(inputs):
        noted = None
        if decisions.upto and fold.prefix is not None:
            at, stop = (known.place, known.stop) if known is not None else (0, -1)
            newer = tuple(block for block in raw if block.order >= stop)
            noted = prefix_of(newer, at, decisions.upto, fold.prefix, inputs)
        fold.noted = noted
    if noted is None:
        return None
    joins = len(log.late_joins())
    return msgspec.structs.replace(noted.saved, position=len(log), joins=joins)


def _with_held(raw: Blocks, whole: Sequence[Block], decisions: Decisions) -> Blocks:
    """What was looked at, and what a step holds that nothing else does any more."""
    known = {block.order for block in raw}
    held = [whole[at] for at in decisions.held if whole[at].order not in known]
    return tuple(sorted((*raw, *held), key=lambda block: block.order)) if held else raw


def _note_sources(
    whole: Sequence[Block],
    before: Blocks,
    decisions: Decisions,
    known: KnownPrefix | None,
    inputs: Inputs,
) -> StoodFor:
    """What the note stands for: what is known, and the newer exchanges up to its step, but for
    those that are held. What words in front of the limit made of them is told by what they took
    before."""
    first, cost = inputs.snapshot.preamble, inputs.cost
    place, begin = (known.place, known.stop) if known is not None else (0, first)
    held = {whole[at].order for at in decisions.held if at < decisions.upto}
    newer = {whole[at].order for at in range(place, decisions.upto)} - held
    stop = max(newer, default=begin - 1) + 1
    spans = spans_between(first, stop, {*held, *(set(range(begin, stop)) - newer)})
    if inputs.goes_by_log or known is None:
        tokens = sum(tokens_between(start, stop, inputs) for start, stop in spans)
    else:
        tokens = known.tokens + sum(map(cost, [b for b in before if b.order in newer]))
        tokens -= sum(map(cost, [b for b in before if b.order in held and b.order < begin]))
    return stood_for_spans(spans, tokens, before, inputs.snapshot.log, cost)


def _remaining(texts: int, space: int) -> int:
    """What texts leave. They take their room in whole shares, so that a state that changes by a
    few tokens from turn to turn moves no step; where that leaves nothing, just what they are."""
    share = max(1, space * SHARE // 100)
    rounded = -(-texts // share) * share
    return space - (rounded if rounded < space else texts)


def _exceeds(blocks: Iterable[Block], space: int, inputs: Inputs) -> bool:
    """Whether they have more than so many tokens; counts no more of them than it takes."""
    for block in blocks:
        space -= inputs.cost(block)
        if space < 0:
            return True
    return False
