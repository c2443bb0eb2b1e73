"""What is known of models: provider, window, prices. A snapshot, shipped with the package."""

import re
from functools import cache
from importlib.resources import files

import msgspec

from contextwright.errors import ModelError


class ModelInfo(msgspec.Struct, frozen=True):
    """A model.

    Args:
        provider: `openai`, `anthropic`, `google`, or another's name.
        window: tokens of input and output together.
        max_output: tokens of an answer at most.
        input_price, cached_price, cache_write_price, output_price: micro-dollars a million
            tokens; 0 where unknown.
    """

    name: str
    provider: str
    window: int
    max_output: int
    input_price: int
    cached_price: int
    cache_write_price: int
    output_price: int


_DATE = re.compile(r"-(?:20\d{2}-?\d{2}-?\d{2}|latest|preview|\d{4})$")


@cache
def model_info(name: str) -> ModelInfo:
    """What is known of a model. A provider's prefix, a date and `-latest` may be there or not.

    Raises:
        ModelError: unknown; names the nearest.
    """
    table = _table()
    for candidate in _candidates(name):
        row = table.get(candidate)
        if row is not None:
            return ModelInfo(candidate, *row)
    from difflib import get_close_matches

    close = get_close_matches(_candidates(name)[0], table, n=3)
    near = f"did you mean {', '.join(close)}? Or " if close else ""
    raise ModelError(
        f"unknown model {name!r}",
        where="model",
        fix=f"{near}describe it: window=128000, format='openai-chat' "
        "(--window 128000 --to openai-chat)",
    )


def _candidates(name: str) -> list[str]:
    short = name.strip().lower()
    names = [short]
    for separator in ("/", ":"):
        if separator in short:
            names.append(short.rpartition(separator)[2])
    return list(dict.fromkeys([*names, *(_DATE.sub("", each) for each in names)]))


Row = tuple[str, int, int, int, int, int, int]


@cache
def _table() -> dict[str, Row]:
    data = (files("contextwright.tokens") / "data" / "models.json").read_bytes()
    return msgspec.json.decode(data, type=_Snapshot).models


class _Snapshot(msgspec.Struct):
    source: str
    models: dict[str, Row]
