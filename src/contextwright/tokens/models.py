"""What is known of models: provider, window, prices. A snapshot, shipped with the package, and what
`register_model` adds to it."""

import re
from functools import cache, lru_cache
from pkgutil import get_data

import msgspec

from contextwright.errors import ModelError

REASONING_RESERVE = 25_000
"""Tokens that a reasoning model needs for its thoughts and its answer, by OpenAI's own advice."""


class ModelInfo(msgspec.Struct, frozen=True):
    """A model.

    Args:
        provider: `openai`, `anthropic`, `google`, or another's name.
        window: tokens of input and output together.
        max_output: tokens of an answer at most.
        input_price, cached_price, cache_write_price, output_price: micro-dollars a million
            tokens; 0 where unknown.
        max_input: tokens of a request at most; some providers refuse more, however short the
            answer is to be.
    """

    name: str
    provider: str
    window: int
    max_output: int
    input_price: int
    cached_price: int
    cache_write_price: int
    output_price: int
    max_input: int

    @property
    def reasons(self) -> bool:
        """Whether it thinks without being asked to, and its thoughts count as its answer."""
        return bool(_REASONS.match(self.name)) and "chat" not in self.name

    @property
    def cache_minimum(self) -> int:
        """Tokens that a prefix must have for its provider to cache it."""
        return next(
            (least for names, least in CACHE_MINIMA if re.search(names, self.name)),
            CACHE_MINIMUM,
        )


CACHE_MINIMUM = 1_024
"""Tokens that a cached prefix must have, where its model has no other minimum: OpenAI's, and
that of most models of Anthropic's."""
CACHE_MINIMA = (
    (r"claude-(?:opus|fable|mythos)-5(?!\d)|claude-(?:sonnet|haiku)-5-5", 512),
    (r"claude-opus-4-7|claude-mythos-preview|claude-3-5-haiku|claude-haiku-3-5", 2_048),
    (r"claude-opus-4-[56]|claude-haiku-4-5", 4_096),
    (r"gemini-2", 2_048),
    (r"gemini", 4_096),
)
"""By what stands in the name, the first that fits, as the providers' pages on caching have them."""
_REASONS = re.compile(
    r"o\d|gpt-(?:[5-9]|\d\d)|codex|chat-latest$|gemini-(?:2\.5-pro|2\.5-flash(?!-lite)|[3-9])"
    r"|gemini-(?:pro|flash)-latest$|deepseek-reasoner|grok-4|magistral|qwq"
)
_DATE = re.compile(r"[-@](?:20\d{2}-?\d{2}-?\d{2}|latest|preview|\d{4})$")
_VENDOR = re.compile(
    r"(?:(?:us|eu|apac|global)\.)?(?:anthropic|meta|mistral|cohere|openai|deepseek|qwen)\."
)
_VERSION = re.compile(r"(?:-v\d+)?(?::\d+)?$")
_VARIANT = re.compile(r":(?:free|beta|extended|nitro|floor|online|thinking|exacto)$")
_registered: dict[str, ModelInfo] = {}


def register_model(
    name: str,
    *,
    window: int,
    provider: str = "",
    max_input: int | None = None,
    max_output: int | None = None,
    input_price: float = 0,
    cached_price: float | None = None,
    output_price: float = 0,
) -> ModelInfo:
    """Describe a model that the table lacks, or has wrong: a local one, a deployment's name.

    Args:
        name: as it is given to `compile(model=...)`; in this process it is then known.
        window: tokens of input and output together.
        provider: whose request format it takes: `openai`, `anthropic`, `google`; OpenAI's where
            none is named.
        max_input: tokens of a request at most; by default what the window leaves.
        max_output: tokens of an answer at most; by default 4,096, or half of a smaller window.
        input_price, cached_price, output_price: dollars a million tokens.

    Returns:
        What is known of it now.

    Raises:
        ModelError: no name, or numbers that can not be.
    """
    if not isinstance(name, str) or not name.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ModelError(
            f"{name!r} is not a model's name", where="register_model", fix='such as "my-llama"'
        )
    limit = window if max_input is None else max_input
    if max_output is None:
        max_output = 4096 if not isinstance(window, int) else min(4096, max(1, window // 2))  # pyright: ignore[reportUnnecessaryIsInstance]
    for option, value in (("window", window), ("max_input", limit), ("max_output", max_output)):
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= window:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ModelError(
                f"{option} is {value!r}",
                where=f"register_model({name!r}, ...)",
                fix="give a whole number of tokens, no more than the window",
            )
    prices = (input_price, input_price if cached_price is None else cached_price, input_price)
    micro = [round(1_000_000 * price) for price in (*prices, output_price)]
    info = ModelInfo(name, provider, window, max_output, *micro, max_input=limit)
    _registered[name.strip().lower()] = info
    model_info.cache_clear()
    return info


@lru_cache(1024)
def model_info(name: str) -> ModelInfo:
    """What is known of a model. A provider's prefix, a date, `-latest` and what Bedrock, Vertex
    and OpenRouter write around a name may be there or not.

    Raises:
        ModelError: unknown; names the nearest.
    """
    table = _table()
    for candidate in spellings_of(name):
        known = _registered.get(candidate)
        if known is not None:
            return known
        row = table.get(candidate)
        if row is not None:
            return ModelInfo(candidate, *row)
    from difflib import get_close_matches

    close = get_close_matches(spellings_of(name)[-1], [*table, *_registered], n=3)
    near = f"did you mean {', '.join(close)}? Or " if close else ""
    raise ModelError(
        f"unknown model {name!r}",
        where="model",
        fix=f"{near}describe it: window=128000, format='openai-chat' "
        "(--window 128000 --to openai-chat), or register_model(NAME, window=128000)",
    )


def spellings_of(name: str) -> list[str]:
    """A model's name as it may stand in a table, the barest one last: without a gateway, a vendor,
    a date."""
    whole = name.strip().lower()
    plain = _VARIANT.sub("", whole).rpartition("/")[2]
    vendorless = _VERSION.sub("", _VENDOR.sub("", plain))
    names = [whole, plain, plain.rpartition(":")[2], vendorless]
    if "claude" in plain:
        names.append(vendorless.replace(".", "-"))
    return list(dict.fromkeys([*names, *(_DATE.sub("", each) for each in names)]))


Row = tuple[str, int, int, int, int, int, int, int]


@cache
def _table() -> dict[str, Row]:
    data = get_data("contextwright.tokens", "data/models.json") or b""
    return msgspec.json.decode(data, type=_Snapshot).models


class _Snapshot(msgspec.Struct):
    source: str
    models: dict[str, Row]
