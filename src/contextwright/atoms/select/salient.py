"""`C.salient(...)`: what is worth keeping scores more (cooling-and-forgetting.md#salience)."""

from collections import Counter
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import ClassVar, Protocol

import msgspec

from contextwright.atoms.followed_log import followed
from contextwright.atoms.logged_names import LoggedNames
from contextwright.atoms.scored_blocks import ScoredBlocks, features_of, text_of
from contextwright.blocks.block import SCORE_ONE, Block, Blocks
from contextwright.errors import SpecError
from contextwright.memo.owned_tables import Table
from contextwright.retrieval.features import Features, features
from contextwright.retrieval.salience import (
    FACTORS,
    RECENCY,
    RECURRING,
    Salience,
    SalienceContext,
    any_of,
    shares,
)
from contextwright.retrieval.salience_table import JudgedText, kind_of, recency_of
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.ranges import Ranges, ValueRange
from contextwright.spec.traits import Traits


class Ageing(Protocol):
    """A word that says how recency falls. Equal words say the same."""

    def recency_at(self, age: int) -> float:
        """The recency of an age in turns, 0 to 1, never more for a higher age."""
        ...


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
    ranges: ClassVar[Ranges] = {
        "min_score": ValueRange(0.0, 0.8),
        "recency": ValueRange(0.05, 1.0),
        "entity": ValueRange(0.0, 1.0),
        "user_reference": ValueRange(0.0, 1.0),
        "structural": ValueRange(0.0, 1.0),
        "half_life": ValueRange(2.0, 40.0),
    }

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
        """With the session grows what is salient in it; which names recur is in a table."""
        return Traits(bounded=False, view="log", scores=True, notable=True)

    def over(self, inputs: Inputs) -> Blocks:
        """The whole conversation."""
        return inputs.conversation("salient")

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks that are salient enough, scored."""
        always = inputs.held_places(self, blocks, unsettled=True) if self.min_score else ()
        if inputs.asks_log(self):
            return self.as_logged(self.min_score * SCORE_ONE, blocks, always, inputs)
        with self.judged(blocks, inputs) as scored:
            return scored.at_least(self.min_score * SCORE_ONE, blocks, always)

    def as_logged(
        self,
        least: float,
        blocks: Blocks,
        always: Collection[int],
        inputs: Inputs,
        ageing: Ageing | None = None,
    ) -> Blocks:
        """The blocks that score at least so much among all that the log has, with their scores.

        Args:
            blocks: those of exchanges, as the log has them.
            always: places of those that stay whatever they score.
            ageing: as for `judged`.
        """
        recency = (ageing or self).recency_at
        with followed("logged names", LoggedNames, inputs) as names:
            scores = self._scores_in(names, blocks, inputs, recency)
        table = inputs.memo.table(("scored", ageing))
        return tuple(
            _scored(block, score, table)
            for place, (block, score) in enumerate(zip(blocks, scores, strict=True))
            if score >= least or place in always
        )

    def _scores_in(
        self,
        names: LoggedNames,
        blocks: Blocks,
        inputs: Inputs,
        recency_at: Callable[[int], float],
    ) -> list[int]:
        """The salience of blocks by what the log's names are."""
        names.follow(inputs)
        texts = list(map(inputs.memo.computed(("judged", self.entities), self._read()), blocks))
        newest = next((text for text in reversed(texts) if text.by_user), None)
        query = newest.features.words if newest is not None else frozenset[str]()
        turn, weights = inputs.snapshot.turn, [*map(self._shares().__getitem__, FACTORS)]
        scores: list[int] = []
        for text in texts:
            kind = kind_of(text, names.recurring(text.features))
            user = kind.user_part(len(query), len(query & text.features.words))
            scores.append(kind.score(weights, recency_of(text.turn, turn, recency_at), user))
        return scores

    def _read(self) -> Callable[[Block], JudgedText]:
        """Reads what of a block counts."""
        known = any_of(self.entities)

        def read(block: Block) -> JudgedText:
            text = text_of(block)
            is_known = known is not None and known.search(text) is not None
            return JudgedText(features(text), is_known, block.turn, block.by_user)

        return read

    def scores(
        self, blocks: Blocks, inputs: Inputs, by: str, *, turn: int = -1, query: str = ""
    ) -> Sequence[int]:
        """The salience of each block, in millionths. Arguments as for `judged`."""
        with self.judged(blocks, inputs, by, turn=turn, query=query) as scored:
            return tuple(scored.scores)

    @contextmanager
    def judged(
        self,
        blocks: Blocks,
        inputs: Inputs,
        by: str = "salient",
        *,
        ageing: Ageing | None = None,
        turn: int = -1,
        query: str = "",
    ) -> Generator[ScoredBlocks]:
        """The blocks with their salience.

        Args:
            by: whoever asks, of one sequence of blocks.
            ageing: another shape of recency than `half_life`; then texts outside the conversation
                pass unscored.
            turn: the turn as of which they are judged, none of them being of a later one; by
                default the running one.
            query: what was asked, if not what the user said last among the blocks.
        """
        recency, texts_pass = (ageing or self).recency_at, ageing is not None
        key = ("salience", by, self, ageing, blocks[0].source if blocks else "")

        def make() -> ScoredBlocks:
            known = any_of(self.entities)
            return ScoredBlocks(self._shares(), recency, known, texts_pass=texts_pass)

        with inputs.memo.growing(key, make) as scored:
            scored.judge(blocks, inputs.snapshot.turn if turn < 0 else turn, query)
            yield scored

    def recency_at(self, age: int) -> float:
        """By `half_life`."""
        return 2.0 ** (-age / self.half_life)

    def explained(self, blocks: Blocks, turn: int) -> list[Salience]:
        """The salience of each block as of a turn, factor by factor. Later blocks tell nothing
        about those before."""
        traits, weights = [*map(features_of, blocks)], self._shares()
        context = self._context(blocks, traits, turn)
        rows: list[Salience] = []
        for block, has in zip(blocks, traits, strict=True):
            known = context.known_in(text_of(block))
            new = RECENCY if block.turn < 0 else self.recency_at(max(0, turn - block.turn))
            values = context.values(has, known, new, by_user=block.by_user)
            rows.append(context.explained(weights, values, has, known))
        return rows

    def _context(self, blocks: Blocks, traits: Sequence[Features], turn: int) -> SalienceContext:
        """What the blocks are judged against, as of a turn."""
        before = [
            (block, has) for block, has in zip(blocks, traits, strict=True) if block.turn <= turn
        ]
        counts = Counter(chain.from_iterable(has.entities for _, has in before))
        recurring = frozenset(name for name, count in counts.items() if count >= RECURRING)
        stems = (has.words for block, has in reversed(before) if block.by_user)
        return SalienceContext(any_of(self.entities), recurring, next(stems, frozenset()))

    def _shares(self) -> dict[str, float]:
        return shares({name: getattr(self, name) for name in FACTORS})


def _scored(block: Block, score: int, table: Table) -> Block:
    """A block with its score; the same object as before, as long as it scores the same."""
    known: Block | None = table.known(block)
    if known is None or known.score != score:
        known = table[block] = msgspec.structs.replace(block, score=score)
    return known


SALIENT = Salient()
"""With the document's weights."""


def with_their_turns(blocks: Blocks, scores: Sequence[int]) -> list[int]:
    """Keys by which blocks leave, the lowest first: what the user said after all of its turn, so
    that no answer stays without its question."""
    best: dict[int, int] = {}
    for block, score in zip(blocks, scores, strict=True):
        best[block.turn] = max(score, best.get(block.turn, 0))
    return [
        2 * best[block.turn] + 1 if block.by_user else 2 * score
        for block, score in zip(blocks, scores, strict=True)
    ]
