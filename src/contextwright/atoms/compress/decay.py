"""`C.decay(...)`: the further back, the fewer words (document 003, "Progressive History Decay")."""

from itertools import groupby
from typing import ClassVar, Literal

from contextwright.atoms.compress.folding import concluded, folded, without_images
from contextwright.atoms.compress.summarize import summarized
from contextwright.atoms.guard import untouchable
from contextwright.blocks.block import Block, Blocks
from contextwright.errors import SpecError
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.task import Task

SUMMARY_TOKENS = 500
"""What the summary zone may take (document 003)."""


class Decay(Atom, frozen=True, kw_only=True):
    """Three zones: the newest turns whole, those before them folded, the rest one summary.

    In the fold zone a tool execution is one line, or a finished turn's whole trace one line
    beside its conclusion. Old pictures become descriptions in every zone. Everything can be had
    by its ref. The running turn is always whole.

    Args:
        full: turns of the full zone; with `by="tokens"`, tokens.
        fold: turns, or tokens, of the fold zone behind it.
        by: what zones are measured in.
        summary: whether what is older becomes a summary; otherwise it stays folded.
        images: turns after which a picture is described.
        subtasks: fold a finished turn's trace to one line, not each execution to its own.
        step: turns by which the zones move: while they stand, the prefix keeps its bytes.
        max_tokens: of the summary. model: who makes it.
    """

    word: ClassVar[str] = "decay"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS

    full: int = 4
    fold: int = 6
    by: Literal["turns", "tokens"] = "turns"
    summary: bool = True
    images: int = 2
    subtasks: bool = False
    step: int = 1
    max_tokens: int = SUMMARY_TOKENS
    model: str = ""

    def __post_init__(self) -> None:
        if self.full < 1 or self.fold < 0 or self.images < 1 or self.step < 1:
            raise SpecError(
                f"full is {self.full}, fold {self.fold}, images {self.images}, step {self.step}",
                where=repr(self),
                fix="give a full zone, images and a step of at least 1, a fold zone of at least 0",
            )

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks, each as its zone has it."""
        folds, sums = self._borders(blocks, inputs)
        blocks = self._seen(blocks, inputs)
        old = tuple(block for block in blocks if 0 <= block.turn < sums)
        middle = tuple(block for block in blocks if sums <= block.turn < folds)
        rest = tuple(block for block in blocks if not 0 <= block.turn < folds)
        shorter = self._folded(middle, inputs)
        if not old:
            return (*_texts(rest), *shorter, *_said(rest))
        if not self.summary:
            return (*_texts(rest), *self._folded(old, inputs), *shorter, *_said(rest))
        task = Task(kind="summary", model=self.model, max_tokens=self.max_tokens)
        made = summarized(old, inputs, task, repr(self))
        return (*_texts(rest), *made, *shorter, *_said(rest))

    def _borders(self, blocks: Blocks, inputs: Inputs) -> tuple[int, int]:
        """The first turn of the full zone, and of the fold zone."""
        newest = inputs.snapshot.turn
        if self.by == "turns":
            folds = (newest + 1 - self.full) // self.step * self.step
            return max(0, folds), max(0, folds - self.fold)
        spent, borders = 0, [0, 0]
        by_turn = groupby(reversed([b for b in blocks if b.turn >= 0]), key=lambda b: b.turn)
        for turn, group in by_turn:
            spent += sum(map(inputs.cost, group))
            for place, room in enumerate((self.full, self.full + self.fold)):
                if spent > room and not borders[place]:
                    borders[place] = turn + 1
        folds, sums = (min(newest, border) // self.step * self.step for border in borders)
        return folds, sums

    def _seen(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """Old pictures as descriptions."""
        newest = inputs.snapshot.turn - self.images
        plain = inputs.memo.map("without_images", blocks, without_images)
        return tuple(
            old if block.turn <= newest and not block.pinned else block
            for block, old in zip(blocks, plain, strict=True)
        )

    def _folded(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        out: list[Block] = []
        for free, group in groupby(blocks, key=lambda block: not untouchable(block, inputs)):
            mine = tuple(group)
            if not free:
                out += mine
            elif self.subtasks:
                for _, turn in groupby(mine, key=lambda block: block.turn):
                    out += concluded(tuple(turn), inputs)
            else:
                out += inputs.memo.map(
                    ("folded", inputs.counter_id, inputs.cost),
                    mine,
                    lambda block: folded(block, inputs),
                )
        return tuple(out)


def _texts(blocks: Blocks) -> Blocks:
    return tuple(block for block in blocks if block.turn < 0)


def _said(blocks: Blocks) -> Blocks:
    return tuple(block for block in blocks if block.turn >= 0)
