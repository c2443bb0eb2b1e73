"""What vectors say of items, weighed in behind their words.

Behind, since what is worth a line in its context (`context_rerank`) is a mean over what stands
around it: cosines are high everywhere, and their mean is a hill in which no single line stands
out. Evidence within 500 to 4,000 tokens of LoCoMo was the same with vectors before as without,
and .03 to .05 more with them behind (docs/reference/retrieval.md).
"""

from collections.abc import Mapping, Sequence
from statistics import median

from contextwright.retrieval.context_rerank import is_chat, is_turn, rerank
from contextwright.retrieval.item import Item

WORDS = 0.6
"""Weight of the words. Evidence within 1,000 tokens of one half of LoCoMo with MiniLM: .801 with 1,
.834 with .7, .854 with .6."""
CHAT_NEAR = 1.0
"""What the message of a chat that is nearest in meaning is worth more, the others by the square of
their nearness: it says which of the long answers that hold the words is about the question.
Evidence within 2,000, 8,000 and 16,000 tokens of BEAM with MiniLM: .762 .898 .929 without, .757
.901 .938 weighed in as elsewhere, .773 .902 .944 so."""
CHAT_FOUND = 0.25
"""Weight of that square for what stands alone in such a collection: no word need be shared."""


def blended(
    items: Sequence[Item], worths: Sequence[float], likeness: Mapping[str, int], query: str
) -> list[float]:
    """The items' worths by their words and by their vectors; the worths as they were where nothing
    is known of likeness.

    Args:
        worths: of the items by their words, any scale.
        likeness: id to cosine, any scale; an item without one is as unlike as the least alike.
        query: the question, which may be about what an assistant said.
    """
    if not likeness:
        return list(worths)
    least = min(likeness.values())
    near = [float(likeness.get(item.id, least)) for item in items]
    if is_chat(items):
        usual = median(likeness.values())
        return _chat(items, worths, [max(0.0, each - usual) for each in near], query)
    dense = _stretched(near)
    if not any(worths):
        return dense
    pairs = zip(_stretched(worths), dense, strict=True)
    return [WORDS * one + (1 - WORDS) * other for one, other in pairs]


def _chat(
    items: Sequence[Item], worths: Sequence[float], near: Sequence[float], query: str
) -> list[float]:
    """Of a chat, what is nearer than the usual; where no word is shared, that by itself, in its
    context."""
    pulls = [each * each for each in _stretched(near)]
    if not any(worths):
        scores = {item.id: round(1_000_000 * pull) for item, pull in zip(items, pulls, strict=True)}
        return rerank(items, scores, query)
    return [
        value * (1 + CHAT_NEAR * pull) if is_turn(item) else value + CHAT_FOUND * pull
        for item, value, pull in zip(items, _stretched(worths), pulls, strict=True)
    ]


def _stretched(scores: Sequence[float]) -> list[float]:
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 0.0 for score in scores]
