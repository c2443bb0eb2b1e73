"""The best of what is known within a token budget, in reading order."""

from collections.abc import Callable, Sequence

import msgspec

from contextwright.retrieval.blended import blended
from contextwright.retrieval.context_rerank import is_turn, rerank
from contextwright.retrieval.item import Item
from contextwright.retrieval.retriever import DenseRetriever, Retriever, StaticRetriever
from contextwright.retrieval.said_once import (
    Session,
    dated_once,
    in_sessions,
    session_of,
    without_date,
)
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

    What helps is found out from the items (`rerank`): there is nothing to set. Vectors, where the
    retriever has them, are weighed in after that. Where the pieces of a thread begin with the same
    date in brackets, only the first that is sent has it.

    Args:
        max_tokens: tokens of all texts together; what goes between them is the caller's.
        count: tokens of a text, such as `counter_for(model).count`.
        earlier: questions before this one, oldest first.
    """
    return ranked(retriever, query, earlier=earlier).packed(max_tokens, count)


class Ranking(msgspec.Struct, frozen=True):
    """Items in the order in which they help with a query, for any number of budgets.

    Args:
        order: places of the items, the best first; those that do not help are left out.
    """

    items: Sequence[Item]
    query: str
    order: Sequence[int]

    def packed(self, max_tokens: int, count: Count) -> list[Item]:
        """The best that fit, in reading order; the last to fit may be an excerpt."""
        chosen = _pack(self.items, self.order, self.query, max_tokens, count)
        return [chosen[place] for place in _reading(self.items, self.order, chosen)]


def ranked(retriever: Retriever, query: str, *, earlier: Sequence[str] = ()) -> Ranking:
    """The items for a query, the best first: what `within` packs."""
    items, scores = _scored(retriever, query, earlier)
    worths = rerank(items, scores, query)
    if isinstance(retriever, DenseRetriever):
        worths = blended(items, worths, retriever.likeness(query), query)
    places = (place for place in range(len(items)) if worths[place] > 0)
    return Ranking(items, query, sorted(places, key=lambda n: (-worths[n], items[n].id)))


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


def _reading(items: Sequence[Item], order: Sequence[int], chosen: dict[int, Item]) -> list[int]:
    """First what stands alone, the best first; then pieces of threads as they follow."""
    alone = [place for place in order if place in chosen and not _is_piece(items[place])]
    return alone + in_sessions(items, [place for place in chosen if _is_piece(items[place])])


def _is_piece(item: Item) -> bool:
    return bool(item.thread) or is_turn(item)


def _pack(
    items: Sequence[Item], order: Sequence[int], query: str, room: int, count: Count
) -> dict[int, Item]:
    """Greedy: the next best that fits; then an excerpt of the best that did not."""
    chosen: dict[int, Item] = {}
    missed: list[int] = []
    sessions: set[Session] = set()
    left, misses = room, 0
    for place in order:
        session = session_of(items[place]) if _is_piece(items[place]) else None
        text = items[place].text
        if session is not None and session in sessions:
            text = without_date(items[place], session)
        size = count(text) if len(text) <= MAX_TOKEN_CHARS * left else left + 1
        if size <= left:
            chosen[place] = items[place]
            sessions.update([session] if session else ())
            left -= size
            misses = 0
            continue
        missed.append(place)
        misses += 1
        if misses >= MAX_MISSES or left <= 0:
            break
    if left >= MIN_EXCERPT and missed:
        place = missed[0]
        text = excerpt(items[place].text, query, left, count)
        if text:
            chosen[place] = msgspec.structs.replace(items[place], text=text)
    return _fitting(items, chosen, room, count) if sessions else chosen


def _fitting(
    items: Sequence[Item], chosen: dict[int, Item], room: int, count: Count
) -> dict[int, Item]:
    """Chosen items, a session's date said once. Another line than the first to be chosen may
    say it, and a text cut in two may have a token more than it had: then the last goes."""
    while True:
        dated = dated_once(items, chosen)
        if not dated or sum(count(item.text) for item in dated.values()) <= room:
            return dated
        chosen.popitem()


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
