"""What a request shares with the one before it: what a provider's cache can use again."""

from collections.abc import Callable, Mapping
from itertools import compress
from operator import is_, is_not
from typing import Any, NamedTuple, cast

import msgspec

from contextwright.compiler.manifest import Manifest, Places, Prefix
from contextwright.compiler.receipt import Receipt
from contextwright.memo.by_identity import NEWEST, by_identity
from contextwright.memo.ownership import owned_table
from contextwright.render.renderer import Renderer, Request
from contextwright.render.request_wires import token_sums
from contextwright.render.target import Target
from contextwright.tokens.model_rules import CacheRules
from contextwright.tokens.models import known_model

_MARK = b'"cache_control"'
EARLIER = 32
"""Breakpoints of requests before the one before that are remembered: of a loop its newest calls."""


def shared_prefix(
    before: Mapping[str, Any] | bytes,
    now: Request,
    target: Target,
    *,
    tokens: int = -1,
    tokens_before: int = -1,
    earlier: Places = (),
) -> Prefix:
    """Tokens and money of the common prefix of two requests, piece by piece.

    Args:
        before: the request before, or its bytes.
        tokens, tokens_before: of both, where these are known, and counted for this target.
        earlier: up to where requests before that one wrote what it has still.
    """
    renderer, rules = target.provider.renderer, target.cache_rules
    order = renderer.cache_order
    request = msgspec.json.decode(before) if isinstance(before, bytes) else before
    old, new = _values(request, order), _values(now, order)
    if renderer.marks_cache:
        marked, pieces = _pieces(old), _pieces(new)
        same = _same(old, new, lambda at: marked[at].text == pieces[at].text)
        shared = _Place(same, _parts_alike(old, new, same))
        known = _in_reach(marked, shared, earlier)
        reached = _readable(known, pieces, rules.look_back)
        last = _written(pieces)
    else:
        same = _same(old, new)
        if same == len(old) > 0 and min(tokens_before, tokens) >= 0:
            return _of_grown(tokens_before, tokens, now, same, len(new), target, rules)
        shared = reached = _Place(same)
        known, last = [], _Place(len(new))
    running = _running_tokens(now, new, target)

    def upto(place: _Place) -> int:
        return running(place.pieces) + _begun(new, place, renderer, target)

    common, length = upto(shared), running(len(new))
    read = rules.readable(common if reached == shared else upto(reached))
    end = length if last.pieces == len(new) else upto(last)
    written = max(0, end - read) if end >= rules.minimum else 0
    where = _name(now, same, order) if same < len(new) else ""
    saved = microdollars_saved(read, written, length, target.model)
    marks = tuple(known[-EARLIER:]) or msgspec.UNSET
    return Prefix(common, saved, where, read, written, earlier=marks)


def _of_grown(
    common: int,
    length: int,
    now: Request,
    same: int,
    count: int,
    target: Target,
    rules: CacheRules,
) -> Prefix:
    """As `shared_prefix`, of a request that begins with all of the one before, by their tokens; a
    provider that is told of no breakpoints writes all of it."""
    read = rules.readable(common)
    written = max(0, length - read) if length >= rules.minimum else 0
    where = _name(now, same, target.provider.renderer.cache_order) if same < count else ""
    saved = microdollars_saved(read, written, length, target.model)
    return Prefix(common, saved, where, read, written)


def earlier_writes(before: Manifest | Receipt, now_ms: int | None, target: Target) -> Places:
    """Up to where the requests before one wrote what it has still, if a cache has that now."""
    prefix, then = before.prefix, before.now_ms
    if prefix is None or isinstance(prefix.earlier, msgspec.UnsetType):
        return ()
    if then is None or now_ms is None or now_ms - then <= target.cache_rules.ttl_s * 1000:
        return prefix.earlier
    return ()


def note_pieces(request: Request, renderer: Renderer) -> None:
    """Look at the pieces of a request that was sent: the one after it is held against them."""
    if renderer.marks_cache:
        _pieces(_values(request, renderer.cache_order))


def _same(old: list[Any], new: list[Any], says_same: Callable[[int], bool] | None = None) -> int:
    """How many first pieces say the same. A message stands in the next requests as the very same
    object (`render.known_wires`), so that of most nothing has to be looked at.

    Args:
        says_same: whether two pieces at a place do; by default they are encoded for it.
    """

    def encoded_alike(at: int) -> bool:
        return _piece(old[at]).text == _piece(new[at]).text

    least, is_same = min(len(old), len(new)), says_same or encoded_alike
    if all(map(is_, old, new)):  # as nearly always
        return least
    for at in compress(range(least), map(is_not, old, new)):
        if not is_same(at):
            return at
    return least


def _values(request: Mapping[str, Any], order: tuple[str, ...]) -> list[Any]:
    """What a cache reads as one each: messages, tools, and what else stands in front of them."""
    values: list[Any] = []
    for key in order:
        value = request.get(key)
        if isinstance(value, list):
            values += value
        elif value is not None:
            values.append(value)
    return values


class _Head(NamedTuple):
    """Tokens of what stands in front of the conversation, the same at nearly every turn."""

    values: list[Any]
    about: tuple[object, ...]
    tokens: int


def _head_tokens(values: list[Any], target: Target, measured: Callable[[int], int]) -> int:
    about = target.response_format, target.sources is None
    table = owned_table(("head tokens", target.format, target.counter.id), brief=True)
    known: _Head | None = None if table is None else table.known(NEWEST)
    if known is not None and known.about == about and len(known.values) == len(values):
        if _same(known.values, values) == len(values):
            return known.tokens
    tokens = measured(len(values))
    if table is not None:
        table[NEWEST] = _Head(values, about, tokens)
    return tokens


def _running_tokens(now: Request, new: list[Any], target: Target) -> Callable[[int], int]:
    """Tokens of the request with its first pieces alone. What stands in front of the conversation
    is measured as a whole; each message once."""
    renderer = target.provider.renderer
    conversation = renderer.cache_order[-1]
    listed = isinstance(now.get(conversation), list)
    head = len(new) - len(now[conversation]) if listed else len(new)

    def measured(count: int) -> int:
        names = [_name(now, place, renderer.cache_order) for place in range(count)]
        return renderer.measure(_part(now, names, conversation), target)

    wires = renderer.wires_of(now) if listed else []
    sums = token_sums(renderer, wires, target)
    first = _head_tokens(new[:head], target, measured)

    def tokens(count: int) -> int:
        if not count:
            return 0
        return first + sums[count - head] if count >= head else measured(count)

    return tokens


class _Place(NamedTuple):
    """Where a prefix ends: behind so many pieces, and so many parts of the next one."""

    pieces: int = 0
    parts: int = 0


class _Piece(msgspec.Struct, frozen=True):
    """What stands in a request by itself.

    Args:
        text: of it, without breakpoints.
        marks: parts of it up to each breakpoint.
        parts: that it has; a cache reads each by itself.
    """

    text: bytes
    marks: tuple[int, ...]
    parts: int


def _pieces(values: list[Any]) -> list[_Piece]:
    """The pieces that values are, from memory where they are the same objects as before."""
    table = owned_table("wire pieces", brief=True)
    return list(map(_piece, values)) if table is None else by_identity(table, values, _piece)


def _name(request: Request, place: int, order: tuple[str, ...]) -> str:
    """The name of a piece, such as `messages[3]`."""
    for key in order:
        value = request.get(key)
        if isinstance(value, list):
            count = len(value)  # pyright: ignore[reportUnknownArgumentType]
            if place < count:
                return f"{key}[{place}]"
            place -= count
        elif value is not None:
            if not place:
                return key
            place -= 1
    return ""


def _piece(value: Any) -> _Piece:
    text, parts = msgspec.json.encode(value, order="sorted"), _parts_of(value)
    if _MARK not in text or text == (unmarked := piece_bytes(value)):
        return _Piece(text, (), len(parts) or 1)
    marks = [at for at, part in enumerate(parts, 1) if part != _unmarked(part)]
    return _Piece(unmarked, tuple(marks) or (len(parts) or 1,), len(parts) or 1)


def _parts_of(value: Any) -> list[Any]:
    """The parts of a message; none of what has no list of them."""
    content: object = cast("Request", value).get("content") if isinstance(value, dict) else None
    return cast("list[Any]", content) if isinstance(content, list) else []


def _parts_alike(old: list[Any], new: list[Any], at: int) -> int:
    """How many first parts of the first message that differs say the same."""
    if at >= min(len(old), len(new)):
        return 0
    before, now = old[at], new[at]
    if not isinstance(before, dict) or not isinstance(now, dict):
        return 0
    roles = (cast("Request", one).get("role") for one in (before, now))
    if len({*roles}) > 1:
        return 0
    alike = 0
    for one, other in zip(_parts_of(before), _parts_of(now), strict=False):
        if one is not other and piece_bytes(one) != piece_bytes(other):
            break
        alike += 1
    return alike


def _begun(new: list[Any], place: _Place, renderer: Renderer, target: Target) -> int:
    """Tokens of the parts in front of a place that are not all of their message."""
    if not place.parts:
        return 0
    message: Request = new[place.pieces]
    return renderer.measure_wire(
        {**message, "content": _parts_of(message)[: place.parts]}, target.counter.count
    )


def _written(pieces: list[_Piece]) -> _Place:
    """What is written into a cache: up to the last breakpoint."""
    for at in range(len(pieces) - 1, -1, -1):
        if pieces[at].marks:
            return _behind(at, pieces[at].marks[-1], pieces)
    return _Place()


def _behind(at: int, parts: int, pieces: list[_Piece]) -> _Place:
    return _Place(at + 1) if parts == pieces[at].parts else _Place(at, parts)


def _in_reach(old: list[_Piece], shared: _Place, earlier: Places) -> list[tuple[int, int]]:
    """Where the request before, and those before it, wrote up to a breakpoint in the common prefix:
    an entry of a cache holds on while requests begin with it."""
    marks = ((at, n) for at, piece in enumerate(old[: shared.pieces + 1]) for n in piece.marks)
    return sorted(place for place in {*earlier, *marks} if place <= shared)


def _readable(written: list[tuple[int, int]], new: list[_Piece], look_back: int) -> _Place:
    """How much of what was written is found again: up to the last breakpoint that lies within
    reach of one of the new ones."""
    for at, parts in reversed(written):
        reach = 1 - parts
        for piece in new[at:] if look_back else ():
            ahead = (reach + mark for mark in piece.marks if reach + mark > 0)
            if next(ahead, look_back + 1) <= look_back:
                return _behind(at, parts, new)
            reach += piece.parts
            if reach > look_back:
                break
        if not look_back:
            return _behind(at, parts, new)
    return _Place()


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


def piece_bytes(value: Any) -> bytes:
    """Canonical bytes without the breakpoints: those move, and a cache does not mind."""
    text = msgspec.json.encode(value, order="sorted")
    return msgspec.json.encode(_unmarked(value), order="sorted") if _MARK in text else text


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        items: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return {key: _unmarked(item) for key, item in items.items() if key != "cache_control"}
    if isinstance(value, list):
        return [_unmarked(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def microdollars_saved(read: int, written: int, length: int, model: str) -> int | None:
    """What a cache saves, less what it asks for writing; None where no price is known.

    Args:
        read: tokens that it has. written: tokens that it has after this request. length: tokens of
            the request.
    """
    info = known_model(model)
    if info is None:
        return None
    prices = info.prices(length)
    gain = read * (prices.input - prices.cached)
    return (gain - written * max(0, prices.write - prices.input)) // 1_000_000
