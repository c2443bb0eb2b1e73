"""What two packs do differently, block by block."""

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
