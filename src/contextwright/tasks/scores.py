"""Of many texts, those that matter most for the step; the same in whatever order they came."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from itertools import islice
from typing import Any

import msgspec

from contextwright.blocks.block import SCORE_ONE, Block, Blocks
from contextwright.session.snapshot import Snapshot
from contextwright.spec.inputs import Inputs
from contextwright.spec.task import Task
from contextwright.tasks.plan_step import PLAN


def query_of(inputs: Inputs) -> str:
    """What the step is about, without what the spec redacts."""
    return inputs.clean(query_in(inputs.snapshot))


def query_in(snapshot: Snapshot) -> str:
    """What the step is about: its goal, what it does, and what the user said last."""
    plan: Any = snapshot.state.get(PLAN)
    texts: list[str] = []
    if isinstance(plan, Mapping):
        texts.append(str(plan.get("goal", "")))
        do: Any = plan.get("do", ())
        texts += map(str, do) if isinstance(do, (list, tuple)) else [str(do)]
    newest = next(snapshot.newest("role", "user"), None)
    if newest is not None:
        texts.append(snapshot.log[newest].text)
    return "\n".join(filter(None, texts))


EARLIER = 3
"""Questions before the newest whose words count a little."""


def earlier_in(snapshot: Snapshot) -> list[str]:
    """What the user said before the last time, the newest three, oldest first."""
    users = [*islice(snapshot.newest("role", "user"), 1, EARLIER + 1)]
    return [snapshot.log[position].text for position in reversed(users)]


def scored(blocks: Blocks, inputs: Inputs) -> Blocks:
    """The blocks with a score each: their own, or how many of the query's words they share."""
    blank = tuple(block for block in blocks if block.score < 0)
    if not blank or len(blocks) == 1:
        return blocks
    source = sha256(b"".join(inputs.digests(blank))).hexdigest()
    task = Task(
        kind="relevance", scorer="lexical", query=query_of(inputs), blocks=blank, source=source
    )
    answer = inputs.ask(task)
    if answer is None:
        return blocks
    scores = dict(zip((block.id for block in blank), answer.value, strict=True))
    return tuple(
        msgspec.structs.replace(block, score=scores[block.id]) if block.id in scores else block
        for block in blocks
    )


def best(blocks: Blocks, top_k: int, key: Callable[[Block], tuple[Any, ...]]) -> Blocks:
    """The `top_k` with the highest keys, the highest last: near the end a model reads best."""
    return tuple(sorted(blocks, key=lambda block: (*key(block), block.id))[-top_k:])


def as_score(value: Any) -> int:
    """A score from 0 to 1 in millionths; -1 for what is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        return -1
    return max(0, min(SCORE_ONE, round(value * SCORE_ONE)))
