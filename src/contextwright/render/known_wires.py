"""Messages as a provider has them, rendered, measured and checked once while requests hold them
(rules.md#horizon).

A wire that was made for one request stands in the next ones as the very same object: nobody writes
into it. So what was found out of it is known by its identity, for as long as it is remembered.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from contextwright.blocks.block import Block
from contextwright.memo.by_identity import NEWEST, by_identity, same_beginning
from contextwright.memo.ownership import owned_table
from contextwright.render.insertion import Insertion
from contextwright.render.wire import Wire, schema_tokens
from contextwright.session.event import Tool

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
        taken: ids that the request had in front of them.
        blocks: whose they are. alone: those of each, in a request of its own.
        pairs, inserted: those of all, as they are sent. ids: the request's, with these.
    """

    taken: frozenset[str] = frozenset()
    blocks: Sequence[Block] = ()
    alone: tuple[BlockWires, ...] = ()
    pairs: tuple[tuple[str, Wire], ...] = ()
    inserted: tuple[Insertion, ...] = ()
    ids: frozenset[str] = frozenset()


def wires_of_blocks(
    renderer: "Renderer", blocks: Sequence[Block], draft: "RequestDraft", target: "Target"
) -> list[tuple[str, Wire]]:
    """The messages of blocks, as the last request had them where nothing else is to be said. What a
    block was read from in a caller's own body stands in the log, which is only added to."""
    came = target.sources.key if target.sources is not None else None
    key = ("wires", target.format, target.model, target.sign, came)
    table = owned_table(key, brief=True)
    if table is None:
        return [pair for block in blocks for pair in renderer.wires(block, draft, target)]
    if not blocks:
        return []
    before: KnownConversation | None = table.known(NEWEST)
    moved: dict[Block, BlockWires] = {}
    if before is not None and same_beginning(before.blocks, blocks) < len(before.blocks):
        moved = dict(zip(before.blocks, before.alone, strict=True))
        before = None
    taken = frozenset(draft.ids)
    if before is None or before.taken != taken:
        before = KnownConversation(taken, ids=taken)

    def rendered(block: Block) -> BlockWires:
        alone = renderer.draft(target.sign)
        pairs = tuple(renderer.wires(block, alone, target))
        return BlockWires(pairs, tuple(alone.inserted), frozenset(alone.ids))

    further = blocks[len(before.blocks) :]
    new = [moved.get(block) or table.remembered(block, rendered) for block in further]
    whole = table[NEWEST] = _gone_on(before, blocks, new, renderer, target)
    draft.ids.update(whole.ids)
    draft.inserted.extend(whole.inserted)
    return [*whole.pairs]


def _gone_on(
    before: KnownConversation,
    blocks: Sequence[Block],
    new: Sequence[BlockWires],
    renderer: "Renderer",
    target: "Target",
) -> KnownConversation:
    """The messages of blocks that begin with those before. Of two calls with one id the second gets
    another.

    Args:
        new: of those behind them, each alone.
    """
    if not new:
        return before
    draft, pairs = renderer.draft(target.sign), list(before.pairs)
    draft.ids.update(before.ids)
    for block, alone in zip(blocks[len(before.blocks) :], new, strict=True):
        if draft.ids.isdisjoint(alone.ids):
            pairs += alone.pairs
            draft.ids.update(alone.ids)
            draft.inserted.extend(alone.inserted)
        else:
            pairs += renderer.wires(block, draft, target)
    return KnownConversation(
        taken=before.taken,
        blocks=blocks,
        alone=(*before.alone, *new),
        pairs=tuple(pairs),
        inserted=(*before.inserted, *draft.inserted),
        ids=frozenset(draft.ids),
    )


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


def wires_of_tools(
    renderer: "Renderer", tools: Sequence[Tool], draft: "RequestDraft"
) -> list[Wire]:
    """The tools of a request, as the objects that the last one had of them."""
    table = owned_table(("tool wires", type(renderer)), brief=True)
    if table is None:
        return [renderer.as_sent(tool, draft) for tool in tools]
    return by_identity(table, tools, lambda tool: renderer.as_sent(tool, draft))


def stubs_of_tools(
    renderer: "Renderer", names: tuple[str, ...], draft: "RequestDraft"
) -> list[Wire]:
    """Tools of which only the names are known, as `wires_of_tools`."""

    def made(name: str) -> Wire:
        return renderer.tool_wire(Tool(name=name, parameters={"type": "object"}), draft)

    table = owned_table(("tool stubs", type(renderer)), brief=True)
    return [made(name) if table is None else table.remembered(name, made) for name in names]


def tokens_of_tools(tools: Sequence[Wire], target: "Target") -> list[int]:
    """Tokens of each tool's schema."""
    count = target.counter.count
    table = owned_table(("tool tokens", target.counter.id), brief=True)
    if table is None:
        return [schema_tokens(tool, count) for tool in tools]
    return by_identity(table, tools, lambda tool: schema_tokens(tool, count))


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
