"""`C.recent(...)`: what is new weighs more (context-algebra.md#recency)."""

from typing import ClassVar, Literal

import msgspec

from contextwright.atoms.select.salient import SALIENT
from contextwright.blocks.block import SCORE_ONE, Block, Blocks
from contextwright.errors import SpecError
from contextwright.session.snapshot import Snapshot
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.ranges import EVERY, Ranges, ValueRange
from contextwright.spec.traits import Traits
from contextwright.spec.word_roles import LogSelector


class Recent(LogSelector, frozen=True, kw_only=True):
    """Exchanges whose recency is at least `min_score`, with that recency as their score.

    With d, the age in turns, or in steps of a turn that is long: `exponential` is
    2^(-d / half_life), `linear` max(0, 1 - d / window), `step` 1 up to `window` and 0 beyond.

    Args:
        by: `recency` alone, or `salience`, whose factor recency then has this shape.
        decay: the shape.
        half_life: turns after which the exponential score is a half.
        window: turns of the linear and step shapes.
        min_score: 0 to 1; what scores less is left out.
    """

    word: ClassVar[str] = "recent"
    kind: ClassVar[Kind] = Kind.REFINER
    verb: ClassVar[Verb] = Verb.SELECT
    ranges: ClassVar[Ranges] = {
        "half_life": ValueRange(2.0, 40.0),
        "decay": EVERY,
        "window": ValueRange(3, 60),
        "min_score": ValueRange(0.01, 0.5),
        "by": EVERY,
    }

    half_life: int | float = 10
    decay: Literal["exponential", "linear", "step"] = "exponential"
    window: int = 20
    min_score: int | float = 0.1
    by: Literal["recency", "salience"] = "recency"

    def __post_init__(self) -> None:
        if self.half_life <= 0 or self.window < 1 or not 0 <= self.min_score <= 1:
            raise SpecError(
                "half_life is above 0, window at least 1 turn, min_score between 0 and 1",
                where=repr(self),
                fix="C.recent(half_life=10, min_score=0.1)",
            )

    @property
    def traits(self) -> Traits:
        """What is old enough scores too little; how salient it is, is told from the log's names."""
        if self.by == "salience":
            return Traits(bounded=True, view="log", scores=True)
        return Traits(bounded=True)

    def score(self, age: int) -> int:
        """The score of an age in turns, in millionths."""
        if self.decay == "exponential":
            return round(SCORE_ONE * 2.0 ** (-age / self.half_life))
        if self.decay == "linear":
            return max(0, round(SCORE_ONE * (1 - age / self.window)))
        return SCORE_ONE if age <= self.window else 0

    def bring(self, inputs: Inputs) -> Blocks:
        """The exchanges of the turns that are recent enough."""
        snapshot = inputs.snapshot
        if self.by == "salience":
            return self.apply(inputs.conversation("recent:salience"), inputs)
        newest = snapshot.exchanges(self._start(snapshot))
        return self.apply(inputs.blocks(newest, f"recent:{self.decay}"), inputs)

    def chosen(self, inputs: Inputs, source: str) -> Blocks | None:
        """By their age, what is new, and of the rest what must stay."""
        if self.by == "salience" or not self.min_score:
            return None
        snapshot = inputs.snapshot
        newer = inputs.brought(snapshot.preamble, self._start(snapshot), source)
        return self.apply(newer, inputs)

    def _start(self, snapshot: Snapshot) -> int:
        """The first exchange that is recent enough."""
        age, longest = 0, snapshot.age(snapshot.preamble, 0) if snapshot.exchange_count else 0
        while age < longest and self._keeps(age + 1):
            age += 1
        return snapshot.first_within(age)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks that are recent enough, scored. What has no turn passes unscored."""
        stays = inputs.protection.keep_reason
        if self.by == "salience":
            return self._salient(blocks, inputs)
        scores: dict[int, int] = {}
        out: list[Block] = []
        for block in blocks:
            if block.turn < 0:
                out.append(block)
                continue
            age = inputs.age(block)
            score = scores.get(age)
            if score is None:
                score = scores[age] = self.score(age)
            if score >= self.min_score * SCORE_ONE or stays(block):
                out.append(self._scored(block, score, inputs))
        return tuple(out)

    def recency_at(self, age: int) -> float:
        """The recency of an age in turns, 0 to 1."""
        return self.score(age) / SCORE_ONE

    def _salient(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks that are salient enough. What has no turn passes unscored."""
        least, always = self.min_score * SCORE_ONE, inputs.held_places(self, blocks)
        if inputs.asks_log(self):
            return SALIENT.as_logged(least, blocks, always, inputs, ageing=self)
        with SALIENT.judged(blocks, inputs, ageing=self) as scored:
            return scored.at_least(least, blocks, always)

    def _scored(self, block: Block, score: int, inputs: Inputs) -> Block:
        table = inputs.memo.table(("score", score))
        scored = table.get(block)
        if scored is None:
            scored = table[block] = msgspec.structs.replace(block, score=score)
        return scored

    def _keeps(self, age: int) -> bool:
        return self.score(age) >= self.min_score * SCORE_ONE and self.score(age) > 0
