"""What a request costs: how much of it stood at the front of an earlier one."""

from collections.abc import Sequence
from typing import Any

import msgspec

from contextwright.testing.strict_server.refusal import fingerprint, text_tokens

CACHED_SHARE = 0.1
"""What a cached token costs beside a new one."""


class Billed(msgspec.Struct, frozen=True):
    """The bill of one accepted request, in the server's tokens.

    Args:
        tokens: all of its input.
        cached: how many of them an earlier request had sent in the same place.
        output: the answer's.
    """

    tokens: int
    cached: int
    output: int = 0

    @property
    def cost(self) -> float:
        """Input in units of a new token: a cached one costs a tenth."""
        return self.tokens - self.cached + CACHED_SHARE * self.cached


class PrefixCache:
    """The beginnings of the requests that were accepted, a part of a request at a time.

    Args:
        least: a shorter prefix is not cached.
    """

    def __init__(self, least: int = 1_024) -> None:
        self._least = least
        self._prefixes: set[str] = set()

    def bill(self, model: str, units: Sequence[Any]) -> Billed:
        """The bill of a request.

        Args:
            model: caches are a model's own.
            units: its parts in the order in which the model reads them.
        """
        prefix, total, cached, hit = fingerprint(model), 0, 0, True
        for unit in units:
            prefix = fingerprint(prefix, unit)
            total += text_tokens(unit)
            hit = hit and prefix in self._prefixes
            cached = total if hit else cached
            self._prefixes.add(prefix)
        return Billed(total, cached if cached >= self._least else 0)
