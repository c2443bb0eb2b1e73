"""The words that are looked for in the name of a query, each with its weight."""

import re
from collections.abc import Sequence

from contextwright.retrieval.stems import stems
from contextwright.retrieval.synonyms import SHARE, synonyms

MAX_TERMS = 256
"""Different words of a query that are looked for."""
EARLIER = 0.3
"""Weight of the words of earlier questions. Passages within 2,000 tokens for the last question of
a conversation (MTRAG-UN): .856 without, .902 with .2, .928 with .3 of the newest three."""
EARLIER_ASKED = 3
ASKING_WORDS = frozenset(
    re.findall(
        r"\w+",
        """many much long often ever did does done has have had tell know say said says please list
        mention mentioned find give show kind type get got let order different several various
        describe explain walk summary summaries summarize summarise overview recap comprehensive
        complete clear detailed brief overall discuss discussed discussion talk talked
        conversation conversations bring brought aspect aspects thing things include including
        across throughout time help want remember everything anything suggest recommend""",
    )
)
"""Words of questions that are seldom words of their answers."""
ASKING = 0.3
"""Weight of these words in a question that has others. Evidence within 2,000, 8,000 and 16,000
tokens of BEAM: .743 .879 .915 with 1, .746 .888 .923 with .3, within .004 of that with .2 or .4."""
_ASKING_STEMS = frozenset(stem for word in ASKING_WORDS for stem in stems(word))


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


def question_weights(question: str, earlier: Sequence[str] = ()) -> dict[str, float]:
    """The words of a question, those with which one asks counting less, and of the newest
    questions before it."""
    weights = _weighed(question)
    for text in list(earlier)[-EARLIER_ASKED:]:
        for term, weight in _weighed(text).items():
            weights.setdefault(term, EARLIER * weight)
    return weights


def _weighed(question: str) -> dict[str, float]:
    terms = query_terms(question)
    if _ASKING_STEMS.issuperset(terms):
        return dict.fromkeys(terms, 1.0)
    return {term: ASKING if term in _ASKING_STEMS else 1.0 for term in terms}
