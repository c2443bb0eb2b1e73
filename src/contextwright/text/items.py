"""A long instruction shortened item by item: every item keeps its beginning."""

from collections.abc import Callable, Sequence

from contextwright.text.cut import cut

MARK = " […]"


def shorten_items(text: str, tokens: int, count: Callable[[str], int]) -> str:
    """A text whose long items (lines, list entries, paragraphs) end early, so that each is named.

    Args:
        text: the words of a task, a list of requirements, a pasted document.
        tokens: the most that the result may have.
        count: tokens of a text.

    Returns:
        The text itself where it fits; else every item's beginning, each hole marked; where there
        is no room for a few tokens an item, the text's two ends.
    """
    if count(text) <= tokens:
        return text
    items = text.split("\n")
    sizes = [count(item) for item in items]
    share = _share(sizes, tokens - len(items) * (count(MARK) + 1))
    while share > 0:
        short = "\n".join(
            item if size <= share else cut(item, share, "head", count, marker=MARK)
            for item, size in zip(items, sizes, strict=True)
        )
        if count(short) <= tokens:
            return short
        share = share * 9 // 10
    return cut(text, tokens, "bookend", count, marker="\n[… left out …]\n")


def _share(sizes: Sequence[int], room: int) -> int:
    """The most that each may have so that all together have at most `room` (water filling)."""
    left, count = room, len(sizes)
    for size in sorted(sizes):
        if size * count > left:
            return max(0, left // count)
        left -= size
        count -= 1
    return max(sizes, default=0)
