"""`C.decay(...)`: the further back, the fewer words (phased-injection.md#history-decay)."""

from collections.abc import Callable
from functools import partial
from itertools import groupby
from typing import ClassVar, Literal

from contextwright.atoms.compress.summarize import expect_size, front_told, sized, summarized
from contextwright.atoms.execution_line import concluded, folded, without_images
from contextwright.atoms.select.salient import SALIENT
from contextwright.atoms.select.window import STRIDE, stride_of
from contextwright.blocks.block import SCORE_ONE, Block, Blocks
from contextwright.errors import SpecError
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.ranges import EVERY, Ranges, ValueRange
from contextwright.spec.task import Task
from contextwright.spec.word_roles import DividedLog, OfLog

SUMMARY_TOKENS = 500
"""What the summary zone may take (phased-injection.md#history-decay), beside what still holds."""


class Decay(DividedLog, frozen=True, kw_only=True):
    """Three zones: the newest turns whole, those before them folded, the rest one summary.

    In the fold zone a tool execution is one line, or a finished turn's whole trace one line
    beside its conclusion. Old pictures become descriptions in every zone. Everything can be had
    by its ref. What is protected stays whole, and turns that are long count by their steps.

    Args:
        full: turns of the full zone; with `by="tokens"`, tokens.
        fold: turns, or tokens, of the fold zone behind it.
        by: what zones are measured in.
        summary: whether what is older becomes a summary; otherwise it stays folded.
        images: the age in turns up to which a picture is sent; an older one is described.
        subtasks: fold a finished turn's trace to one line, not each execution to its own.
        step: turns by which the zones move: while they stand, the prefix keeps its bytes. 0 for
            eight, or for twice `full` where that is less; with 1 they move at every turn, and a
            provider's cache has little of the request.
        max_tokens: of the summary; 0 for 500, and as many as the rules and decisions need that
            still hold, up to 2,000. model: who makes it.
        spare: salience (`C.salient`), 0 to 1, from which an exchange is treated as one of the
            zone before its own: whole instead of folded, folded instead of summarized; 0 for
            none. It is judged as of the border of the full zone, so it moves as the zones do.
    """

    word: ClassVar[str] = "decay"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS
    positional: ClassVar[int] = 2
    ranges: ClassVar[Ranges] = {
        "full": ValueRange(1, 16),
        "fold": ValueRange(0, 24),
        "by": EVERY,
        "images": ValueRange(1, 4),
        "step": ValueRange(0, 16),
        "max_tokens": ValueRange(100, 2000, log=True),
        "spare": ValueRange(0.0, 1.0),
    }

    full: int = 4
    fold: int = 6
    by: Literal["turns", "tokens"] = "turns"
    summary: bool = True
    images: int = 2
    subtasks: bool = False
    step: int = 0
    max_tokens: int = 0
    model: str = ""
    spare: int | float = 0

    def __post_init__(self) -> None:
        if not 0 <= self.spare <= 1:
            raise SpecError(
                f"spare is {self.spare}", where=repr(self), fix="give a salience from 0 to 1"
            )
        expect_size(self.max_tokens, self)
        if self.full < 1 or self.fold < 0 or self.images < 1 or self.step < 0:
            raise SpecError(
                f"full is {self.full}, fold {self.fold}, images {self.images}, step {self.step}",
                where=repr(self),
                fix="full and images are at least 1, fold and step at least 0",
            )

    def divides_at(self, inputs: Inputs, tokens: Callable[[int], int]) -> int:
        """In front of the fold zone, which moves by steps."""
        return self._borders((), inputs)[1] if self.by == "turns" and not self.spare else 0

    def front_of_log(
        self, stop: int, source: str, inputs: Inputs, tokens: Callable[[int], int]
    ) -> OfLog | None:
        """The summary zone, and what has to stay."""
        if not self.summary or stop > inputs.snapshot.first_within(self.images):
            return None
        seen = partial(_described, inputs=inputs)
        return front_told(stop, source, tokens, inputs, self._task, repr(self), seen)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks, each as its zone has it."""
        folds, sums = self._borders(blocks, inputs)
        blocks = self._seen(blocks, inputs)
        spared = self._spared(blocks, folds, inputs)
        old = tuple(block for block in blocks if 0 <= block.order < sums)
        middle = tuple(block for block in blocks if sums <= block.order < folds)
        rest = tuple(block for block in blocks if not 0 <= block.order < folds)
        shorter = self._folded(middle, inputs, spared)
        if not old:
            return (*_texts(rest), *shorter, *_exchange_blocks(rest))
        if not self.summary:
            return (*_texts(rest), *self._folded(old, inputs), *shorter, *_exchange_blocks(rest))
        lost = tuple(block for block in old if block not in spared) if spared else old
        made = summarized(lost, inputs, self._task, repr(self)) if lost else ()
        spared_blocks = self._folded(tuple(block for block in old if block in spared), inputs)
        exchanges = sorted((*_exchange_blocks(made), *spared_blocks), key=lambda block: block.order)
        return (*_texts(rest), *_texts(made), *exchanges, *shorter, *_exchange_blocks(rest))

    @property
    def _task(self) -> Task:
        return sized(Task(kind="summary", model=self.model), self.max_tokens, SUMMARY_TOKENS)

    def _borders(self, blocks: Blocks, inputs: Inputs) -> tuple[int, int]:
        """The first exchange of the full zone, and of the fold zone."""
        snapshot = inputs.snapshot
        oldest = snapshot.age(snapshot.preamble, 0) if snapshot.exchange_count else 0
        step = self.step or (stride_of(self.full) if self.by == "turns" else STRIDE)
        if self.by == "turns":
            folds = (oldest + 1 - self.full) // step * step
            borders = [folds, folds - self.fold]
        else:
            borders = [
                min(oldest, border) // step * step for border in self._spent(blocks, oldest, inputs)
            ]
        folds, sums = (
            snapshot.first_within(oldest - border) if border > 0 else snapshot.preamble
            for border in borders
        )
        return folds, sums

    def _spent(self, blocks: Blocks, oldest: int, inputs: Inputs) -> list[int]:
        """How far from the beginning the tokens of either zone are spent, counted as ages are."""
        spent, borders = 0, [0, 0]
        newest_first = (block for block in reversed(blocks) if block.order >= 0)
        for age, group in groupby(newest_first, key=inputs.age):
            spent += sum(map(inputs.cost, group))
            for place, room in enumerate((self.full, self.full + self.fold)):
                if spent > room and not borders[place]:
                    borders[place] = oldest - age + 1
            if all(borders):
                break
        return borders

    def _seen(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """Old pictures as descriptions, with the caption that an event's metadata has."""
        newest = inputs.snapshot.first_within(self.images)
        stays = inputs.protection.keep_reason
        described = _described(blocks, inputs)
        if described == blocks:
            return blocks
        return tuple(
            block if plain is block or block.order >= newest or stays(block) else plain
            for block, plain in zip(blocks, described, strict=True)
        )

    def _spared(self, blocks: Blocks, border: int, inputs: Inputs) -> frozenset[Block]:
        """The blocks behind the full zone that are too salient for their own."""
        if not self.spare or border < 1:
            return frozenset()
        turn = inputs.snapshot.log.turn_of(min(border, inputs.snapshot.exchange_count - 1))
        until = tuple(block for block in blocks if block.turn <= turn)
        scores = SALIENT.scores(until, inputs, "decay", turn=turn)
        return frozenset(
            block
            for block, score in zip(until, scores, strict=True)
            if 0 <= block.order < border and score >= self.spare * SCORE_ONE
        )

    def _folded(
        self, blocks: Blocks, inputs: Inputs, spared: frozenset[Block] = frozenset()
    ) -> Blocks:
        out: list[Block] = []

        def is_free(block: Block) -> bool:
            return block not in spared and inputs.protection.may_change(block)

        for free, group in groupby(blocks, key=is_free):
            members = tuple(group)
            if not free:
                out += members
            elif self.subtasks:
                for _, turn in groupby(members, key=lambda block: block.turn):
                    out += concluded(tuple(turn), inputs)
            else:
                out += inputs.memo.map(
                    ("folded", inputs.counter_id, inputs.cost),
                    members,
                    lambda block: folded(block, inputs),
                )
        return tuple(out)


def _described(blocks: Blocks, inputs: Inputs) -> Blocks:
    """The blocks, each without pictures where that is no longer."""
    plain = inputs.memo.map("without_images", blocks, lambda block: without_images(block, inputs))
    cost = inputs.cost
    return tuple(
        [
            old if new is old or cost(new) > cost(old) else new
            for old, new in zip(blocks, plain, strict=True)
        ]
    )


def _texts(blocks: Blocks) -> Blocks:
    return tuple(block for block in blocks if block.turn < 0)


def _exchange_blocks(blocks: Blocks) -> Blocks:
    return tuple(block for block in blocks if block.turn >= 0)
