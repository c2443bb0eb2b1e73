"""What words make of the log that look at one exchange alone (`Traits.maps`): a limit that knows
the log from before goes on from what they made of it, as from the log itself (rules.md#horizon)."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING
from weakref import ref

from msgspec import structs

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.change import Change
from contextwright.compiler.stood_for import is_within
from contextwright.compiler.token_sums import SOURCE
from contextwright.session.exchange import Exchange
from contextwright.session.log import Log
from contextwright.spec.expr import Atom
from contextwright.spec.front_words import FrontWords
from contextwright.spec.inputs import Inputs
from contextwright.spec.log_part import Span
from contextwright.spec.logged_prefix import PLACE
from contextwright.spec.word_roles import Guard

if TYPE_CHECKING:
    from contextwright.compiler.trace import Tracer

PAGE, MORE = 64, 4
"""Exchanges that are made at once where nobody knows how many it takes; and the part of those so
far that are made next, where that is more."""


def maps(terms: list[tuple[Atom, ...]]) -> bool:
    """Whether each exchange of the conversation stands in its place, as the steps behind the terms
    that bring it make it by itself. What two terms make of one is the better of both."""
    if not any(terms):
        return bool(terms)
    return len(terms) == 1 and all(step.traits.maps for step in terms[0])


def is_redacted(inputs: Inputs) -> bool:
    """Whether words between the log and the limit redact what it says, and do nothing else: they
    leave about as much as came."""
    return bool(inputs.mapping) and all(isinstance(word, Guard) for word in inputs.mapping)


def mapped(exchanges: list[Exchange], inputs: Inputs, source: str = SOURCE) -> Blocks:
    """The blocks of exchanges as they are given to the limit."""
    blocks = inputs.blocks(exchanges, source)
    for word in inputs.mapping:
        blocks = word.apply(blocks, inputs)
    return blocks


def mapped_at(index: int, inputs: Inputs, source: str = SOURCE) -> Blocks:
    """The block of one exchange as it is given to the limit."""
    return mapped(inputs.snapshot.exchanges(index, index + 1), inputs, source)


def with_front(inputs: Inputs) -> Inputs:
    """The inputs of one who asks a model about what the words leave."""
    return structs.replace(inputs, in_front=front_words(inputs))


def front_words(inputs: Inputs) -> FrontWords | None:
    """The words; None where they do no more than to redact, so that what they leave is what may be
    read of the log."""
    words = [repr(word) for word in inputs.mapping if not isinstance(word, Guard)]
    if not words:
        return None

    def left_of(exchanges: list[Exchange], source: str) -> Blocks:
        return mapped(exchanges, inputs, source)

    return FrontWords("\n".join(words), left_of)


def final_until(inputs: Inputs) -> int:
    """The first exchange of which the words may make something else by and by, though nothing
    holds it: it has not settled, or is too young."""
    ages = (word.traits.min_age for word in inputs.mapping)
    first_within = inputs.snapshot.first_within
    return min([inputs.settled, *(first_within(age - 1) for age in ages if age is not None)])


class MappedPrefix:
    """What the words make of the exchanges of one log behind its instruction, from the first that
    was asked for on, and their tokens summed. They grow at both ends; what was too young, or held,
    is made again.

    Args:
        source: what brings them.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._log: ref[Log] | None = None
        self._begin(0, 0)

    def _begin(self, preamble: int, first: int) -> None:
        self._preamble, self._first, self._final, self._joins = preamble, first, 0, 0
        self._held: frozenset[int] = frozenset()
        self._blocks: list[Block] = []
        self._sums = array("q", [0])
        self._newest: tuple[int, Blocks] = first, ()

    @property
    def held_bytes(self) -> int:
        """What places and sums take; the blocks are counted where they are kept."""
        return 2 * PLACE * len(self._sums) + PLACE * len(self._newest[1])

    def between(self, start: int, stop: int, inputs: Inputs) -> Blocks:
        """The blocks from an exchange up to another; the very same object as long as they are the
        same.

        Args:
            stop: at most the newest exchange, which may still grow.
        """
        self._follow(start, stop, inputs)
        at, known = self._newest
        if at != start or len(known) != stop - start:
            known = tuple(self._blocks[start - self._first : stop - self._first])
            self._newest = start, known
        return known

    def sums(self, start: int, stop: int, inputs: Inputs) -> Sequence[int]:
        """Tokens that so many of the exchanges from `start` up to `stop` take in a request."""
        self._follow(start, stop, inputs)
        before = self._sums[start - self._first]
        sums = self._sums[start - self._first : stop - self._first + 1]
        return [tokens - before for tokens in sums] if before else sums

    def exceeds(self, tokens: int, stop: int, inputs: Inputs) -> int | None:
        """The newest exchange from which on those in front of `stop` take more than so many tokens
        in a request; None where all of them do not. No more are made than it takes to tell."""
        first, size = inputs.snapshot.preamble, PAGE
        while True:
            start = max(first, stop - size)
            sums = self.sums(start, stop, inputs)
            if sums[-1] > tokens:
                return start + bisect_left(sums, sums[-1] - tokens) - 1
            if start == first:
                return None
            size += max(PAGE, size // MORE)

    def _follow(self, start: int, stop: int, inputs: Inputs) -> None:
        log, preamble = inputs.snapshot.log, inputs.snapshot.preamble
        if self._log is None or self._log() is not log or preamble != self._preamble:
            self._log = ref(log)
            self._begin(preamble, start)
        self._make_again(inputs)
        if not self._blocks:
            self._first = start
        if start < self._first:
            older = mapped(inputs.snapshot.exchanges(start, self._first), inputs, self._source)
            self._blocks[:0] = older
            self._sums = array("q", accumulate(map(inputs.cost, self._blocks), initial=0))
            self._first = start
        newer = self._first + len(self._blocks)
        if newer < stop:
            new = mapped(inputs.snapshot.exchanges(newer, stop), inputs, self._source)
            self._blocks += new
            self._sums.extend(accumulate(map(inputs.cost, new), initial=self._sums.pop()))
        self._final, self._held = final_until(inputs), inputs.protection.exchanges

    def _make_again(self, inputs: Inputs) -> None:
        """Make those again that are others now: each stands by itself, so no others are."""
        first, blocks = self._first, self._blocks
        stop, held = first + len(blocks), inputs.protection.exchanges
        joins = inputs.snapshot.log.late_joins(self._joins)
        self._joins += len(joins)
        changed = {*joins, *(self._held ^ held), *range(max(first, self._final), stop)}
        for index in sorted(changed):
            place = index - first
            if not first <= index < stop:
                continue
            (block,) = mapped_at(index, inputs, self._source)
            if block == blocks[place]:
                continue
            blocks[place], more = block, inputs.cost(block) - inputs.cost(blocks[place])
            self._sums[place + 1 :] = array("q", map(more.__add__, self._sums[place + 1 :]))
            if self._newest[0] <= index < self._newest[0] + len(self._newest[1]):
                self._newest = 0, ()


def mapped_until(stop: int, inputs: Inputs, source: str = SOURCE) -> Blocks:
    """The conversation up to an exchange as it is given to the limit: the very same object as long
    as nothing of it is another."""
    return mapped_between(inputs.snapshot.preamble, stop, inputs, source)


def mapped_between(start: int, stop: int, inputs: Inputs, source: str = SOURCE) -> Blocks:
    """As `mapped_until`, from an exchange on."""
    snapshot = inputs.snapshot
    if not inputs.mapping and start == snapshot.preamble:
        return inputs.until(stop, source)
    if not snapshot.begins_log:
        return mapped(snapshot.exchanges(start, stop), inputs, source)
    older = max(start, min(stop, snapshot.exchange_count - 1))
    with _prefix(inputs, source) as prefix:
        blocks = prefix.between(start, older, inputs)
    newest = mapped(snapshot.exchanges(older, stop), inputs, source)
    return (*blocks, *newest) if newest else blocks


def mapped_sums(stop: int, inputs: Inputs, source: str = SOURCE) -> Sequence[int]:
    """Tokens that so many exchanges of the conversation take, up to one that is not the newest, as
    they are given to the limit."""
    with _prefix(inputs, source) as prefix:
        return prefix.sums(inputs.snapshot.preamble, stop, inputs)


def mapped_exceeds(tokens: int, stop: int, inputs: Inputs) -> int | None:
    """The newest exchange from which on the conversation up to `stop` takes more than so many
    tokens as it is given to the limit; None where all of it does not."""
    with _prefix(inputs, SOURCE) as prefix:
        return prefix.exceeds(tokens, stop, inputs)


def _prefix(inputs: Inputs, source: str) -> AbstractContextManager[MappedPrefix]:
    key = "mapped", inputs.mapping, inputs.ports, inputs.cost, source
    return inputs.memo.growing(key, partial(MappedPrefix, source))


def record_mapping(indices: Iterable[int], inputs: Inputs, tracer: "Tracer") -> None:
    """Write down what the words make of exchanges that no term was given."""
    blocks = logged(indices, inputs)
    for word in inputs.mapping:
        after = word.apply(blocks, inputs)
        blocks = tracer.record(repr(word), blocks, after, redacts=isinstance(word, Guard))


def logged(indices: Iterable[int], inputs: Inputs, source: str = SOURCE) -> Blocks:
    """The blocks of these exchanges as the log has them."""
    return inputs.blocks(inputs.snapshot.exchanges_at(sorted(indices)), source)


def merge_mapped(spans: tuple[Span, ...], inputs: Inputs, tracer: "Tracer") -> None:
    """Of the exchanges that one entry tells as they were in the log nothing else is told, so that a
    receipt says the same whichever of them a compile looked at; what the words made of the others
    stands in front, in the order of the log."""
    steps = dict.fromkeys(map(repr, inputs.mapping))
    places = {step: place for place, step in enumerate(steps)}
    orders = tracer.orders

    def place_of(change: Change) -> tuple[int, int]:
        place = places.get(change.step, len(places))
        return place, orders[change.id] if change.step in places else 0

    rest = (change for change in tracer.changes if not is_within(orders[change.id], spans))
    tracer.changes = sorted(rest, key=place_of)
