"""The right to make an answer, where several processes share what they are told."""

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
