"""A cache of answers as one that never fails: it saves work, and no fault of it ends a turn."""

from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

from contextwright.compute_gate import waiting
from contextwright.models.answer_cache import AnswerCache
from contextwright.models.answer_decoding import is_value
from contextwright.models.claims import AnswerClaims
from contextwright.spec.task import Answer, Task

FAULTS = 20
"""Errors of the cache that are remembered: enough to see what is wrong with it."""
PATIENCE_S = 1.0
"""Seconds that a failing cache may take; one that takes longer is left alone for a while."""
T = TypeVar("T")


class GuardedCache:
    """Answers that are known; a fault is an answer that is not known.

    Args:
        cool_down_s: seconds in which a cache that failed slowly, such as one whose file is
            locked, is not asked again.
        clock: seconds.

    Attributes:
        faults: its newest errors.
    """

    def __init__(self, cache: AnswerCache, cool_down_s: float, clock: Callable[[], float]) -> None:
        self.cache = cache
        self.faults: deque[str] = deque(maxlen=FAULTS)
        self._cool_down_s, self._clock = cool_down_s, clock
        self._resting_until = float("-inf")

    @property
    def has_claims(self) -> bool:
        """Whether other processes ask it who makes an answer."""
        return isinstance(self.cache, AnswerClaims)

    def get(self, key: str, task: Task) -> Answer | None:
        """The answer to a task, if one is kept that can be one."""
        return self._sound(self._attempt(lambda: self.cache.get(key)), task)

    def table(self, key: str) -> dict[str, Any]:
        """A kept answer whose value is a table; an empty one where none is kept."""
        answer: Any = self._attempt(lambda: self.cache.get(key))
        value: Any = answer.value if isinstance(answer, Answer) else None
        return dict(value) if isinstance(value, dict) else {}

    def latest(self, series: str) -> Answer | None:
        """The newest answer of a series, if one is kept."""
        answer: Any = self._attempt(lambda: self.cache.latest(series))
        return answer if isinstance(answer, Answer) else None

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer; where that fails it is asked again."""
        self._attempt(lambda: self.cache.put(key, answer))

    def claim(self, key: str, lease_s: float) -> bool:
        """Whether to make an answer here: unless another process makes it, if that can be known."""
        cache = self.cache
        if not isinstance(cache, AnswerClaims):
            return True
        claimed = self._attempt(lambda: cache.claim(key, lease_s))
        return claimed is None or bool(claimed)

    def release(self, key: str) -> None:
        """Let other processes make an answer."""
        cache = self.cache
        if isinstance(cache, AnswerClaims):
            self._attempt(lambda: cache.release(key))

    def _sound(self, answer: Any, task: Task) -> Answer | None:
        if answer is None or (isinstance(answer, Answer) and is_value(task, answer.value)):
            return answer
        self.faults.append(f"what was kept is no answer to a task of kind {task.kind}")
        return None

    def _attempt(self, use: Callable[[], T]) -> T | None:
        started = 0.0
        try:
            started = self._clock()
            with waiting():
                return use() if started >= self._resting_until else None
        except Exception as error:  # noqa: BLE001 a cache of the user's may raise anything
            self.faults.append(f"{type(error).__name__}: {error}"[:300])
            if self._clock() - started > PATIENCE_S:
                self._resting_until = self._clock() + self._cool_down_s
            return None
