"""How much of a conversation a fold knows: a compile begins to look where that ends
(rules.md#horizon)."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import chain, repeat
from typing import Any
from weakref import ref

import msgspec
from msgspec.structs import replace

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.mapped_log import mapped, mapped_at
from contextwright.compiler.steps.exchange_features import said_by, text_of
from contextwright.session.log import Log
from contextwright.spec.inputs import Inputs
from contextwright.spec.saved_fold import SavedFold, SavedPrefix
from contextwright.spec.terminal import FoldHistory


class KnownPrefix(msgspec.Struct, frozen=True, eq=False):
    """The first exchanges of a log, as the whole conversation begins with them, each as it came.

    Args:
        log: the log.
        saved: how many there are, and up to where in the log.
        held: of what words make of the log, the exchanges that something held then: they may
            make something else of them since.
    """

    log: "ref[Log]"
    saved: SavedPrefix
    held: frozenset[int] = frozenset()

    @property
    def place(self) -> int:
        """How many exchanges there are."""
        return self.saved.place

    @property
    def stop(self) -> int:
        """The exchange of the log behind the last."""
        return self.saved.stop

    @property
    def tokens(self) -> int:
        """What they would take in a request, unshortened."""
        return self.saved.tokens

    def holds(self, inputs: Inputs) -> bool:
        """Whether the log still begins so: it only grows, so nothing but a late result changes
        an exchange of before. What a framework's summary covers is no part of the conversation."""
        snapshot, log = inputs.snapshot, inputs.snapshot.log
        return (
            self.log() is log
            and snapshot.position == len(log)
            and not snapshot.has_summaries
            and all(index >= self.stop for index in log.late_joins(self.saved.joins))
        )

    def as_saved(self, saved: SavedFold, inputs: Inputs) -> "KnownPrefix | None":
        """The same exchanges as a saved fold knows them, if it is of this log; None where it knows
        others. What was saved of the same place may be of a conversation that went another way."""
        if saved.prefix is None or (saved.prefix.place, saved.prefix.stop) != (
            self.place,
            self.stop,
        ):
            return None
        own = known_by(saved, inputs)
        return own if own.holds(inputs) else None

    def as_mapped(self, blocks: Sequence[Block], inputs: Inputs) -> "KnownPrefix | None":
        """So much of it as the words between the log and the limit still make the same of.

        Args:
            blocks: what they made of it.
        """
        first, held = inputs.snapshot.preamble, inputs.protection.exchanges
        freed = sorted(index for index in self.held - held if first <= index < self.stop)
        made = blocks.made if isinstance(blocks, LoggedBlocks) else blocks.__getitem__
        known = ((n, one) for n in freed if (one := made(n - first)) is not None)
        stop = next((n for n, one in known if mapped_at(n, inputs) != (one,)), self.stop)
        if stop == first:
            return None
        saved = replace(self.saved, place=stop - first, stop=stop)
        return replace(self, saved=saved, held=held)


def prefix_of(
    raw: Blocks, at: int, place: int, known: KnownPrefix | None, inputs: Inputs
) -> KnownPrefix | None:
    """The first `place` exchanges, if each stands as the log has it, or as the words in front of
    the limit make it by itself.

    Args:
        raw: exchanges of the conversation; at: the place of the first of them.
        known: a prefix that holds; the rest is looked at.
    """
    snapshot, first = inputs.snapshot, inputs.snapshot.preamble
    start, joins, tokens = 0, 0, 0
    if known is not None:
        start, joins, tokens = known.place, known.saved.joins, known.tokens
    new = raw[start - at : place - at]
    exchanges = snapshot.exchanges(first + start, first + place)
    if snapshot.position != len(snapshot.log) or new != mapped(exchanges, inputs):
        return None
    tokens += sum(map(inputs.cost, new))
    joins += len(snapshot.log.late_joins(joins))
    saved = SavedPrefix(place, first + place, snapshot.position, joins, tokens)
    return KnownPrefix(ref(snapshot.log), saved, inputs.protection.exchanges)


def scope_of(stage: FoldHistory, limit: int, inputs: Inputs) -> str:
    """Names the limit and the target of a fold."""
    return inputs.memo.table("fold scopes").remembered((stage, limit, inputs.cost_id), _scope_of)


def _scope_of(about: tuple[FoldHistory, int, str]) -> str:
    stage, limit, cost_id = about
    return sha256(msgspec.json.encode((repr(stage), limit, cost_id))).hexdigest()[:16]


def saved_with_prefix(stage: FoldHistory, limit: int, inputs: Inputs) -> SavedFold | None:
    """The newest saved fold for this limit and target that may be of this log; whether it is,
    its content proves. None behind words that map the log: none is saved of them."""
    if inputs.goes_by_log:
        return None
    scope = scope_of(stage, limit, inputs)
    for saved in sorted(inputs.folds, key=lambda saved: -saved.place):
        prefix = saved.prefix
        if prefix is None or saved.scope != scope or saved.digest != saved.digested().digest:
            continue
        within = 0 < prefix.place <= saved.place and prefix.stop < inputs.snapshot.exchange_count
        is_later = prefix.position > inputs.snapshot.position  # of a fork, or before a rewind
        if within and not is_later and known_by(saved, inputs).holds(inputs):
            return saved
    return None


def known_by(saved: SavedFold, inputs: Inputs) -> KnownPrefix:
    """What a saved fold knows of this log, if it is of it."""
    assert saved.prefix is not None
    return KnownPrefix(ref(inputs.snapshot.log), saved.prefix)


PAGE = 64
"""Exchanges whose events are looked at in one go."""


_item = list[Any].__getitem__


class LoggedBlocks(list[Any]):
    """A conversation of which the first `count` are made of the log when they are asked for.

    Args:
        count: how many of them may be missing. blocks: those behind them.

    Attributes:
        has_gaps: whether any was ever missing.
    """

    def __init__(self, count: int, blocks: Iterable[Block] = ()) -> None:
        super().__init__(chain(repeat(None, count), blocks))
        self.has_gaps = count > 0
        self._inputs: Inputs | None = None
        self._pages: dict[int, list[tuple[str, str]]] = {}

    def release(self, start: int, stop: int, task: int) -> None:
        """Hold no longer the blocks from `start` to `stop`, each of which is as the log has it, but
        for the task, which may stand shortened."""
        self.has_gaps = True
        block = super().__getitem__(task) if start <= task < stop else None
        self[start:stop] = [None] * (stop - start)
        if block is not None:
            self[task] = block

    def read_from(self, inputs: Inputs | None) -> None:
        """What is missing is made of this log; None once its compile ends."""
        self._inputs = inputs
        self._pages.clear()

    @property
    def is_mapped(self) -> bool:
        """Whether words stand between the log and these blocks."""
        return self._inputs is not None and bool(self._inputs.mapping)

    def made(self, place: int) -> Any:
        """The block at a place; None where it is still missing, so that nothing was decided by
        what words made of it."""
        return _item(self, place)

    def words_at(self, place: int) -> tuple[str, str]:
        """Who began an exchange, and the words of that message, as they came: no block is made for
        it, and behind words it is the log's, whether one was made or not."""
        block, inputs = _item(self, place), self._inputs
        if block is not None:
            if inputs is None or not inputs.mapping or block.order < 0:
                return said_by(block)
            place = block.order - inputs.snapshot.preamble
        number, at = divmod(place, PAGE)
        page = self._pages.get(number)
        return (self._read(number) if page is None else page)[at]

    def _read(self, number: int) -> list[tuple[str, str]]:
        """Who said what on a page: several features are looked for in it."""
        assert self._inputs is not None, "a compile runs"
        snapshot = self._inputs.snapshot
        start = snapshot.preamble + number * PAGE
        begins = [events[0] for events in snapshot.log.events_of(start, start + PAGE)]
        page = self._pages[number] = [(one.role, text_of(one.role, one.parts)) for one in begins]
        return page

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            blocks = _item(self, place)
            if None not in blocks:
                return blocks
            return list(map(self.__getitem__, range(*place.indices(len(self)))))
        block = _item(self, place)
        if block is None and self._inputs is not None:
            (block,) = mapped_at(self._inputs.snapshot.preamble + place, self._inputs)
            self[place] = block
        return block

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(len(self)))
