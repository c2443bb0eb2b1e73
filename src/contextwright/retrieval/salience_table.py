"""The salience of texts that come one after the other, brought up to date by what changed.

A score changes where a name recurs from now on, where a text has other words of what is asked,
and, as a turn begins, where a text is young enough for its age to show. Nothing else is judged
again. What a score is made of says `retrieval.salience`.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from contextwright.retrieval.features import Features
from contextwright.retrieval.salience import FACTORS, RECENCY, RECURRING, entity_value

ONE = 1_000_000
"""Scores are whole millionths."""
ROWS = 4_096
"""Kinds of texts whose scores by age are remembered."""
TEXT, NAME, PLACE = 150, 200, 9
"""Bytes of a text's row, of a name or a word, and of a word's place."""
NEVER = 1 << 62
"""An age that nothing has."""


class JudgedText(NamedTuple):
    """What of a text counts: its features, whether it has a name that always counts, its turn,
    -1 for none, and whether the user said it."""

    features: Features
    is_known: bool
    turn: int
    by_user: bool


class TextKind(NamedTuple):
    """Texts whose scores differ by their age and by what is asked alone."""

    structural: float
    names: int  # that recur
    is_known: bool
    to_user: bool
    is_placed: bool

    def user_part(self, words: int, hits: int) -> float:
        """How much it is the user's, with so many of the query's words."""
        return 1.0 if self.to_user else hits / words if hits else 0.0

    def score(self, weights: Sequence[float], recency: float, user: float) -> int:
        """In millionths, by weights in the order of `FACTORS`."""
        w_recency, w_entity, w_user, w_structural = weights
        score = w_structural * self.structural + w_recency * recency
        score += w_entity * entity_value(self.names, known=self.is_known) + w_user * user
        return min(ONE, round(ONE * score))


def kind_of(text: JudgedText, names: int) -> TextKind:
    """The kind of a text of which so many names recur."""
    has = text.features
    to_user = text.by_user or has.refers
    return TextKind(has.structural, names, text.is_known, to_user, text.turn >= 0)


def recency_of(turn: int, running: int, recency: Callable[[int], float]) -> float:
    """How new a text of a turn is, 0 to 1: neither new nor old, if it has none."""
    return min(1.0, max(0.0, recency(max(0, running - turn)))) if turn >= 0 else RECENCY


class _ByAge(dict[int, int]):
    """The scores of texts by age.

    Args:
        kind: of what kind they are.
        user: how much of what is asked they have.
    """

    __slots__ = ("kind", "oldest", "settled", "user")

    def __init__(self, kind: TextKind, user: float) -> None:
        super().__init__()
        self.kind, self.user = kind, user
        self.oldest = 0
        """The score of an age that shows no more."""
        self.settled = NEVER
        """The least age that is known to show no more: no higher one does."""


class SalienceTable:
    """Scores of texts by their places, the last to come the first to leave.

    Args:
        weights: shares of 1, by factor.
        recency: from an age in turns to 0..1, never more for a higher age.
    """

    def __init__(self, weights: Mapping[str, float], recency: Callable[[int], float]) -> None:
        self._weights = tuple(weights[name] for name in FACTORS)
        self._recency = recency
        self.scores: list[int] = []
        """In millionths, as they were judged last. Not to be changed by others."""
        self._turns = array("q")
        self._kind_of = array("q")
        self._kinds: list[TextKind] = []
        self._numbers: dict[TextKind, int] = {}  # kind -> its place among the kinds
        self._first: dict[str, int] = {}  # name -> the first text that has it
        self._times: dict[str, int] = {}  # name that recurs -> how many texts have it
        self._with = defaultdict[str, list[int]](list)  # word -> the texts that have it
        self._words = 0  # of all texts
        self._query: frozenset[str] = frozenset()
        self._hits: dict[int, int] = {}  # text -> how many words of the query it has
        self._turn = -1
        self._young: set[int] = set()  # texts that score less once they are older
        self._stale: set[int] = set()
        self._rows: dict[tuple[TextKind, float], _ByAge] = {}

    @property
    def held_bytes(self) -> int:
        """About what it takes."""
        names = len(self._first) + len(self._times) + len(self._with)
        return TEXT * len(self.scores) + NAME * names + PLACE * self._words

    def append(self, text: JudgedText) -> None:
        """One more text, at the end."""
        place, has = len(self.scores), text.features
        new = has.entities.difference(self._first)
        self._first.update(dict.fromkeys(new, place))
        names = len(has.entities) - len(new)
        if names:
            for name in has.entities.difference(new):
                self._count_name(name)
        self._words += len(has.words)
        texts = self._with
        for word in has.words:
            texts[word].append(place)
        if hits := len(self._query & has.words):
            self._hits[place] = hits
        self._turns.append(text.turn)
        self._kind_of.append(self._number(kind_of(text, names)))
        self.scores.append(-1)
        self._stale.add(place)

    def _count_name(self, name: str) -> None:
        """One more text has a name that another has."""
        times = self._times.get(name)
        if times is None:
            self._add_names(self._first[name], 1)
        self._times[name] = RECURRING if times is None else times + 1

    def _add_names(self, place: int, more: int) -> None:
        """A text has so many more names that recur."""
        kind = self._kinds[self._kind_of[place]]
        self._kind_of[place] = self._number(kind._replace(names=kind.names + more))
        self._stale.add(place)

    def _number(self, kind: TextKind) -> int:
        number = self._numbers.setdefault(kind, len(self._kinds))
        if number == len(self._kinds):
            self._kinds.append(kind)
        return number

    def pop(self, features: Features) -> None:
        """Without the last text.

        Args:
            features: those that it came with.
        """
        place = len(self.scores) - 1
        for name in features.entities:
            times = self._times.get(name)
            if times is None:
                del self._first[name]
            elif times > RECURRING:
                self._times[name] = times - 1
            else:
                del self._times[name]
                self._add_names(self._first[name], -1)
        self._words -= len(features.words)
        for word in features.words:
            places = self._with[word]
            places.pop()
            if not places:
                del self._with[word]
        for column in (self._turns, self._kind_of, self.scores):
            column.pop()
        self._hits.pop(place, None)
        self._stale.discard(place)
        self._young.discard(place)

    def judge(self, turn: int, query: frozenset[str]) -> set[int]:
        """Bring the scores up to date, and give the places of those that changed.

        Args:
            turn: the running one.
            query: stems of the words that were asked.
        """
        stale, self._stale = self._stale, set()
        if turn != self._turn:
            # of an earlier turn, what was too old may show its age again
            stale.update(self._young if turn > self._turn else range(len(self.scores)))
            self._turn = turn
        if query != self._query:
            stale.update(self._hits)
            having = (self._with.get(word, ()) for word in query)
            self._query, self._hits = query, dict(Counter(chain.from_iterable(having)))
            stale.update(self._hits)
        return self._judged(stale)

    def _judged(self, stale: Iterable[int]) -> set[int]:
        """Judge these texts, and give those whose score changed."""
        rows: dict[int, _ByAge] = {}
        changed: set[int] = set()
        width = len(self._query) + 1
        for place in stale:
            key = self._kind_of[place] * width + self._hits.get(place, 0)
            row = rows.get(key)
            if row is None:
                row = rows[key] = self._row(*divmod(key, width))
            age = max(0, self._turn - self._turns[place])
            if age >= row.settled:
                score = row.oldest
            else:
                score = row.get(age)
                if score is None:
                    score = self._age(row, age)
            if age < row.settled:
                self._young.add(place)
            else:
                self._young.discard(place)
            if score != self.scores[place]:
                self.scores[place] = score
                changed.add(place)
        return changed

    def _row(self, number: int, hits: int) -> _ByAge:
        """The scores of texts of a kind that have so many words of the query."""
        kind = self._kinds[number]
        user = kind.user_part(len(self._query), hits)
        row = self._rows.get((kind, user))
        if row is None:
            if len(self._rows) >= ROWS:
                self._rows.clear()
            row = self._rows[kind, user] = _ByAge(kind, user)
            row.oldest = self._score(row, 0.0 if kind.is_placed else RECENCY)
            if not kind.is_placed:
                row.settled = 0
        return row

    def _age(self, row: _ByAge, age: int) -> int:
        """The score of an age."""
        score = row[age] = self._score(row, min(1.0, max(0.0, self._recency(age))))
        if score == row.oldest:
            row.settled = min(row.settled, age)
        return score

    def _score(self, row: _ByAge, recency: float) -> int:
        return row.kind.score(self._weights, recency, row.user)
