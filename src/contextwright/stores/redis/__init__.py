"""Redis or Valkey as a cache in front of stores that several machines share. Never the truth."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from contextwright.stores.redis.redis_answers import RedisAnswers
    from contextwright.stores.redis.redis_cache import RedisCache

_HOMES = {"RedisAnswers": "redis_answers", "RedisCache": "redis_cache"}

__all__ = ["RedisAnswers", "RedisCache"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
