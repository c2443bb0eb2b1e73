"""What two packs do differently, block by block."""

from collections.abc import Mapping
from typing import Any

import msgspec

from contextwright.compiler.manifest import KeptBlock, Manifest

ABSENT = "-"


class BlockDiff(msgspec.Struct, frozen=True):
    """A block that the two packs treat differently: its fidelity in each, `-` where absent."""

    id: str
    source: str
    before: str
    after: str
    tokens_before: int
    tokens_after: int


class Comparison(msgspec.Struct, frozen=True):
    """All differing blocks, in the order of the first pack, then of the second."""

    tokens_before: int
    tokens_after: int
    rows: tuple[BlockDiff, ...]


def compare(one: Manifest, other: Manifest) -> Comparison:
    """The blocks in which two packs differ."""
    before = {block.id: block for block in one.kept}
    after = {block.id: block for block in other.kept}
    rows = tuple(
        row
        for id in dict.fromkeys((*before, *after))
        if (row := _row(id, before.get(id), after.get(id))) is not None
    )
    return Comparison(one.tokens, other.tokens, rows)


def _row(id: str, old: KeptBlock | None, new: KeptBlock | None) -> BlockDiff | None:
    shown = new or old
    if shown is None or (old and new and (old.fidelity, old.tokens) == (new.fidelity, new.tokens)):
        return None
    return BlockDiff(
        id,
        shown.source,
        old.fidelity if old else ABSENT,
        new.fidelity if new else ABSENT,
        old.tokens if old else 0,
        new.tokens if new else 0,
    )


def first_difference(old: Any, new: Any, place: str) -> str:
    """The first place in which two values part, and both sides of it; empty where none is.

    Args:
        place: what the values are called.
    """
    if isinstance(old, msgspec.Struct) and type(old) is type(new):
        old, new = msgspec.structs.asdict(old), msgspec.structs.asdict(new)
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        pairs: Any = {key: (old.get(key, ABSENT), new.get(key, ABSENT)) for key in (*old, *new)}
        named = [(f"{place}.{key}", *pair) for key, pair in pairs.items()]
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple):
        if len(old) != len(new):
            return f"{place} had {len(old)} entries, has {len(new)}"
        named = [(f"{place}[{n}]", *pair) for n, pair in enumerate(zip(old, new, strict=True))]
    else:
        return "" if old == new else f"{place} was {_short(old)}, is {_short(new)}"
    return next(filter(None, (first_difference(a, b, where) for where, a, b in named)), "")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
