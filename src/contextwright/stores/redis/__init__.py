"""Redis or Valkey as a cache in front of stores that several machines share. Never the truth."""

from typing import TYPE_CHECKING

from contextwright.lazy_names import lazy_names

if TYPE_CHECKING:
    from contextwright.stores.redis.redis_answers import RedisAnswers
    from contextwright.stores.redis.redis_cache import RedisCache

_HOMES = {"RedisAnswers": "redis_answers", "RedisCache": "redis_cache"}

__all__ = ["RedisAnswers", "RedisCache"]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
