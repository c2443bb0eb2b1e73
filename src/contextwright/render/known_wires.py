"""Messages as a provider has them, rendered, measured and checked once while requests hold them
(rules.md#horizon).

A wire that was made for one request stands in the next ones as the very same object: nobody writes
into it. So what was found out of it is known by its identity, for as long as it is remembered.
"""

from collections.abc import Iterable, Iterator, Sequence
from operator import is_
from typing import TYPE_CHECKING

import msgspec

from contextwright.blocks.block import Block
from contextwright.memo.by_identity import by_identity
from contextwright.memo.ownership import owned_table
from contextwright.render.insertion import Insertion
from contextwright.render.wire import Wire

if TYPE_CHECKING:
    from contextwright.render.draft import RequestDraft
    from contextwright.render.renderer import Renderer
    from contextwright.render.target import Target


class BlockWires(msgspec.Struct, frozen=True, eq=False):
    """A block as it stands in a request that has none of its ids yet.

    Args:
        pairs: its messages, each with the event that it comes from.
        inserted: what is in no block. ids: of its calls.
    """

    pairs: tuple[tuple[str, Wire], ...]
    inserted: tuple[Insertion, ...]
    ids: frozenset[str]


class _Look(msgspec.Struct, frozen=True, eq=False):
    """The blocks that were asked for last. Most requests begin with those of the one before.

    Args:
        wires: of each. pairs, inserted, ids: of all. repeats: whether two have an id in common.
    """

    blocks: tuple[Block, ...] = ()
    wires: tuple[BlockWires, ...] = ()
    pairs: tuple[tuple[str, Wire], ...] = ()
    inserted: tuple[Insertion, ...] = ()
    ids: frozenset[str] = frozenset()
    repeats: bool = False

    def with_more(self, blocks: tuple[Block, ...], known: list[BlockWires]) -> "_Look":
        """All of `blocks`, of which `known` are those behind the ones that it has."""
        own = [one.ids for one in known if one.ids]
        ids = self.ids.union(*own)
        return _Look(
            blocks,
            (*self.wires, *known),
            (*self.pairs, *(pair for one in known for pair in one.pairs)),
            (*self.inserted, *(put for one in known for put in one.inserted)),
            ids,
            self.repeats or len(ids) < len(self.ids) + sum(map(len, own)),
        )


_NOTHING = _Look()
_NEWEST = "newest"
"""Where the newest look stands, beside an entry for each block."""


def wires_of_blocks(
    renderer: "Renderer", blocks: Sequence[Block], draft: "RequestDraft", target: "Target"
) -> list[tuple[str, Wire]]:
    """The messages of blocks, as the last request had them where nothing else is to be said. What a
    block was read from in a caller's own body stands in the log, which is only added to."""
    came = target.sources.key if target.sources is not None else None
    key = ("wires", target.format, target.model, target.sign, came)
    table = owned_table(key, brief=True)

    def rendered(block: Block) -> BlockWires:
        alone = renderer.draft(target.sign)
        pairs = tuple(renderer.wires(block, alone, target))
        return BlockWires(pairs, tuple(alone.inserted), frozenset(alone.ids))

    if table is None:
        return [pair for block in blocks for pair in renderer.wires(block, draft, target)]
    look: _Look = table.known(_NEWEST) or _NOTHING
    if look.blocks != (blocks := tuple(blocks)):
        goes_on = blocks[: len(look.blocks)] == look.blocks
        before = look if goes_on else _NOTHING
        # what stood in the looks before was not asked for one by one
        recent = {} if goes_on else dict(zip(look.blocks, look.wires, strict=True))
        known = [
            table.get(block) or recent.get(block) or table.remembered(block, rendered)
            for block in blocks[len(before.blocks) :]
        ]
        look = table[_NEWEST] = before.with_more(blocks, known)
    if look.repeats or not draft.ids.isdisjoint(look.ids):
        pairs = zip(blocks, look.wires, strict=True)
        return list(_with_other_ids(renderer, pairs, draft, target))
    draft.ids.update(look.ids)
    draft.inserted.extend(look.inserted)
    return [*look.pairs]


def _with_other_ids(
    renderer: "Renderer",
    blocks: Iterable[tuple[Block, BlockWires]],
    draft: "RequestDraft",
    target: "Target",
) -> Iterator[tuple[str, Wire]]:
    """Of two calls with one id the second gets another."""
    for block, known in blocks:
        if not draft.ids.isdisjoint(known.ids):
            yield from renderer.wires(block, draft, target)
            continue
        draft.ids.update(known.ids)
        draft.inserted.extend(known.inserted)
        yield from known.pairs


def known_wire(wire: Wire) -> Wire:
    """A message that comes from no block, as the object that the last request had of it."""
    table = owned_table("other wires", brief=True)
    if table is None:
        return wire
    return table.remembered(tuple(wire.items()), lambda _: wire)


def tokens_of_wires(renderer: "Renderer", wires: Sequence[Wire], target: "Target") -> list[int]:
    """Tokens of each message."""
    count = target.counter.count
    table = owned_table(("wire tokens", target.format, target.counter.id), brief=True)
    if table is None:
        return [renderer.measure_wire(wire, count) for wire in wires]
    return by_identity(table, wires, lambda wire: renderer.measure_wire(wire, count))


def unchecked(wires: Sequence[Wire], format: str) -> tuple[list[Wire], int]:
    """The messages of a request that are not known to be without fault; and how many of the first
    were all that the request before had, if that was without fault."""
    table = owned_table(("checked wires", format), brief=True)
    if table is None:
        return list(wires), 0
    newest: tuple[Wire, ...] = table.known(_NEWEST) or ()
    stand = len(newest)
    if stand > len(wires) or not all(map(is_, newest, wires)):
        table.update(zip(map(id, newest), newest, strict=True))  # nobody looked for each of them
        stand = 0
    fresh = [
        wire
        for wire in wires[stand:]
        if table.get(id(wire)) is not wire and table.recall(id(wire), None) is not wire
    ]
    return fresh, stand


def are_without_fault(wires: Sequence[Wire], fresh: Iterable[Wire], format: str) -> None:
    """Remember that a request of these messages is allowed, and that each of the new ones is."""
    table = owned_table(("checked wires", format), brief=True)
    if table is not None:
        table.update((id(wire), wire) for wire in fresh)
        table[_NEWEST] = tuple(wires)
