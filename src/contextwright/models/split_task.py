"""A task that is too long for one question, in pieces."""

from collections.abc import Callable, Iterator

from contextwright.blocks.block import Blocks
from contextwright.blocks.transcript import transcript
from contextwright.spec.task import Task

_INCREMENTAL = frozenset({"summary", "record", "facts"})
"""Tasks whose answer can be brought up to date, and so asked for in pieces."""


def pieces(task: Task, count: Callable[[str], int], tokens: int) -> Iterator[Blocks]:
    """The task's blocks in runs of at most so many tokens; all of them where the task can not be
    asked in pieces. A block that is longer by itself is a piece, shortened in its prompt.

    Args:
        task: the task.
        count: tokens of a text.
        tokens: tokens of a piece at most.
    """
    if task.kind not in _INCREMENTAL:
        yield task.blocks
        return
    start, used = 0, 0
    for place, block in enumerate(task.blocks):
        cost = min(tokens, count(transcript(block)))
        if used and used + cost > tokens:
            yield task.blocks[start:place]
            start, used = place, 0
        used += cost
    yield task.blocks[start:]
