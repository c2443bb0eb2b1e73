"""Messages as a provider has them, rendered, measured and checked once while requests hold them
(rules.md#horizon).

A wire that was made for one request stands in the next ones as the very same object: nobody writes
into it. So what was found out of it is known by its identity, for as long as it is remembered.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from contextwright.blocks.block import Block
from contextwright.memo.by_identity import NEWEST, by_identity, same_beginning
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


class KnownConversation(msgspec.Struct, frozen=True, eq=False):
    """The messages of a request's blocks, to go on from.

    Args:
        blocks: whose they are. known: those of each.
        pairs, inserted, ids: those of all. count: how many ids they have, one by one.
    """

    blocks: Sequence[Block] = ()
    known: tuple[BlockWires, ...] = ()
    pairs: tuple[tuple[str, Wire], ...] = ()
    inserted: tuple[Insertion, ...] = ()
    ids: frozenset[str] = frozenset()
    count: int = 0

    def with_new(self, blocks: Sequence[Block], new: Sequence[BlockWires]) -> "KnownConversation":
        """That of blocks which begin with these.

        Args:
            new: those of the blocks behind them.
        """
        if not new:
            return self
        return KnownConversation(
            blocks=blocks,
            known=(*self.known, *new),
            pairs=(*self.pairs, *(pair for one in new for pair in one.pairs)),
            inserted=(*self.inserted, *(each for one in new for each in one.inserted)),
            ids=self.ids.union(*(one.ids for one in new)),
            count=self.count + sum(len(one.ids) for one in new),
        )


NO_CONVERSATION = KnownConversation()


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
    before: KnownConversation = table.known(NEWEST) or NO_CONVERSATION
    moved: dict[Block, BlockWires] = {}
    if same_beginning(before.blocks, blocks) < len(before.blocks):
        moved = dict(zip(before.blocks, before.known, strict=True)) if blocks else moved
        before = NO_CONVERSATION
    further = blocks[len(before.blocks) :]
    new = [moved.get(block) or table.remembered(block, rendered) for block in further]
    whole = before.with_new(blocks, new)
    ids = draft.ids.union(whole.ids)
    if len(ids) < len(draft.ids) + whole.count:
        pairs = zip(blocks, whole.known, strict=True)
        return list(_with_other_ids(renderer, pairs, draft, target))
    if blocks:
        table[NEWEST] = whole
    draft.ids.update(ids)
    draft.inserted.extend(whole.inserted)
    return [*whole.pairs]


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


def unchecked(
    renderer: "Renderer", wires: Sequence[Wire], format: str
) -> tuple[Sequence[Wire], Sequence[Wire]]:
    """The messages of a request that are not known to be without fault; and those from the first
    on that the request before, which was without fault, does not tell the neighbours of."""
    table = owned_table(("checked wires", format), brief=True)
    if table is None:
        return wires, wires
    newest: tuple[Wire, ...] = table.known(NEWEST) or ()
    stand = same = same_beginning(newest, wires)
    if same < len(newest):
        table.update(zip(map(id, newest), newest, strict=True))  # nobody looked for each of them
        stand -= 1
        while stand > 0 and not renderer.begins_anew(wires[stand]):
            stand -= 1
    fresh = [
        wire
        for wire in wires[same:]
        if table.get(id(wire)) is not wire and table.recall(id(wire), None) is not wire
    ]
    return fresh, wires[max(0, stand) :]


def ids_differ(renderer: "Renderer", wires: Sequence[Wire], format: str) -> bool:
    """Whether no two messages have an id that only one may have."""
    table = owned_table(("wire ids", format), brief=True)
    if table is None:
        return False
    ids = list(chain.from_iterable(by_identity(table, wires, renderer.message_ids)))
    return len(set(ids)) == len(ids)


def are_without_fault(wires: Sequence[Wire], fresh: Iterable[Wire], format: str) -> None:
    """Remember that a request of these messages is allowed, and that each of the new ones is."""
    table = owned_table(("checked wires", format), brief=True)
    if table is not None:
        table.update((id(wire), wire) for wire in fresh)
        table[NEWEST] = tuple(wires)
