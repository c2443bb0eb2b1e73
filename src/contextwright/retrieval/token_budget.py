"""The best of what is known within a token budget, in reading order."""

from collections.abc import Callable, Sequence

import msgspec

from contextwright.retrieval.context_rerank import is_turn, rerank
from contextwright.retrieval.item import Item
from contextwright.retrieval.retriever import Retriever, StaticRetriever
from contextwright.retrieval.stems import stems
from contextwright.text.sentences import sentences

POOL = 400
"""Items asked of a retriever that can not be leafed through."""
EARLIER_WEIGHT = 0.3
"""Weight of the scores for an earlier question there."""
MAX_MISSES = 100
"""Items in a row that do not fit before the packing ends."""
MAX_TOKEN_CHARS = 8
"""Characters of a token at most, in nearly all texts: a longer text need not be counted."""
MIN_EXCERPT = 48
"""Tokens of room from which an excerpt is cut: fewer hold no sentence that tells anything."""

Count = Callable[[str], int]


def within(
    retriever: Retriever,
    query: str,
    max_tokens: int,
    count: Count,
    *,
    earlier: Sequence[str] = (),
) -> list[Item]:
    """The items for a query that fit, in reading order; the last to fit may be an excerpt.

    What helps is found out from the items (`rerank`): there is nothing to set.

    Args:
        max_tokens: tokens of all texts together; what goes between them is the caller's.
        count: tokens of a text, such as `counter_for(model).count`.
        earlier: questions before this one, oldest first.
    """
    items, scores = _scored(retriever, query, earlier)
    reranked = rerank(items, scores, query)
    order = sorted(
        (place for place in range(len(items)) if reranked[place] > 0),
        key=lambda place: (-reranked[place], items[place].id),
    )
    chosen = _pack(items, order, query, max_tokens, count)
    return [chosen[place] for place in _reading(items, order, chosen)]


def _scored(
    retriever: Retriever, query: str, earlier: Sequence[str]
) -> tuple[Sequence[Item], dict[str, int]]:
    if isinstance(retriever, StaticRetriever):
        return retriever.items(), retriever.scores(query, earlier=earlier, feedback=True)
    totals: dict[str, float] = {}
    items: dict[str, Item] = {}
    for weight, text in [(1.0, query), *((EARLIER_WEIGHT, each) for each in earlier[-3:])]:
        for hit in retriever.search(text, POOL):
            items[hit.item.id] = hit.item
            totals[hit.item.id] = totals.get(hit.item.id, 0.0) + weight * hit.score
    # no order is known but that of time and names
    ordered = sorted(items.values(), key=lambda item: (item.thread, item.time_ms or 0, item.id))
    return ordered, {id: round(score) for id, score in totals.items()}


def _reading(items: Sequence[Item], order: list[int], chosen: dict[int, Item]) -> list[int]:
    """First what stands alone, the best first; then pieces of threads as they follow."""
    alone = [place for place in order if place in chosen and not _is_piece(items[place])]
    return alone + [place for place in sorted(chosen) if _is_piece(items[place])]


def _is_piece(item: Item) -> bool:
    return bool(item.thread) or is_turn(item)


def _pack(
    items: Sequence[Item], order: list[int], query: str, room: int, count: Count
) -> dict[int, Item]:
    """Greedy: the next best that fits; then an excerpt of the best that did not."""
    chosen: dict[int, Item] = {}
    missed: list[int] = []
    misses = 0
    for place in order:
        text = items[place].text
        size = count(text) if len(text) <= MAX_TOKEN_CHARS * room else room + 1
        if size <= room:
            chosen[place] = items[place]
            room -= size
            misses = 0
            continue
        missed.append(place)
        misses += 1
        if misses >= MAX_MISSES or room <= 0:
            break
    if room >= MIN_EXCERPT and missed:
        place = missed[0]
        text = excerpt(items[place].text, query, room, count)
        if text:
            chosen[place] = msgspec.structs.replace(items[place], text=text)
    return chosen


def excerpt(text: str, query: str, max_tokens: int, count: Count) -> str:
    """The stretch of a text's sentences that fits and has the most of a query's words; of equals
    the first. Empty where no sentence fits."""
    wanted = set(stems(query))
    parts = [(part, count(part) + 1, wanted & set(stems(part))) for part in sentences(text)]
    best, totals = -1, (0, 0)
    start = size = 0
    for end, (_, cost, _) in enumerate(parts):
        size += cost
        while size > max_tokens and start <= end:
            size -= parts[start][1]
            start += 1
        if start > end:
            continue
        has: set[str] = set().union(*(words for _, _, words in parts[start : end + 1]))
        # of equal words the longer stretch
        if len(has) * 1_000_000 + size > best:
            best, totals = len(has) * 1_000_000 + size, (start, end + 1)
    taken = [part for part, _, _ in parts[slice(*totals)]]
    while taken and count("\n".join(taken)) > max_tokens:
        taken.pop()
    return "\n".join(taken)
