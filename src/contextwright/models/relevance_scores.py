"""Scores of a language model by query and text, so that a turn pays only for what is new."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec

from contextwright.blocks.transcript import transcript
from contextwright.models.guarded_cache import GuardedCache
from contextwright.spec.task import Answer, Task, answer_to

BATCH = 60
"""Blocks that are scored in one call."""
ITEM_TOKENS = 200
"""Tokens that a model is shown of one block, about."""
MAX_SCORES = 5_000
"""Scores that are kept for one query, the newest."""


class RelevanceScores:
    """What is known of a task's blocks, and what came to be known.

    Args:
        task: the whole.
        maker: who scores.
        cache: where the scores of a query are kept, a table for each.

    Attributes:
        unknown: places of the blocks that were not scored for this query before.
    """

    def __init__(self, task: Task, maker: str, cache: GuardedCache) -> None:
        self._task, self._maker, self._cache = task, maker, cache
        query = _digest("\n".join((task.query, task.prompt, task.previous)))
        self._key = f"{maker}\n{task.model}\nscores\n{query}"
        self._digests = [_digest(transcript(block)) for block in task.blocks]
        self._known = cache.table(self._key)
        new = {digest: place for place, digest in enumerate(self._digests)}
        self.unknown = sorted(place for digest, place in new.items() if digest not in self._known)

    def batch(self, places: Sequence[int]) -> Task:
        """The task of scoring some of the blocks."""
        digests = "".join(self._digests[place] for place in places)
        return msgspec.structs.replace(
            self._task,
            blocks=tuple(self._task.blocks[place] for place in places),
            source=_digest(digests),
            max_tokens=0,
        )

    def answer(self, batches: Sequence[Task], answered: Sequence[Answer | BaseException]) -> Answer:
        """The whole task's answer. What was scored is kept, also where some of it failed.

        Raises:
            BaseException: the first batch's that failed.
        """
        made = [each for each in answered if isinstance(each, Answer)]
        new = dict[str, Any]()
        for batch, answer in zip(batches, answered, strict=True):
            if isinstance(answer, Answer):
                digests = (_digest(transcript(block)) for block in batch.blocks)
                new.update(zip(digests, answer.value, strict=True))
        if new:
            known = {**self._cache.table(self._key), **new}
            newest = dict(list(known.items())[-MAX_SCORES:])
            self._cache.put(self._key, answer_to(self._task, newest, self._maker))
            self._known.update(new)
        for failed in answered:
            if isinstance(failed, BaseException):
                raise failed
        values = [self._known.get(digest, 0) for digest in self._digests]
        return answer_to(
            self._task,
            values,
            made[-1].model if made else self._maker,
            note="; ".join(
                filter(None, dict.fromkeys([self._note(), *(one.note for one in made)]))
            ),
            input_tokens=sum(each.input_tokens for each in made),
            output_tokens=sum(each.output_tokens for each in made),
        )

    def _note(self) -> str:
        missed = sum(digest not in self._known for digest in self._digests)
        if not missed:
            return ""
        return (
            f"{missed} of {len(self._digests)} blocks were not looked at, those least like the "
            "query (Limits.scored_blocks)"
        )


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
