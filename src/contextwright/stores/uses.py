"""How often things were used, counted in memory until a store writes them along."""

import threading
from collections.abc import Iterable


class Uses:
    """Counts that wait to be written: a synced write per search would cost more than the search.
    A killed process loses those since the last write."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()

    def add(self, ids: Iterable[str], now_ms: int) -> None:
        """Count one use of each.

        Args:
            now_ms: milliseconds since 1970.
        """
        with self._lock:
            for id in ids:
                count, last = self._waiting.get(id, (0, now_ms))
                self._waiting[id] = (count + 1, max(last, now_ms))

    def take(self) -> list[tuple[int, int, str]]:
        """(uses, last use in milliseconds, id) of what waits; then nothing waits."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        return [(count, last, id) for id, (count, last) in waiting.items()]
