"""What a request shares with the one before it: what a provider's cache can use again."""

from collections.abc import Iterator
from typing import Any, cast

import msgspec

from contextwright.compiler.manifest import Prefix
from contextwright.errors import ModelError
from contextwright.render.renderer import Request
from contextwright.render.target import Target
from contextwright.tokens.models import model_info


def shared_prefix(before: Request, now: Request, target: Target) -> Prefix:
    """Tokens and money of the common prefix of two requests, piece by piece."""
    renderer, rules = target.provider.renderer, target.cache_rules
    old, new = list(_pieces(before, renderer.cache_order)), list(_pieces(now, renderer.cache_order))
    same = 0
    while same < min(len(old), len(new)) and old[same].text == new[same].text:
        same += 1

    def tokens(count: int) -> int:
        part = _part(now, [piece.name for piece in new[:count]], renderer.cache_order[-1])
        return renderer.measure(part, target) if count else 0

    reached = _readable(old, new, same, rules.look_back) if renderer.marks_cache else same
    last = _written(new) if renderer.marks_cache else len(new)
    read = rules.readable(tokens(reached))
    end = tokens(last) if last else 0
    written = max(0, end - read) if end >= rules.minimum else 0
    where = new[same].name if same < len(new) else ""
    length = tokens(len(new))
    saved = _saved(read, written, length, target.model)
    return Prefix(tokens(same), saved, where, read, written)


class _Piece(msgspec.Struct, frozen=True):
    """What a cache reads as one; `marked` where a breakpoint stands in it, `parts` that it has."""

    name: str
    text: bytes
    marked: bool
    parts: int


def _pieces(request: Request, order: tuple[str, ...]) -> Iterator[_Piece]:
    for key in order:
        value = request.get(key)
        if isinstance(value, list):
            items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
            yield from (_piece(f"{key}[{place}]", item) for place, item in enumerate(items))
        elif value is not None:
            yield _piece(key, value)


def _piece(name: str, value: Any) -> _Piece:
    text = _bytes(value)
    content: object = cast("Request", value).get("content") if isinstance(value, dict) else None
    parts = len(cast("list[object]", content)) if isinstance(content, list) else 1
    return _Piece(name, text, text != msgspec.json.encode(value, order="sorted"), parts)


def _written(pieces: list[_Piece]) -> int:
    """How many pieces, from the first, are written into a cache: up to the last breakpoint."""
    return max((place + 1 for place, piece in enumerate(pieces) if piece.marked), default=0)


def _readable(old: list[_Piece], new: list[_Piece], same: int, look_back: int) -> int:
    """How many pieces of what was written are found again: an earlier breakpoint in the common
    prefix that lies within reach of one of the new ones."""
    written = [place for place, piece in enumerate(old[:same]) if piece.marked]
    if not look_back:
        return written[-1] + 1 if written else 0
    for place in reversed(written):
        reach = 0
        for piece in new[place:]:
            reach += piece.parts
            if reach > look_back:
                break
            if piece.marked:
                return place + 1
    return 0


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


def _saved(read: int, written: int, length: int, model: str) -> int | None:
    """What a cache saves, less what it asks for writing.

    Args:
        read: tokens that it has. written: tokens that it has after this request. length: tokens of
            the request.
    """
    try:
        prices = model_info(model).prices(length)
    except ModelError:
        return None
    gain = read * (prices.input - prices.cached)
    return (gain - written * max(0, prices.write - prices.input)) // 1_000_000
