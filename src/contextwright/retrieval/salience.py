"""Salience: what is worth keeping when not everything can be (document 004, "Salience Scoring").

Four factors from 0 to 1, weighted: how new a text is, whether it names what the session is about,
whether it is the user's or speaks of what the user asked, and whether it gives structure.
"""

import re
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from contextwright.errors import SpecError, is_number
from contextwright.retrieval.features import Features, about, features

WEIGHTS: Mapping[str, float] = {
    "recency": 0.3,
    "entity": 0.3,
    "user_reference": 0.2,
    "structural": 0.2,
}
"""The document's."""
FACTORS = tuple(WEIGHTS)
RECENCY = 0.5
"""Of a text whose place is not known."""
LEAST = 2
"""Texts that name a thing before it counts as one that recurs."""
SHOWN = 3
"""Names that an explanation lists."""
REMEMBERED = 20_000
"""Things that a scorer remembers; then it forgets what was named once."""


class Factor(msgspec.Struct, frozen=True):
    """One reason of a score: its weight, its value from 0 to 1, and what gave it that value."""

    name: str
    weight: float
    value: float
    why: str


class Salience(msgspec.Struct, frozen=True):
    """A score from 0 to 1 and what it is made of."""

    score: float
    factors: tuple[Factor, ...]

    def __str__(self) -> str:
        parts = (f"{f.name} {f.weight:.2f} x {f.value:.2f} ({f.why})" for f in self.factors)
        return f"{self.score:.2f} = " + " + ".join(parts)


class SalienceScorer:
    """Scores texts. What recurs in the texts that it was shown counts as an entity by itself.

    Safe to share between threads.

    Args:
        weights: of the factors, by the document's names; those left out count 0. They are divided
            by their sum, so that a score stays between 0 and 1.
        known_entities: names that always count: whole words, whatever their case.
        detect: whether what two texts or more name (identifiers, paths, names, numbers) counts.

    Raises:
        SpecError: an unknown factor, a negative weight, or no weight above 0.
    """

    def __init__(
        self,
        weights: Mapping[str, float] | None = None,
        known_entities: str | Iterable[str] = (),
        *,
        detect: bool = True,
    ) -> None:
        self.weights = shares(WEIGHTS if weights is None else weights)
        self.known_entities: set[str] = set()
        self._known_as: tuple[frozenset[str], re.Pattern[str] | None] = (frozenset(), None)
        self._detect = detect
        self._named: Counter[str] = Counter()
        self._asked: frozenset[str] = frozenset()
        self._lock = threading.Lock()
        for entity in [known_entities] if isinstance(known_entities, str) else known_entities:
            self.register_entity(entity)

    def register_entity(self, entity: str) -> None:
        """Have a name count from now on.

        Raises:
            SpecError: it is no text.
        """
        given: Any = entity
        if not isinstance(given, str):
            raise SpecError(
                f"a {type(given).__name__} is no name",
                where="register_entity(entity)",
                fix="give a text, such as 'ACME'",
            )
        with self._lock:
            self.known_entities.add(entity)

    def observe(self, content: str) -> None:
        """Show a text that belongs to the session: what several of them name counts from then."""
        if not self._detect:
            return
        found = features(content).entities
        with self._lock:
            self._named.update(found)
            if len(self._named) > REMEMBERED:
                often = {name: n for name, n in self._named.items() if n >= LEAST}
                self._named = Counter(dict(list(often.items())[-REMEMBERED // 2 :]))

    def ask(self, question: str) -> None:
        """Say what the user wants now: texts that have its words speak of it."""
        self._asked = about(question)

    def score(self, content: str, *, recency: float = RECENCY, role: str = "") -> float:
        """The salience of a text, 0 to 1.

        Args:
            recency: 1 for the newest, 0 for what is long ago.
            role: who said it; what the `user` said refers to the user.
        """
        return self.explain(content, recency=recency, role=role).score

    def explain(self, content: str, *, recency: float = RECENCY, role: str = "") -> Salience:
        """The salience of a text, factor by factor."""
        return self._weighed(content, recency, role, self._asked)

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """The salience of texts for a question: what `Index(rerank=scorer.rerank)` takes."""
        asked = about(query)
        return [self._weighed(text, RECENCY, "", asked).score for text in texts]

    def _pattern(self) -> re.Pattern[str] | None:
        """Finds the known entities, also those that were put into the set itself."""
        names, pattern = self._known_as
        if names ^ self.known_entities:
            with self._lock:
                names = frozenset(self.known_entities)
                pattern = any_of(names)
                self._known_as = names, pattern
        return pattern

    def _weighed(self, content: str, recency: float, role: str, asked: frozenset[str]) -> Salience:
        given: Any = content
        if not isinstance(given, str):
            raise SpecError(
                f"a {type(given).__name__} is no text to be scored",
                where="SalienceScorer.score(content)",
                fix="give a text, such as str(content)",
            )
        has = features(content)
        recurring = sorted(name for name in has.entities if self._named.get(name, 0) >= LEAST)
        pattern = self._pattern()
        known = pattern.findall(content) if pattern is not None else []
        return explained(
            self.weights,
            recency=min(1.0, max(0.0, recency)),
            entity=entity_value(len(recurring), known=bool(known)),
            names=list(dict.fromkeys(known)) or recurring,
            user_reference=user_value(has, asked, said=role == "user"),
            structural=has.structural,
        )


def explained(
    weights: Mapping[str, float], *, names: Sequence[str] = (), **values: float
) -> Salience:
    """A weighted mean and its reasons.

    Args:
        weights: shares of 1, by factor.
        names: what the entity factor counts.
        values: of the factors, 0 to 1.
    """
    why = {
        "recency": "how new it is",
        "entity": f"names {', '.join(names[:SHOWN])}" if names else "names nothing that counts",
        "user_reference": "the user's, or about what is asked",
        "structural": "headings, code, markers",
    }
    factors = tuple(Factor(name, share, values[name], why[name]) for name, share in weights.items())
    return Salience(min(1.0, sum(one.weight * one.value for one in factors)), factors)


def shares(weights: Mapping[str, float]) -> dict[str, float]:
    """Weights divided by their sum, in the document's order.

    Raises:
        SpecError: an unknown factor, a negative weight, or no weight above 0.
    """
    given: Any = weights
    numbers = isinstance(given, Mapping) and all(map(is_number, given.values()))
    total = sum(weights.values()) if numbers else 0
    if not total > 0 or not set(weights) <= set(WEIGHTS) or min(weights.values()) < 0:
        raise SpecError(
            "weights are numbers from 0 on, one of them above it",
            where=f"weights={given!r}"[:200],
            fix=f"weigh {', '.join(WEIGHTS)} by name: {{'recency': 0.3, ...}}",
        )
    return {name: weights[name] / total for name in WEIGHTS if name in weights}


def any_of(names: Iterable[str]) -> re.Pattern[str] | None:
    """Finds any of these names as whole words; None where none has a letter or a digit."""
    # the longest first: `order 12` before `order`
    texts = sorted({name.strip() for name in names}, key=lambda name: (-len(name), name))
    found = "|".join(re.escape(text) for text in texts if re.search(r"\w", text))
    return re.compile(rf"(?<!\w)(?:{found})(?!\w)", re.IGNORECASE) if found else None


def entity_value(recurring: int, *, known: bool) -> float:
    """1 for a known name; else half of what is left for each thing that recurs."""
    return 1.0 if known else 1.0 - 0.5**recurring


def user_value(has: Features, asked: frozenset[str], *, said: bool) -> float:
    """1 for what the user said and what speaks to the user; else the share of the words that were
    asked which a text has."""
    if said or has.refers:
        return 1.0
    return len(asked & has.words) / len(asked) if asked else 0.0
