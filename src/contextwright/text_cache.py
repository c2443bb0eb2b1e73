"""What this process remembers of texts to save time, and how it forgets it: what was erased must
not live on in a cache."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
_FORGETTING: list[Callable[[], object]] = []


def cached_text(most: int) -> Callable[[F], F]:
    """Remember what a function gave for so many arguments; `forget_remembered` forgets it."""

    def decorate(function: F) -> F:
        cached = lru_cache(most)(function)
        when_forgetting(cached.cache_clear)
        return cached  # pyright: ignore[reportReturnType]

    return decorate


def when_forgetting(forget: Callable[[], object]) -> None:
    """Call this as well when everything is to be forgotten."""
    _FORGETTING.append(forget)


def forget_remembered() -> None:
    """Forget all texts. Only costs time: whatever is asked next is worked out again."""
    for forget in _FORGETTING:
        forget()
