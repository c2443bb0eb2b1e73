"""Values in Redis or Valkey that may be gone at any moment, and claims on making one."""

import time
from collections.abc import Callable, Iterable
from hashlib import sha256
from secrets import token_hex
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from contextwright.errors import StoreError
from contextwright.optional_imports import optional_imports

with optional_imports("redis", "redis", "redis"):
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

T = TypeVar("T")
DAY_S = 86_400.0
_NOW = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
"""
"""Microseconds: a counter would begin anew in an emptied server, and be behind those before."""
_CLAIM = f"""
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
    and redis.call('GET', KEYS[1]) ~= ARGV[1] then return '0' end
{_NOW}
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
if now <= last then now = last + 1 end
redis.call('SET', KEYS[2], string.format('%.0f', now), 'PX', ARGV[3])
return string.format('%.0f', now)
"""
"""A claim whose answer was lost is asked for again, with its own token: it is there then."""
_RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""
_PUT_FENCED = """
if tonumber(redis.call('GET', KEYS[2]) or '0') > tonumber(ARGV[3]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
_GENERATION = f"""
local known = redis.call('GET', KEYS[1])
if known then return known end
{_NOW}
redis.call('SET', KEYS[1], string.format('%.0f', now))
return string.format('%.0f', now)
"""
_NEXT_GENERATION = f"""
{_NOW}
local last = tonumber(redis.call('GET', KEYS[1]) or '0')
if now <= last then now = last + 1 end
redis.call('SET', KEYS[1], string.format('%.0f', now))
return 1
"""


class CacheClaim(msgspec.Struct, frozen=True):
    """The right to make a value, for a time.

    Args:
        fence: greater than that of every claim on the same value before.
    """

    name: str
    token: str
    fence: int


class RedisCache:
    """A cache that several machines share. What fails is a miss: no error of the server reaches a
    caller, and one that does not answer is left alone for a while.

    Args:
        url: of the server, as redis-py takes it: `redis://host:6379/0`, `rediss://` with TLS.
        tenant: whose values these are; nobody else's are ever read.
        prefix: of all keys.
        expires_s: seconds after which a value goes.
        timeout_s: seconds to wait for the server.
        rest_s: seconds in which a server that failed is not asked.
        clock: seconds.

    Attributes:
        degraded: why the server was not used the last time; empty where it was.

    Raises:
        StoreError: no such URL, or no name of a tenant. MissingExtra: redis is not installed.
    """

    def __init__(
        self,
        url: str = "redis://localhost:6379/0",
        *,
        tenant: str = "default",
        prefix: str = "contextwright",
        expires_s: float = DAY_S,
        timeout_s: float = 0.25,
        rest_s: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not tenant:
            raise StoreError(
                "expected the name of a tenant, got an empty one",
                where="RedisCache(tenant=...)",
                fix="give whose values these are, such as 'acme'; leave it out where there is one",
            )
        try:
            self._client: Any = redis.Redis.from_url(
                url,
                socket_timeout=timeout_s,
                socket_connect_timeout=timeout_s,
                retry=Retry(NoBackoff(), 1),  # a connection that the server closed meanwhile
            )
        except ValueError as error:
            fix = "give redis://host:6379/0, or rediss:// for TLS"
            raise StoreError(
                f"no URL of a server: {error}", where="RedisCache(url)", fix=fix
            ) from error
        self.tenant, self.degraded = tenant, ""
        self._space = f"{prefix}:{quote(tenant, safe='')}"
        self._expires_ms, self._rest_s, self._clock = round(expires_s * 1000), rest_s, clock
        self._resting_until = float("-inf")

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def get(self, kind: str, name: str) -> bytes | None:
        """A value, if it is there and what was put there."""
        key = self._key(kind, name)
        stored = self._attempt(lambda: self._client.get(key))
        if not isinstance(stored, bytes) or stored[:32] != _digest(key, stored[32:]):
            return None
        return stored[32:]

    def put(self, kind: str, name: str, value: bytes, *, claim: CacheClaim | None = None) -> bool:
        """Keep a value; whether it is kept.

        Args:
            claim: on making it; where another was given since, the value stays out.
        """
        key = self._key(kind, name)
        stored = _digest(key, value) + value
        if claim is None:
            done = self._attempt(lambda: self._client.set(key, stored, px=self._expires_ms))
            return bool(done)
        keys = (key, self._key("fence", claim.name))
        arguments = (stored, self._expires_ms, claim.fence)
        return bool(self._attempt(lambda: self._client.eval(_PUT_FENCED, 2, *keys, *arguments)))

    def delete(self, kind: str, names: Iterable[str]) -> None:
        """Remove values.

        Raises:
            StoreError: the server can not be reached: they are there until they expire.
        """
        keys = [self._key(kind, name) for name in names]
        try:
            self._client.eval(_NEXT_GENERATION, 1, self._key("generation", kind))
            for key in keys:
                self._client.delete(key)
        except redis.RedisError as error:
            raise StoreError(
                f"the cache can not be reached, what is removed may still be in it: {error}"[:300],
                where=f"RedisCache, tenant {self.tenant!r}",
                fix="do it again, or empty the server",
            ) from error

    def generation(self, kind: str) -> bytes | None:
        """A number that is another one after every removal; None where it can not be known."""
        key = self._key("generation", kind)
        value = self._attempt(lambda: self._client.eval(_GENERATION, 1, key))
        return value if isinstance(value, bytes) else None

    def claim(self, name: str, lease_s: float) -> CacheClaim | None:
        """The right to make a value, where nobody has it.

        Args:
            lease_s: seconds after which others may have it.

        Returns:
            A claim, of token "" where the server can not be asked: all may make it then. None
            where somebody else has one.
        """
        token = token_hex(8)
        keys = (self._key("claim", name), self._key("fence", name))
        arguments = (token, round(lease_s * 1000), self._expires_ms)
        fence = self._attempt(lambda: self._client.eval(_CLAIM, 2, *keys, *arguments))
        if fence is None:
            return CacheClaim(name, "", 0)
        return CacheClaim(name, token, int(fence)) if int(fence) else None

    def release(self, claim: CacheClaim) -> None:
        """Let others make the value; one whose time is over has nothing to let go."""
        if claim.token:
            key = self._key("claim", claim.name)
            self._attempt(lambda: self._client.eval(_RELEASE, 1, key, claim.token))

    def _key(self, kind: str, name: str) -> str:
        """The braces put all keys of a name into one slot of a cluster."""
        named = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{self._space}:{{{named}}}:{kind}"

    def _attempt(self, use: Callable[[], T]) -> T | None:
        if self._clock() < self._resting_until:
            return None
        try:
            done = use()
        except (redis.RedisError, OSError) as error:
            self.degraded = f"{type(error).__name__}: {error}"[:200]
            self._resting_until = self._clock() + self._rest_s
            return None
        self.degraded = ""
        return done


def _digest(key: str, value: bytes) -> bytes:
    return sha256(key.encode() + b"\n" + value).digest()
