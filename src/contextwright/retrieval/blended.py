"""What vectors say of items, weighed in behind their words.

Behind, since what is worth a line in its context (`context_rerank`) is a mean over what stands
around it: cosines are high everywhere, and their mean is a hill in which no single line stands
out. Evidence within 500 to 4,000 tokens of LoCoMo was the same with vectors before as without,
and .03 to .05 more with them behind (docs/reference/retrieval.md).
"""

from collections.abc import Mapping, Sequence
from statistics import median

from contextwright.retrieval.context_rerank import in_context, is_chat
from contextwright.retrieval.item import Item

WORDS = 0.6
"""Weight of the words. Evidence within 1,000 tokens of one half of LoCoMo with MiniLM: .801 with 1,
.834 with .7, .854 with .6."""
CHAT_WORDS = 0.75
"""The same in a chat, whose long messages are about more than a vector says. Within 2,000 tokens of
one half of BEAM with a static embedder: .696 with 1, .719 with .75, .707 with .6."""


def blended(
    items: Sequence[Item], worths: Sequence[float], likeness: Mapping[str, int], query: str
) -> list[float]:
    """The items' worths by their words and by their vectors, from 0 to 1; the worths as they were
    where nothing is known of likeness.

    Args:
        worths: of the items by their words, any scale.
        likeness: id to cosine, any scale; an item without one is as unlike as the least alike.
        query: the question, which may be about what an assistant said.
    """
    if not likeness:
        return list(worths)
    least, usual = min(likeness.values()), median(likeness.values())
    near = [float(likeness.get(item.id, least)) for item in items]
    dense = _stretched(in_context(items, near, usual, query))
    if not any(worths):
        return dense
    words = CHAT_WORDS if is_chat(items) else WORDS
    pairs = zip(_stretched(worths), dense, strict=True)
    return [words * one + (1 - words) * other for one, other in pairs]


def _stretched(scores: Sequence[float]) -> list[float]:
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 0.0 for score in scores]
