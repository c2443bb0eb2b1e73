"""The words that are looked for in the name of a query, each with its weight."""

from contextwright.retrieval.stems import stems
from contextwright.retrieval.synonyms import SHARE, synonyms

MAX_TERMS = 256
"""Different words of a query that are looked for."""


def query_terms(query: str) -> list[str]:
    """The different words of a query, without its stop words."""
    return list(dict.fromkeys(stems(query)))[:MAX_TERMS]


def with_synonyms(weights: dict[str, float]) -> dict[str, float]:
    """The words, and their synonyms with a share of their weight."""
    widened = dict(weights)
    for term, weight in weights.items():
        for other in synonyms(term):
            widened.setdefault(other, SHARE * weight)
    return widened
