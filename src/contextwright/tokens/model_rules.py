"""What a provider asks for a model's tokens, what its cache does, and what becomes of reasoning."""

from functools import cache
from typing import Literal

import msgspec

ReasoningProfile = Literal["none", "strip-old", "keep", "bound"]
"""`none`: it takes none back. `strip-old`: it reads that of the running turn only. `keep`: it reads
all, whatever became of what stood before it. `bound`: reasoning holds only while everything before
it is as it was, and what was left out once stays out."""


class Prices(msgspec.Struct, frozen=True, array_like=True):
    """What the tokens of a request cost, in micro-dollars a million; 0 where unknown.

    Args:
        above: tokens of a request above which these prices hold, for all of its tokens.
        input: what is read anew. cached: what a cache has.
        write: what a cache writes. long_write: what it writes to keep for longer.
        output: what the model says.
    """

    above: int
    input: int
    cached: int
    write: int
    long_write: int
    output: int


class CacheRules(msgspec.Struct, frozen=True):
    """How a provider caches the prefixes of a model's requests.

    Args:
        minimum: tokens that a prefix must have.
        grain: tokens by which what is read grows.
        breakpoints: marks that a request may have at most; 0 where it has none.
        look_back: parts before a mark, itself included, among which an earlier one is found; 0
            where all are.
        ttl_s, long_ttl_s: seconds that a prefix lives unread, and lives where that is asked for;
            0 where it is not known.
    """

    minimum: int = 1_024
    grain: int = 1
    breakpoints: int = 0
    look_back: int = 0
    ttl_s: int = 300
    long_ttl_s: int = 0

    def readable(self, tokens: int) -> int:
        """How many of so many tokens of a known prefix a cache reads."""
        return tokens // self.grain * self.grain if tokens >= self.minimum else 0


_THINKING = 500
"""Percent of the price of what is read that what a model says costs, where it is not known."""


class StepPrices(msgspec.Struct, frozen=True, array_like=True):
    """What a step costs and saves, in percent of the price of a token that is read anew.

    Args:
        read: of a token that a cache has: what stays is paid for so in every request.
        write: of one that a cache writes: what a step moves is written anew.
        reasoning: of a token of reasoning that is bound to its prefix: the model thinks it anew; 0
            where nothing binds it.
    """

    read: int = 10
    write: int = 100
    reasoning: int = 0


@cache
def step_prices(prices: Prices | None, *, bound: bool) -> StepPrices:
    """A model's prices of a step; what is usual where its own are not known.

    Args:
        bound: whether an edit takes out the reasoning that the model was to read again.
    """
    if prices is None or not prices.input:
        return StepPrices(reasoning=_THINKING if bound else 0)
    read, write, output = (
        round(100 * price / prices.input) for price in (prices.cached, prices.write, prices.output)
    )
    return StepPrices(read, max(read, write), output if bound else 0)


class ModelFamily(msgspec.Struct, frozen=True):
    """What the providers' pages say of all models whose names begin alike; None: nothing.

    Args:
        names: a pattern for the beginning of a name.
    """

    names: str
    reasoning: ReasoningProfile | None = None
    minimum: int | None = None
    grain: int | None = None
    breakpoints: int | None = None
    look_back: int | None = None
    ttl_s: int | None = None
    long_ttl_s: int | None = None

    def cache(self) -> CacheRules:
        """The rules of its cache; the usual ones where nothing is said."""
        rules = {key: getattr(self, key) for key in CacheRules.__struct_fields__}
        return CacheRules(**{key: value for key, value in rules.items() if value is not None})
