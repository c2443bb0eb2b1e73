"""Where a crash may come: tests put a hook here, and kill the process at every step."""

from collections.abc import Callable

HOOKS: list[Callable[[str], None]] = []


def reached(step: str) -> None:
    """A step of something that must be whole or not at all was reached."""
    for hook in HOOKS:
        hook(step)
