"""Bodies that went out as they came: a longer version of one fits as well, if what is new in it
does, and then nothing of it needs to be looked at.

A byte holds at most one token, so what a body has behind what it shares with a known one bounds
the tokens that are new in it.
"""

from collections import OrderedDict
from threading import Lock

import msgspec

SHARE = 90
"""Percent of a limit up to which a bound is trusted: bills calibrate the counter meanwhile."""


class KnownBody(msgspec.Struct, frozen=True):
    """A body, the tokens that it has, and those that it may have."""

    body: bytes
    tokens: int
    limit: int


class KnownBodies:
    """The newest body of each conversation that nothing was due for.

    Args:
        max_bytes: of all of them; the one used longest ago goes first.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes, self._size = max_bytes, 0
        self._bodies: OrderedDict[bytes, KnownBody] = OrderedDict()
        self._lock = Lock()

    def note(self, key: bytes, body: bytes, tokens: int, limit: int) -> None:
        """Keep a body that went out as it came.

        Args:
            key: of its conversation.
            limit: tokens from which on something is due.
        """
        with self._lock:
            self._drop(key)
            self._bodies[key] = KnownBody(body, tokens, limit)
            self._size += len(body)
            while self._size > self._max_bytes:
                self._drop(next(iter(self._bodies)))

    def fits(self, key: bytes, body: bytes) -> bool:
        """Whether nothing can be due for a body, by what is known of its conversation."""
        with self._lock:
            known = self._bodies.get(key)
            if known is not None:
                self._bodies.move_to_end(key)
        if known is None:
            return False
        new = len(body) - common_length(known.body, body)
        return (known.tokens + new) * 100 <= known.limit * SHARE

    def forget(self, key: bytes) -> None:
        """Let a body go: something was due."""
        with self._lock:
            self._drop(key)

    def _drop(self, key: bytes) -> None:
        known = self._bodies.pop(key, None)
        if known is not None:
            self._size -= len(known.body)


def common_length(one: bytes, other: bytes) -> int:
    """How many bytes two texts share from their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:  # what is before `low` is the same; copies are compared faster than views
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
