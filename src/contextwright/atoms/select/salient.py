"""`C.salient(...)`: what is worth keeping scores more (cooling-and-forgetting.md#salience)."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import ClassVar

import msgspec

from contextwright.blocks.block import SCORE_ONE, Block, Blocks
from contextwright.errors import SpecError
from contextwright.retrieval.features import Features, about, features
from contextwright.retrieval.salience import (
    FACTORS,
    RECENCY,
    RECURRING,
    FactorValues,
    Salience,
    SalienceContext,
    any_of,
    shares,
)
from contextwright.session.event import ToolCall
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Traits

Recency = Callable[[int], float]
"""From an age in turns to 0..1."""


class Salient(Atom, frozen=True, kw_only=True):
    """Exchanges that are salient enough, with their salience as score; what comes after uses it:
    `C.budget(..., overflow="truncate_lowest_priority")` and every other word that goes by score.

    The score is a weighted mean of four factors from 0 to 1: recency, 2^(-age / half_life);
    entity, 1 for one of `entities`, else half of what is left for each thing (identifier, path,
    name, number) that recurs among the blocks; user_reference, 1 for what the user said or what
    speaks to the user, else the share of the words of what was asked last; structural, 1 for
    what begins with a heading, code or a marker.

    What is protected, and what has not settled yet, stays in any case.

    Args:
        min_score: 0 to 1; what scores less is left out.
        entities: names that always count, whole words, whatever their case.
        recency, entity, user_reference, structural: weights, divided by their sum; by default
            the document's.
        half_life: turns after which recency is a half.

    Raises:
        SpecError: a negative weight, none above 0, or a `min_score` that is no score.
    """

    word: ClassVar[str] = "salient"
    kind: ClassVar[Kind] = Kind.REFINER
    verb: ClassVar[Verb] = Verb.SELECT

    min_score: int | float = 0
    entities: tuple[str, ...] = ()
    recency: int | float = 0.3
    entity: int | float = 0.3
    user_reference: int | float = 0.2
    structural: int | float = 0.2
    half_life: int | float = 10

    def __post_init__(self) -> None:
        if self.half_life <= 0 or not 0 <= self.min_score <= 1:
            raise SpecError(
                "half_life is above 0, min_score between 0 and 1",
                where=repr(self),
                fix="C.salient(min_score=0.3, half_life=10)",
            )
        self._shares()

    @property
    def traits(self) -> Traits:
        """With the session grows what is salient in it."""
        return Traits(bounded=False)

    def over(self, inputs: Inputs) -> Blocks:
        """The whole conversation."""
        snapshot = inputs.snapshot
        return inputs.blocks(snapshot.exchanges(snapshot.preamble), "salient")

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks that are salient enough, scored."""
        least = self.min_score * SCORE_ONE
        return tuple(
            msgspec.structs.replace(block, score=score)
            for block, score in zip(blocks, self.scores(blocks, inputs), strict=True)
            if score >= least or always(block, inputs)
        )

    def scores(
        self,
        blocks: Blocks,
        inputs: Inputs,
        *,
        turn: int = -1,
        recency: Recency | None = None,
        query: str = "",
    ) -> list[int]:
        """The salience of each block, in millionths.

        Args:
            turn: the turn as of which they are judged; by default the running one. Later blocks
                tell nothing about those before.
            recency: another shape of it than `half_life`.
            query: what was asked, if not what the user said last among the blocks.
        """
        turn = inputs.snapshot.turn if turn < 0 else turn
        traits = [*map(inputs.memo.computed("features", _features), blocks)]
        weights = self._shares()
        w_recency, w_entity, w_user, w_structural = (weights[name] for name in FACTORS)
        scores: list[int] = []
        context = self._context(blocks, traits, turn, query)
        for _, values in self._judged(blocks, traits, context, turn, recency or self._recency):
            score = w_structural * values.structural + w_recency * values.recency
            score += w_entity * values.entity + w_user * values.user_reference
            scores.append(min(SCORE_ONE, round(SCORE_ONE * score)))
        return scores

    def explained(self, blocks: Blocks, turn: int) -> list[Salience]:
        """The salience of each block as of a turn, factor by factor."""
        traits, weights = [*map(_features, blocks)], self._shares()
        context = self._context(blocks, traits, turn, "")
        judged = self._judged(blocks, traits, context, turn, self._recency)
        return [
            context.explained(weights, values, has, known)
            for has, (known, values) in zip(traits, judged, strict=True)
        ]

    def _context(
        self, blocks: Blocks, traits: Sequence[Features], turn: int, query: str
    ) -> SalienceContext:
        """What the blocks are judged against, as of a turn."""
        counts = Counter(
            chain.from_iterable(
                has.entities
                for block, has in zip(blocks, traits, strict=True)
                if block.turn <= turn
            )
        )
        recurring = frozenset(name for name, count in counts.items() if count >= RECURRING)
        terms = about(query) if query else _last_question(blocks, traits, turn)
        return SalienceContext(any_of(self.entities), recurring, terms)

    def _judged(
        self,
        blocks: Blocks,
        traits: Sequence[Features],
        context: SalienceContext,
        turn: int,
        recency: Recency,
    ) -> Iterator[tuple[list[str], FactorValues]]:
        """The known names of each block and its factors."""
        by_age = cache(lambda age: recency(max(0, age)))
        for block, has in zip(blocks, traits, strict=True):
            known = context.known_in(_text(block)) if self.entities else []
            new = RECENCY if block.turn < 0 else by_age(turn - block.turn)
            yield known, context.values(has, known, new, by_user=block.role == "user")

    def _recency(self, age: int) -> float:
        return 2.0 ** (-age / self.half_life)

    def _shares(self) -> dict[str, float]:
        return shares({name: getattr(self, name) for name in FACTORS})


SALIENT = Salient()
"""With the document's weights."""


def always(block: Block, inputs: Inputs) -> bool:
    """Whether a block stays whatever it scores (rules.md#what-stays)."""
    return block.order >= inputs.settled or bool(inputs.protection.keep_reason(block))


def with_their_turns(blocks: Blocks, scores: Sequence[int]) -> list[tuple[int, int]]:
    """Keys by which blocks leave, the lowest first: what the user said after all of its turn, so
    that no answer stays without its question."""
    best: dict[int, int] = {}
    for block, score in zip(blocks, scores, strict=True):
        best[block.turn] = max(score, best.get(block.turn, 0))
    return [
        (best[block.turn], 1) if block.role == "user" else (score, 0)
        for block, score in zip(blocks, scores, strict=True)
    ]


def _features(block: Block) -> Features:
    return features(_text(block))


def _text(block: Block) -> str:
    """What it says, and what its calls ask for."""
    calls = (
        f"{part.name} {part.arguments}"
        for message in block.messages
        for part in message.parts
        if isinstance(part, ToolCall)
    )
    return "\n".join((block.plain_text, *calls))


def _last_question(blocks: Blocks, traits: Sequence[Features], turn: int) -> frozenset[str]:
    """The words of what the user said last, up to a turn."""
    for block, has in zip(reversed(blocks), reversed(traits), strict=True):
        if block.role == "user" and block.turn <= turn:
            return has.words
    return frozenset()
