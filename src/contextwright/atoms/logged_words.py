"""The words that the exchanges of a log say, kept with its session: which of them answer a question
best is told from the question's words, without a look at the others."""

from collections.abc import Collection, Mapping, Sequence
from heapq import nlargest

from contextwright.atoms.followed_log import FollowedLog
from contextwright.atoms.logged_texts import logged_texts
from contextwright.blocks.block import SCORE_ONE, Block
from contextwright.blocks.transcript import transcript, transcript_of
from contextwright.retrieval.bm25 import BM25, MANY
from contextwright.retrieval.query_weights import query_terms, with_synonyms
from contextwright.retrieval.stems import Splitter
from contextwright.session.event import Event
from contextwright.spec.inputs import Inputs

EXCHANGE, WORD = 200, 24
"""Bytes of an exchange's row, and of each of its words, about."""


class LoggedWords(FollowedLog):
    """The words of a log's settled exchanges. They grow at their end; a result that comes late
    begins them anew."""

    def _begin(self) -> None:
        super()._begin()
        self._words, self._splitter = BM25(), Splitter()
        self._count = 0

    @property
    def held_bytes(self) -> int:
        """About what they take."""
        return EXCHANGE * self._stop + WORD * self._count

    def follow(self, inputs: Inputs) -> None:
        """Take in the exchanges that have settled."""
        start, stop = self.range_since(inputs)  # begins the words anew with another log
        texts = logged_texts(start, stop, _spoken, transcript_of, inputs)
        terms = list(map(self._splitter.telling, texts))
        self._count += sum(map(len, terms))
        self._words.extend(zip(range(start, stop), terms, strict=True))

    def _terms(self, block: Block) -> Sequence[str]:
        return self._splitter.telling(transcript(block))

    def best(self, query: str, count: int, held: Collection[Block]) -> dict[int, int]:
        """The exchanges that answer a query best, with their scores in millionths of the best:
        so many, of equals the newer; fewer where no more share a word with it.

        Args:
            held: settled exchanges that are none to choose from.
        """
        for block in held:
            self._words.remove(block.order, self._terms(block))
        scores = self._scores(with_synonyms(dict.fromkeys(query_terms(query), 1.0)), count)
        for block in held:
            terms = self._terms(block)
            self._words.add(block.order, terms, len(terms))
        most = max(scores.values(), default=0.0) or 1.0
        shares = [(round(score / most * SCORE_ONE), row) for row, score in scores.items()]
        best = nlargest(count, [each for each in shares if each[0] > 0])
        return {row: score for score, row in best}

    def _scores(self, weights: Mapping[str, float], count: int) -> dict[int, float]:
        """Of few exchanges all that have any of the words are scored, of many the best."""
        few = len(self._words.sizes) < MANY
        return self._words.scores(weights) if few else self._words.best(weights, count)


def _spoken(event: Event, text: str) -> str:
    """As the transcript of its block."""
    return f"{event.author or event.role}: {text}"
