"""Salience: what is worth keeping when not everything can be (cooling-and-forgetting.md#salience).

Four factors from 0 to 1, weighted: how new a text is, whether it names what the session is about,
whether it is the user's or speaks of what the user asked, and whether it gives structure. The
atom `C.salient` judges blocks and `SalienceScorer` texts; both by `SalienceContext`.
"""

import re
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

import msgspec

from contextwright.errors import SpecError, is_number
from contextwright.retrieval.features import Features, about, features
from contextwright.text.unspaced_scripts import UNSPACED

WEIGHTS: Mapping[str, float] = {
    "recency": 0.3,
    "entity": 0.3,
    "user_reference": 0.2,
    "structural": 0.2,
}
"""The document's."""
FACTORS = tuple(WEIGHTS)
RECENCY = 0.5
"""Of a text whose place is not known: neither new nor old."""
RECURRING = 2
"""Texts that name a thing before it counts as one that recurs."""
NAMES_SHOWN = 3
"""Names that an explanation lists; more would be no line any more."""
REMEMBERED = 20_000
"""Things that a scorer remembers; then it forgets what was named once."""
_UNSPACED = f"[{UNSPACED}]"
_SPACED_WORD = f"[^\\W{UNSPACED}]"
"""A sign of a word of any other script."""
_WHY = {
    "recency": "how new it is",
    "user_reference": "the user's, or about what is asked",
    "structural": "headings, code, markers",
}


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


class FactorValues(NamedTuple):
    """The factors of one text, 0 to 1 each, in the order of `FACTORS`."""

    recency: float
    entity: float
    user_reference: float
    structural: float


class SalienceContext(msgspec.Struct, frozen=True):
    """Everything that a text is judged against.

    Args:
        known: finds the names that always count.
        recurring: names that recur around the text.
        query: stems of the words that the user asked.
    """

    known: re.Pattern[str] | None
    recurring: AbstractSet[str]
    query: frozenset[str]

    def known_in(self, text: str) -> list[str]:
        """The known names in a text."""
        return [] if self.known is None else self.known.findall(text)

    def values(
        self, has: Features, known: Sequence[str], recency: float, *, by_user: bool
    ) -> FactorValues:
        """The factors of a text.

        Args:
            has: its features.
            known: the known names in it.
            recency: 1 for the newest, 0 for what is long ago.
            by_user: whether the user said it.
        """
        entity = entity_value(len(self.recurring & has.entities), known=bool(known))
        if by_user or has.refers:
            user = 1.0
        else:
            user = len(self.query & has.words) / len(self.query) if self.query else 0.0
        return FactorValues(min(1.0, max(0.0, recency)), entity, user, has.structural)

    def explained(
        self,
        weights: Mapping[str, float],
        values: FactorValues,
        has: Features,
        known: Sequence[str],
    ) -> Salience:
        """The weighted mean of factors and its reasons.

        Args:
            weights: shares of 1, by factor.
            values: the factors, of the features and the known names of the same text.
        """
        names = list(dict.fromkeys(known)) or sorted(self.recurring & has.entities)
        listed = ", ".join(names[:NAMES_SHOWN])
        why = {**_WHY, "entity": f"names {listed}" if names else "names nothing that counts"}
        by_name = values._asdict()
        factors = tuple(
            Factor(name, share, by_name[name], why[name]) for name, share in weights.items()
        )
        return Salience(min(1.0, sum(one.weight * one.value for one in factors)), factors)


class SalienceScorer:
    """Scores texts. What recurs in the texts that it was shown counts as an entity by itself.

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
        self._pattern: tuple[frozenset[str], re.Pattern[str] | None] = (frozenset(), None)
        self._detect = detect
        self._counts: Counter[str] = Counter()
        self._recurring: set[str] = set()
        self._query: frozenset[str] = frozenset()
        self._lock = threading.Lock()
        for entity in [known_entities] if isinstance(known_entities, str) else known_entities:
            self.register_entity(entity)

    def __getstate__(self) -> dict[str, Any]:
        """What it was told and shown, for a copy that goes on by itself."""
        with self._lock:
            own = {key: value for key, value in vars(self).items() if key != "_lock"}
            for grows in ("known_entities", "_counts", "_recurring"):
                own[grows] = own[grows].copy()
            return own

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.Lock())

    def register_entity(self, entity: str) -> None:
        """Have a name count from now on.

        Raises:
            SpecError: it is no text.
        """
        _refuse_no_text(entity, "register_entity(entity)", "give a text, such as 'ACME'")
        with self._lock:
            self.known_entities.add(entity)

    def observe(self, content: str) -> None:
        """Show a text that belongs to the session: what several of them name counts from then."""
        if not self._detect:
            return
        named = features(content).entities
        with self._lock:
            self._counts.update(named)
            self._recurring.update(name for name in named if self._counts[name] >= RECURRING)
            if len(self._counts) > REMEMBERED:
                often = [name for name, n in self._counts.items() if n >= RECURRING]
                left = {name: self._counts[name] for name in often[-REMEMBERED // 2 :]}
                self._counts, self._recurring = Counter(left), set(left)

    def ask(self, question: str) -> None:
        """Say what the user wants now: texts that have its words speak of it."""
        self._query = about(question)

    def score(self, content: str, *, recency: float = RECENCY, role: str = "") -> float:
        """The salience of a text, 0 to 1.

        Args:
            recency: 1 for the newest, 0 for what is long ago.
            role: who said it; what the `user` said refers to the user.
        """
        return self.explain(content, recency=recency, role=role).score

    def explain(self, content: str, *, recency: float = RECENCY, role: str = "") -> Salience:
        """The salience of a text, factor by factor."""
        return self._judged(content, recency, role, self._query)

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """The salience of texts for a question: what `Index(rerank=scorer.rerank)` takes."""
        terms = about(query)
        return [self._judged(text, RECENCY, "", terms).score for text in texts]

    def _known(self) -> re.Pattern[str] | None:
        """Finds the known entities, also those that were put into the set itself."""
        names, pattern = self._pattern
        if names ^ self.known_entities:
            with self._lock:
                names = frozenset(self.known_entities)
                pattern = any_of(names)
                self._pattern = names, pattern
        return pattern

    def _judged(self, content: str, recency: float, role: str, query: frozenset[str]) -> Salience:
        where, fix = "SalienceScorer.score(content)", "give a text, such as str(content)"
        _refuse_no_text(content, where, fix)
        context = SalienceContext(self._known(), self._recurring, query)
        has, known = features(content), context.known_in(content)
        values = context.values(has, known, recency, by_user=role == "user")
        return context.explained(self.weights, values, has, known)


def _refuse_no_text(value: Any, where: str, fix: str) -> None:
    if not isinstance(value, str):
        raise SpecError(f"expected a text, got a {type(value).__name__}", where=where, fix=fix)


def shares(weights: Mapping[str, float]) -> dict[str, float]:
    """Weights divided by their sum, in the document's order.

    Raises:
        SpecError: an unknown factor, a negative weight, or no weight above 0.
    """
    value: Any = weights
    numbers = isinstance(value, Mapping) and all(map(is_number, value.values()))
    total = sum(weights.values()) if numbers else 0
    if not total > 0 or not set(weights) <= set(WEIGHTS) or min(weights.values()) < 0:
        raise SpecError(
            "expected weights from 0 on, one of them above it",
            where=f"weights={value!r}"[:200],
            fix=f"weigh {', '.join(WEIGHTS)} by name: {{'recency': 0.3, ...}}",
        )
    return {name: weights[name] / total for name in WEIGHTS if name in weights}


def any_of(names: Iterable[str]) -> re.Pattern[str] | None:
    """Finds any of these names as whole words, singular or plural; anywhere where a script puts
    no spaces between words. None where none has a letter or a digit."""
    # the longest first: `order 12` before `order`
    texts = sorted({name.strip() for name in names}, key=lambda name: (-len(name), name))
    choice = "|".join(_name_pattern(text) for text in texts if re.search(r"\w", text))
    return re.compile(choice, re.IGNORECASE) if choice else None


def _name_pattern(name: str) -> str:
    """A name as a pattern that begins and ends where a word does."""
    body, ends = re.escape(name), _SPACED_WORD
    if re.search(r"[a-z]{2}[^aeiouy\W\d]y$", name):
        body = f"{re.escape(name[:-1])}(?:y|ies)"
    elif re.search(r"[a-z]{3}[^s\W\d]s$", name):
        body = f"{re.escape(name[:-1])}s?"
    elif re.search(r"[A-Za-z]{3}$", name):
        body += "(?:e?s)?"
    before = "" if re.match(_UNSPACED, name) else f"(?<!{ends})"
    after = "" if re.search(f"{_UNSPACED}$", name) else f"(?!{ends})"
    return f"{before}{body}{after}"


def entity_value(recurring: int, *, known: bool) -> float:
    """1 for a known name; else half of what is left for each thing that recurs."""
    return 1.0 if known else 1.0 - 0.5**recurring
