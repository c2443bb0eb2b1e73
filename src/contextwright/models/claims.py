"""The right to make an answer, where several processes share what they are told."""

import threading
from typing import Protocol, runtime_checkable

POLL_S = 0.05
"""Seconds between two looks for an answer that another process makes."""


@runtime_checkable
class AnswerClaims(Protocol):
    """An `AnswerCache` whose processes make each answer once."""

    def claim(self, key: str, lease_s: float) -> bool:
        """Whether this process is to make an answer; not, where another one makes it. The right
        ends after `lease_s` seconds."""
        ...

    def release(self, key: str) -> None:
        """The answer was made, or will not be."""
        ...


class ClaimedAnswer:
    """The right to make one answer, taken and let go of once: by a thread that goes on when
    whoever awaits it is cancelled, too."""

    def __init__(self, claims: AnswerClaims, key: str) -> None:
        self._claims, self._key = claims, key
        self._lock = threading.RLock()
        self._is_taken = self._is_given_up = False

    def take(self, lease_s: float) -> bool:
        """Whether the answer is to be made here."""
        if not self._claims.claim(self._key, lease_s):
            return False
        with self._lock:
            self._is_taken = True
            is_given_up = self._is_given_up
        if is_given_up:
            self.release()
        return True

    def release(self) -> None:
        """The answer was made, or will not be; what was not taken is left alone."""
        with self._lock:
            is_taken, self._is_taken = self._is_taken, False
            self._is_given_up = True
        if is_taken:
            self._claims.release(self._key)
