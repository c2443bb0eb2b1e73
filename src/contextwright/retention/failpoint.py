"""Failpoints: the steps at which tests kill the process."""

from collections.abc import Callable

HOOKS: list[Callable[[str], None]] = []
"""Called with the name of each step; tests put one here that kills the process."""


def failpoint(step: str) -> None:
    """Mark a step of something that must be whole or not at all."""
    for hook in HOOKS:
        hook(step)
