"""What a word made of all that lies before a place, kept for as long as the place stands
(rules.md#horizon)."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.change_ranges import findings_in_ranges, left_out_beside
from contextwright.compiler.mapped_log import (
    logged,
    mapped,
    mapped_sums,
    mapped_until,
    with_front,
)
from contextwright.compiler.step_places import inputs_then
from contextwright.compiler.stood_for import StoodFor, places_among
from contextwright.compiler.token_sums import SOURCE, tokens_between
from contextwright.compiler.trace_findings import Findings
from contextwright.compiler.word_at_step import WordAtStep, at_step
from contextwright.compiler.words_in_front import (
    in_order_of,
    made_to_fit,
    record_front,
    without_merged,
)
from contextwright.session.exchange import Exchange
from contextwright.spec.expr import Atom, Expr
from contextwright.spec.inputs import Inputs
from contextwright.spec.task import Answer, TakenAnswers
from contextwright.spec.word_roles import (
    Abstract,
    ConversationWindow,
    Divided,
    DividedLog,
    Indexed,
    LogSelector,
    OfLog,
    OldestFirst,
)

if TYPE_CHECKING:
    from contextwright.compiler.trace import Tracer


Guarding = Callable[[Blocks], Blocks]
"""Runs on blocks as they are brought, before any word sees them: redaction."""


class KeptAnswers(msgspec.Struct, frozen=True, eq=False):
    """The answers that something was made with.

    Args:
        used: those that were taken; latest: of each of their series, the newest then.
    """

    used: TakenAnswers
    latest: dict[str, Answer | None]

    def hold(self, inputs: Inputs) -> bool:
        """Whether the same would be taken now."""
        known = inputs.answers
        for series, one in self.latest.items():
            if known.latest(series) is not one:
                return False
        return not self.used or all(map(known.gives, self.used.values()))


def kept_answers(used: TakenAnswers, inputs: Inputs) -> KeptAnswers:
    """Those that were taken, with what tells whether they would be again."""
    series = {answer.series for answer in used.values()} - {""}
    return KeptAnswers(used, {one: inputs.answers.latest(one) for one in sorted(series)})


def collected(inputs: Inputs) -> tuple[int, ...]:
    """How much was asked, written and noted so far: what asked for more is not kept."""
    return inputs.asked.times, len(inputs.wrote), len(inputs.notes)


class WordLeft(msgspec.Struct, frozen=True, eq=False):
    """What a word made of the conversation up to a place. `key` holds what it follows from beside
    that; findings: what is written of it; brief: the same, neighbours that were dropped in ranges;
    stepped: the steps that it had taken."""

    old: Blocks
    key: tuple[object, ...]
    blocks: Blocks
    findings: Findings
    brief: Findings
    answers: KeptAnswers
    stepped: dict[object, int]


class _Settled:
    """A word that divides the conversation where all before has settled."""

    def __init__(self, word: Divided) -> None:
        self._word = word
        self.divides = word.divides
        self.divides_at, self.is_whole = word.divides_at, word.is_whole
        self.front = self.behind = word.apply

    def holds_until(self, inputs: Inputs) -> int:
        """The last place where it may divide."""
        return min(inputs.settled, inputs.protection.edge)

    def key(self, inputs: Inputs) -> tuple[object, ...]:
        """Nothing that is not of all words."""
        return ()


_Parts = _Settled | WordAtStep


def behind_all(
    word: Atom,
    head: Expr | None,
    inputs: Inputs,
    tracer: "Tracer",
    guard: Guarding,
    front: tuple[Atom, ...] = (),
) -> Blocks | None:
    """As `in_two`, of a word behind the whole conversation, or behind what the log's indexes find
    of it.

    Args:
        head: what brings it; None for the conversation that a transform stands on by itself.
        front: the words between that and this one.
    """
    if front:
        is_all = head is None or (isinstance(head, Atom) and head.traits.whole)
        is_free = is_all and inputs.protection.compaction < 0
        return in_two(word, inputs, tracer, guard, SOURCE, front) if is_free else None
    if isinstance(head, Indexed):
        return _newest_of(head, word, inputs, tracer, guard)
    if not (isinstance(head, Atom) and head.traits.whole) or inputs.protection.compaction >= 0:
        return None
    if isinstance(word, LogSelector) and (made := _chosen(word, inputs, tracer)) is not None:
        return guard(made)
    return in_two(word, inputs, tracer, guard, SOURCE)


def _newest_of(
    head: Indexed, word: Atom, inputs: Inputs, tracer: "Tracer", guard: Guarding
) -> Blocks | None:
    """What a window leaves of what a word finds by the log's indexes, without a look at the rest:
    as of a window by itself, that was never in."""
    is_part = inputs.start > inputs.snapshot.preamble
    if not isinstance(word, ConversationWindow) or is_part or tracer.counts_steps:
        return None
    newest = head.bring_newest(word, inputs)
    return None if newest is None else guard(word.apply(newest, inputs))


def _chosen(word: LogSelector, inputs: Inputs, tracer: "Tracer") -> Blocks | None:
    """What a word chooses of the whole conversation by what the log tells of it, without a look at
    the rest; None where it has to be given that."""
    snapshot = inputs.snapshot
    is_part = max(inputs.start, inputs.oldest) > snapshot.preamble or inputs.resumes
    if is_part or snapshot.has_summaries:
        return None
    chosen = word.chosen(inputs, SOURCE)
    if chosen is None:
        return None
    if tracer.counts_steps or not inputs.is_sole:
        # each that is left out has an entry of its own: another term may bring it
        return tracer.record(repr(word), inputs.conversation(SOURCE), chosen)
    tracer.take(left_out_beside(chosen, repr(word), inputs))
    return chosen


def in_two(
    word: Atom,
    inputs: Inputs,
    tracer: "Tracer",
    guard: Guarding,
    source: str | None = None,
    front: tuple[Atom, ...] = (),
) -> Blocks | None:
    """What a word makes of the conversation, with no more to its left: of what lies before a place
    once, of the rest at every turn. None where it does not say so of itself, or where what it
    stands on is not the conversation as the log has it.

    Args:
        guard: what redacts blocks as they are brought, and writes it down.
        source: what brings the conversation; what the word stands on by itself, if None.
        front: words in front of it, which look at each exchange alone.
    """
    snapshot = inputs.snapshot
    parts = _Settled(word) if isinstance(word, Divided) else at_step(word)
    if parts is None or tracer.counts_steps:
        return None
    if snapshot.has_summaries or inputs.start > snapshot.preamble:
        return None
    first, source = snapshot.preamble, parts.divides if source is None else source
    ground = replace(inputs, mapping=(*inputs.guards, *front))
    place = parts.divides_at(ground, _tokens(ground, source))
    if place <= first or not snapshot.begins_log:
        return None
    is_history = place <= parts.holds_until(inputs)
    left = _of_log(word, place, source, ground, front, tracer, settled=is_history)
    if left is None:
        if not is_history:
            return None
        before = _before(word, parts, place, source, ground, front)
        left = _left(word, parts, before, source, ground, front, tracer)
    newer = mapped(snapshot.exchanges(place), ground, source)
    if not parts.is_whole(left.blocks, newer, inputs):
        count = snapshot.exchange_count
        left = _of_log(word, count, source, ground, front, tracer, settled=False)
        if left is None:
            return None
        newer = ()
    after = parts.behind(newer, inputs) if newer else ()
    if inputs.guards:
        guard(logged(places_among((*left.blocks, *after)), inputs, source))
    since = len(tracer.changes)
    tracer.take(left.brief if inputs.is_sole else left.findings)
    if front:
        plain = mapped(snapshot.exchanges(place), replace(inputs, mapping=inputs.guards), source)
        record_front(front, plain, inputs, tracer)
        tracer.changes[since:] = in_order_of(front, tracer.changes[since:])
    inputs.used.update(left.answers.used)
    inputs.stepped.update(left.stepped)
    return (*left.blocks, *_recorded(word, newer, after, source, tracer))


def _before(
    word: Atom,
    parts: _Parts,
    place: int,
    source: str,
    inputs: Inputs,
    front: tuple[Atom, ...],
) -> Blocks:
    """What a word is given of the part in front. Of an exchange that it has no room for, whatever
    the words in front of it leave of that, they make nothing: it goes as it came."""
    shortener = front[0] if len(front) == 1 and inputs.mapping == front else None
    is_told = isinstance(shortener, Abstract) and inputs.is_sole and source == SOURCE
    if not (isinstance(word, OldestFirst) and isinstance(parts, WordAtStep) and is_told):
        return mapped_until(place, inputs, source)
    assert isinstance(shortener, Abstract)
    logged, protection, age = (
        inputs.until(place, SOURCE),
        inputs.protection,
        shortener.traits.min_age,
    )
    # what the word in front leaves of each goes by these, until it has settled and is old enough
    young = place if age is None else inputs.snapshot.first_within(age - 1)
    ends = (min(place, end) for end in (inputs.settled, protection.edge, young))
    now = (*ends, protection.exchanges, inputs.reading())
    key = (parts.most(), *now, *parts.key(inputs))
    table = inputs.memo.table(("fits", front, word, inputs.cost_id))
    known: tuple[Blocks, object, Blocks] | None = table.known("")
    if known is None or known[0] is not logged or known[1] != key:
        then = inputs_then(place, inputs)
        made = made_to_fit(logged, shortener, parts.most(), inputs, then)
        known = table[""] = logged, key, made
    return known[2]


def is_chosen(made: Blocks, old: Blocks, inputs: Inputs) -> bool:
    """Whether blocks are some of the conversation as they were, and all others may go."""
    left, same = {*map(id, old)}, {*map(id, made)}
    if not made or len(made) == len(old) or not same <= left:
        return False
    return inputs.protection.frees([block for block in old if id(block) not in same])


def _tokens_of_all(inputs: Inputs, source: str) -> Callable[[int], int]:
    """As `_tokens`, with the newest."""
    last, tokens = inputs.snapshot.exchange_count - 1, _tokens(inputs, source)
    newest = sum(map(inputs.cost, mapped(inputs.snapshot.exchanges(last), inputs, source)))
    return lambda stop: tokens(stop) + (newest if stop > last else 0)


def _tokens(inputs: Inputs, source: str) -> Callable[[int], int]:
    """What the conversation up to an exchange takes, but for the newest."""
    first, last = inputs.snapshot.preamble, inputs.snapshot.exchange_count - 1
    is_own = inputs.mapping or (inputs.tells_sources and source != SOURCE)
    if not is_own or last <= first or not inputs.snapshot.begins_log:
        return lambda stop: tokens_between(first, stop, inputs)
    # of who does not ask, nothing is made
    sums = cache(partial(mapped_sums, last, inputs, source))
    return lambda stop: sums()[stop - first]


def _recorded(word: Atom, before: Blocks, after: Blocks, source: str, tracer: "Tracer") -> Blocks:
    """What a word made of blocks, written down."""
    record = tracer.record if source == SOURCE else tracer.selected
    return record(repr(word), before, after)


def _of_log(
    word: Atom,
    place: int,
    source: str,
    inputs: Inputs,
    front: tuple[Atom, ...],
    tracer: "Tracer",
    *,
    settled: bool,
) -> WordLeft | None:
    """What a word makes of what lies in front of a place, as it tells that from the log; None where
    it has to be given the blocks. Of what has not settled yet only one tells it that chooses."""
    if not isinstance(word, DividedLog) or not (settled or word.chooses):
        return None
    leaves_out = word.chooses and source == SOURCE
    if word.chooses and (inputs.mapping or inputs.tells_sources):
        return None  # they are made already, as their tokens had to be counted
    if leaves_out and not inputs.is_sole:
        return None  # each that is left out has an entry of its own
    if front and not inputs.is_sole:
        return None  # what words in front made of each has an entry of its own
    used, stepped = TakenAnswers(), dict[object, int]()
    own = replace(inputs, used=used, stepped=stepped)
    is_all = place == inputs.snapshot.exchange_count
    plain = replace(inputs, mapping=inputs.guards) if front else inputs
    tokens = (_tokens_of_all if is_all else _tokens)(plain, source)
    made = word.front_of_log(place, source, with_front(own) if front else own, tokens)
    if made is None:
        inputs.used.update(used)  # a replay asks for what told it so
        return None
    table = inputs.memo.table(("word left", word, source, inputs.cost_id, inputs.ports))
    part = "all" if is_all else "log"
    known: WordLeft | None = table.known(part)
    key = place, inputs.protection.exchanges
    if word.chooses and known is not None and known.old is made.blocks and known.key == key:
        return known
    if leaves_out:
        findings = left_out_beside(made.blocks, repr(word), inputs, place)
    else:
        attempt = tracer.attempt()
        if front:  # of what one summary stands for only that is told
            record_front(front, mapped(_exchanges_of(made, inputs), plain, source), inputs, attempt)
        attempt.selected(repr(word), (), made.blocks, told_by(made))
        findings = attempt.findings()
    answers = kept_answers(used, inputs)
    left = WordLeft(made.blocks, key, made.blocks, findings, findings, answers, stepped)
    if word.chooses and not tracer.is_moot():
        table[part] = left
    return left


def _exchanges_of(made: OfLog, inputs: Inputs) -> list[Exchange]:
    """The exchanges that stand beside a summary of others."""
    return inputs.snapshot.exchanges_at([b.order for b in made.blocks if b.order >= 0])


def told_by(made: OfLog) -> Mapping[Block, StoodFor]:
    """What the summary among what a word made of the log stands for."""
    none: frozenset[Block] = frozenset()
    return {
        block: StoodFor(none, frozenset(), made.spans, made.tokens)
        for block in made.blocks
        if made.spans and block.order < 0
    }


def _left(
    word: Atom,
    parts: _Parts,
    old: Blocks,
    source: str,
    inputs: Inputs,
    front: tuple[Atom, ...],
    tracer: "Tracer",
) -> WordLeft:
    protection = inputs.protection
    held = frozenset(at for at in protection.exchanges if at <= old[-1].order)
    parts_key = parts.key(inputs)
    key = (held, inputs.agent, inputs.ports, inputs.cost, inputs.sign, *parts_key)
    table = inputs.memo.table(("word left", front, word, source, inputs.cost_id))
    known: WordLeft | None = table.known("")
    if known is not None and known.old is old and known.key == key and known.answers.hold(inputs):
        return known
    before, used, attempt = collected(inputs), TakenAnswers(), tracer.attempt()
    stepped = dict[object, int]()
    if front:
        plain = replace(inputs, mapping=inputs.guards)
        came = mapped_until(old[-1].order + 1, plain, source)
        if isinstance(word, OldestFirst):  # of what it has no room for they made nothing
            came = tuple([one for one, block in zip(came, old, strict=True) if one is not block])
        record_front(front, came, inputs, attempt)
    own = replace(inputs, used=used, stepped=stepped)
    made = parts.front(old, with_front(own) if front else own)
    is_logged = source == SOURCE and inputs.is_sole and not inputs.mapping
    if is_logged and is_chosen(made, old, inputs):
        blocks = made
        findings = brief = left_out_beside(made, repr(word), inputs, old[-1].order + 1)
    else:
        blocks = _recorded(word, old, made, source, attempt)
        findings = attempt.findings()
        if front and inputs.is_sole:
            findings = without_merged(findings)
        brief = findings_in_ranges(findings, inputs)
    answers = kept_answers(used, inputs)
    left = WordLeft(old, key, blocks, findings, brief, answers, stepped)
    if collected(inputs) == before and not tracer.is_moot():
        table[""] = left
    return left
