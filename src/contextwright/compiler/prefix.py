"""What a request shares with the one before it: what a provider's cache can use again."""

from typing import Any

import msgspec

from contextwright.compiler.manifest import Prefix
from contextwright.errors import ModelError
from contextwright.render.renderer import Request
from contextwright.render.target import Target
from contextwright.tokens.models import model_info


def shared_prefix(before: Request, now: Request, target: Target) -> Prefix:
    """Tokens and money of the common prefix of two requests, piece by piece."""
    order = target.provider.renderer.cache_order
    old, new = list(_pieces(before, order)), list(_pieces(now, order))
    same = 0
    while same < min(len(old), len(new)) and old[same][1] == new[same][1]:
        same += 1
    names = [name for name, _ in new[:same]]
    part = _part(now, names, conversation=order[-1])
    tokens = target.provider.renderer.measure(part, target) if same else 0
    where = new[same][0] if same < len(new) else ""
    return Prefix(tokens, _saved(tokens, target.model), where)


def _pieces(request: Request, order: tuple[str, ...]) -> list[tuple[str, bytes]]:
    pieces: list[tuple[str, bytes]] = []
    for key in order:
        value = request.get(key)
        if isinstance(value, list):
            items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
            pieces += [(f"{key}[{place}]", _bytes(item)) for place, item in enumerate(items)]
        elif value is not None:
            pieces.append((key, _bytes(value)))
    return pieces


def _part(request: Request, names: list[str], conversation: str) -> Request:
    """The request with only these pieces."""
    part: Request = {"model": request.get("model")}
    counts: dict[str, int] = {}
    for name in names:
        key = name.partition("[")[0]
        counts[key] = counts.get(key, 0) + 1
    for key, count in counts.items():
        value = request[key]
        part[key] = value[:count] if isinstance(value, list) else value
    part.setdefault(conversation, [])
    return part


def _bytes(value: Any) -> bytes:
    """Canonical bytes without the breakpoints: those move, and a cache does not mind."""
    return msgspec.json.encode(_unmarked(value), order="sorted")


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        items: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return {key: _unmarked(item) for key, item in items.items() if key != "cache_control"}
    if isinstance(value, list):
        return [_unmarked(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def _saved(tokens: int, model: str) -> int | None:
    try:
        info = model_info(model)
    except ModelError:
        return None
    return tokens * (info.input_price - info.cached_price) // 1_000_000
