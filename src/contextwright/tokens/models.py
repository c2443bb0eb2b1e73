"""What is known of models: provider, window, prices. A snapshot, shipped with the package, and what
`register_model` adds to it."""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pkgutil import get_data
from types import MappingProxyType
from typing import Any

import msgspec

from contextwright.errors import ModelError
from contextwright.tokens.model_rules import CacheRules, ModelFamily, Prices, ReasoningProfile
from contextwright.typed_decoding import converted, decoder

REASONING_RESERVE = 25_000
"""Tokens that a reasoning model needs for its thoughts and its answer, by OpenAI's own advice."""


class ModelInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A model.

    Args:
        provider: `openai`, `anthropic`, `google`, or another's name.
        window: tokens of input and output together.
        max_output: tokens of an answer at most.
        max_input: tokens of a request at most; some providers refuse more, however short the
            answer is to be.
        tiers: what its tokens cost, the shortest requests first; at least one.
        cache: what its provider's cache does.
        reasoning: what it does with reasoning that is sent back to it.
    """

    name: str
    provider: str
    window: int
    max_output: int
    max_input: int
    tiers: tuple[Prices, ...]
    cache: CacheRules
    reasoning: ReasoningProfile

    @property
    def reasons(self) -> bool:
        """Whether it thinks without being asked to, and its thoughts count as its answer."""
        return bool(_REASONS.match(self.name)) and "chat" not in self.name

    @property
    def input_price(self) -> int:
        """Micro-dollars a million tokens of a short request; 0 where unknown."""
        return self.tiers[0].input

    @property
    def cached_price(self) -> int:
        """Micro-dollars a million tokens that a cache has, of a short request."""
        return self.tiers[0].cached

    @property
    def cache_write_price(self) -> int:
        """Micro-dollars a million tokens that a cache writes, of a short request."""
        return self.tiers[0].write

    @property
    def output_price(self) -> int:
        """Micro-dollars a million tokens of an answer to a short request."""
        return self.tiers[0].output

    @property
    def cache_minimum(self) -> int:
        """Tokens that a prefix must have for its provider to cache it."""
        return self.cache.minimum

    def prices(self, tokens: int) -> Prices:
        """What the tokens of a request of so many cost."""
        for tier in self.tiers[:0:-1]:
            if tokens > tier.above:
                return tier
        return self.tiers[0]


_REASONS = re.compile(
    r"o\d|gpt-(?:[5-9]|\d\d)|codex|chat-latest$|gemini-(?:2\.5-pro|2\.5-flash(?!-lite)|[3-9])"
    r"|gemini-(?:pro|flash)-latest$|deepseek-reasoner|grok-4|magistral|qwq"
)
_DATE = re.compile(r"[-@](?:20\d{2}-?\d{2}-?\d{2}|latest|preview|\d{4})$")
_VENDOR = re.compile(
    r"(?:(?:us|eu|apac|global)\.)?(?:anthropic|meta|mistral|cohere|openai|deepseek|qwen)\."
)
_VERSION = re.compile(r"(?:-v\d+)?(?::\d+)?$")
_TUNED = re.compile(r"\bft:([^:/]+)")
"""OpenAI's name of a fine-tuned model begins so: `ft:BASE:ORGANIZATION:NAME:ID`."""
_VARIANT = re.compile(r":(?:free|beta|extended|nitro|floor|online|thinking|exacto)$")
_registered: dict[str, ModelInfo] = {}
_NO_TIERS: Mapping[int, Mapping[str, float]] = MappingProxyType({})


def register_model(
    name: str,
    *,
    window: int,
    provider: str = "",
    max_input: int | None = None,
    max_output: int | None = None,
    input_price: float = 0,
    cached_price: float | None = None,
    cache_write_price: float | None = None,
    long_write_price: float | None = None,
    output_price: float = 0,
    tiers: Mapping[int, Mapping[str, float]] = _NO_TIERS,
    cache: CacheRules | None = None,
    reasoning: ReasoningProfile | None = None,
) -> ModelInfo:
    """Describe a model that the table lacks, or has wrong: a local one, a deployment's name.

    Args:
        name: as it is given to `compile(model=...)`; in this process it is then known.
        window: tokens of input and output together.
        provider: whose request format it takes: `openai`, `anthropic`, `google`; OpenAI's where
            none is named.
        max_input: tokens of a request at most; by default what the window leaves.
        max_output: tokens of an answer at most; by default 4,096, or half of a smaller window.
        input_price, cached_price, cache_write_price, long_write_price, output_price: dollars a
            million tokens; what is written to a cache costs what is read, where nothing is said.
        tiers: prices of long requests, by the tokens above which they hold:
            `{200_000: {"input_price": 2.5, "cached_price": .25, "output_price": 15}}`; what one
            does not name stays.
        cache, reasoning: what the cache does, and what it does with reasoning that is sent back;
            by default what the name says.

    Raises:
        ModelError: no name, or numbers that can not be.
    """
    if not isinstance(name, str) or not name.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
        what = f"{name!r} is not a model's name"
        raise ModelError(what, where="register_model", fix='such as "my-llama"')
    where = f"register_model({name!r}, ...)"
    limit, max_output = _limits(window, max_input, max_output, where)
    short = _short_prices(
        input_price, cached_price, cache_write_price, long_write_price, output_price
    )
    family = family_of(name)
    info = ModelInfo(
        name=name,
        provider=provider,
        window=window,
        max_output=max_output,
        max_input=limit,
        tiers=(_tier(0, short), *_tiers(tiers, short, where)),
        cache=cache or family.cache(),
        reasoning=reasoning or family.reasoning or "keep",
    )
    _registered[name.strip().lower()] = info
    known_model.cache_clear()
    return info


def _short_prices(
    input: float, cached: float | None, write: float | None, long_write: float | None, output: float
) -> dict[str, float]:
    """What a short request costs, by the names of the options; what nobody named follows."""
    write = input if write is None else write
    return {
        "input_price": input,
        "cached_price": input if cached is None else cached,
        "cache_write_price": write,
        "long_write_price": write if long_write is None else long_write,
        "output_price": output,
    }


def _limits(
    window: int, max_input: int | None, max_output: int | None, where: str
) -> tuple[int, int]:
    """Tokens of a request and of an answer at most."""
    limit = window if max_input is None else max_input
    if max_output is None:
        max_output = 4096 if not isinstance(window, int) else min(4096, max(1, window // 2))  # pyright: ignore[reportUnnecessaryIsInstance]
    for option, value in (("window", window), ("max_input", limit), ("max_output", max_output)):
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= window:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ModelError(
                f"{option} is {value!r}",
                where=where,
                fix="give a whole number of tokens, no more than the window",
            )
    return limit, max_output


def _tier(above: int, prices: Mapping[str, float]) -> Prices:
    return Prices(above, *(round(1_000_000 * price) for price in prices.values()))


def _tiers(
    tiers: Mapping[int, Mapping[str, float]], short: dict[str, float], where: str
) -> Iterator[Prices]:
    for above in sorted(tiers):
        unknown = tiers[above].keys() - short.keys()
        if unknown or above < 1:
            raise ModelError(
                f"no price is called {min(unknown)!r}" if unknown else f"a tier above {above}",
                where=f"{where}, tiers[{above}]",
                fix=f"by tokens above which it holds: {', '.join(short)}",
            )
        yield _tier(above, {**short, **tiers[above]})


@lru_cache(1024)
def known_model(name: str) -> ModelInfo | None:
    """What is known of a model, as `model_info` has it; None of one that is in no table. It is
    asked of at every request."""
    table = _table().models
    for candidate in spellings_of(name):
        known = _registered.get(candidate)
        if known is not None:
            return known
        row = table.get(candidate)
        if row is not None:
            return _of_row(candidate, row)
    return None


def is_other_model(name: str, other: str) -> bool:
    """Whether two names are those of two models that are known; one that is not may be a name that
    somebody gave the same."""
    if known_model(name) is None or known_model(other) is None:
        return False
    return set(spellings_of(name)).isdisjoint(spellings_of(other))


def model_info(name: str) -> ModelInfo:
    """What is known of a model. A provider's prefix, a date, `-latest` and what Bedrock, Vertex
    and OpenRouter write around a name may be there or not.

    Raises:
        ModelError: unknown; names the nearest.
    """
    known = known_model(name)
    if known is not None:
        return known
    from difflib import get_close_matches

    names = [*_table().models, *_registered]
    close = get_close_matches(spellings_of(name)[-1], names, n=3)
    near = f"did you mean {', '.join(close)}? Or " if close else ""
    raise ModelError(
        f"unknown model {name!r}",
        where="model",
        fix=f"{near}give its window: window=128000 (--window 128000), or "
        "register_model(NAME, window=128000)",
    )


def spellings_of(name: str) -> list[str]:
    """A model's name as it may stand in a table, the barest one last: without a gateway, a vendor,
    a date, what it was tuned to."""
    whole = name.strip().lower()
    if tuned := _TUNED.search(whole):
        return [whole, tuned[0], *spellings_of(tuned[1])]
    plain = _VARIANT.sub("", whole).rpartition("/")[2]
    vendorless = _VERSION.sub("", _VENDOR.sub("", plain))
    names = [whole, plain, plain.rpartition(":")[2], vendorless]
    if "claude" in plain:
        names.append(vendorless.replace(".", "-"))
    return list(dict.fromkeys([*names, *(_DATE.sub("", each) for each in names)]))


@lru_cache(1024)
def family_of(name: str) -> ModelFamily:
    """What is known of a model by its name alone, also of one that no table has: of each thing,
    what the first family says whose pattern fits."""
    bare = spellings_of(name)[-1]
    facts: dict[str, Any] = {}
    for family in _table().families:
        if re.match(family.names, bare):
            fields = msgspec.structs.asdict(family)
            facts = {**{key: value for key, value in fields.items() if value is not None}, **facts}
    return converted({**facts, "names": bare}, ModelFamily)


def reasoning_profile(name: str) -> ReasoningProfile:
    """What a model does with reasoning that is sent back to it, by its row or by its name; `keep`
    where nothing is known of it. They differ, and one rule for all is wrong both ways: where one
    refuses reasoning whose prefix was edited, another refuses the newest message without it.
    Sources: Anthropic, "Preserved thinking" and "Thinking troubleshooting"; OpenAI, "Keep the
    prefix unchanged" (GPT-6.2 and later)."""
    info = known_model(name)
    return info.reasoning if info is not None else family_of(name).reasoning or "keep"


def _of_row(name: str, row: "_Row") -> ModelInfo:
    family = family_of(name)
    if row.cache_minimum:
        family = msgspec.structs.replace(family, minimum=row.cache_minimum)
    return ModelInfo(
        name=name,
        provider=row.provider,
        window=row.window,
        max_output=row.max_output,
        max_input=row.max_input,
        tiers=row.tiers,
        cache=family.cache(),
        reasoning=family.reasoning or "keep",
    )


@cache
def _table() -> "_Snapshot":
    data = get_data("contextwright.tokens", "data/models.json") or b""
    return decoder(_Snapshot).decode(data)


class _Row(msgspec.Struct, frozen=True, array_like=True):
    provider: str
    window: int
    max_output: int
    max_input: int
    cache_minimum: int
    tiers: tuple[Prices, ...]


class _Snapshot(msgspec.Struct):
    source: str
    families: tuple[ModelFamily, ...]
    models: dict[str, _Row]
