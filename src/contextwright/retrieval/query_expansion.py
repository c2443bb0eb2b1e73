"""Other ways to ask the same thing.

A callable of the user's may be a model that rewrites the question (multi-query) or writes a made-up
answer to it (HyDE, Gao et al. 2022): either way what comes back is searched for too. Without one
there are the variants that need no model.
"""

import re
from collections.abc import Callable, Sequence

from contextwright.retrieval.query_weights import ASKING_WORDS
from contextwright.text.identifiers import IDENTIFIER
from contextwright.text.search_terms import STOP, words

Expander = Callable[[str], Sequence[str]]
"""Gives other texts to search for: rewritten questions, or answers as they might read."""

MOST = 6
"""Variants of a query that are looked for."""
_NAMED = re.compile(
    r"`([^`\n]+)`|\"([^\"\n]+)\"|'([^'\n]{2,})'"
    rf"|({IDENTIFIER})"
    r"|((?<![.?!] )(?<!^)\b[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)*)"
)
_SPLIT = re.compile(
    r"[?!.;\n]+\s*|(?:,|(?<!\s))\s++(?:and|or|versus|vs\.?|as well as|but)\b\s+", re.IGNORECASE
)


def variants(query: str) -> list[str]:
    """Its parts, its names and its content words, each in its order; never the query itself."""
    texts = [_content(query), " ".join(names(query))]
    parts = [part.strip() for part in _SPLIT.split(query)]
    texts += [_content(part) for part in parts if len(words(part)) > 2] if len(parts) > 1 else []
    different = dict.fromkeys(text for text in texts if text and text != query)
    return list(different)[:MOST]


def names(query: str) -> list[str]:
    """Identifiers, paths, quoted words, numbers and capitalised names of a query."""
    matched = [next(filter(None, match.groups())) for match in _NAMED.finditer(query)]
    return list(dict.fromkeys(name.strip() for name in matched))


def _content(text: str) -> str:
    return " ".join(word for word in words(text) if word not in STOP and word not in ASKING_WORDS)
