"""Messages and tools as a provider has them, rendered once while requests hold them
(rules.md#horizon)."""

from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec

from contextwright.blocks.block import Block, Message
from contextwright.memo.by_identity import NEWEST, by_identity
from contextwright.memo.owned_tables import Table
from contextwright.memo.ownership import owned_table
from contextwright.render.insertion import Insertion
from contextwright.render.wire import Wire, schema_tokens
from contextwright.session.event import Tool

if TYPE_CHECKING:
    from contextwright.render.draft import RequestDraft
    from contextwright.render.renderer import Renderer
    from contextwright.render.target import Target


COUNTED = 64
"""Blocks whose messages are remembered from where they are counted to where they are sent: those
that are new at a turn. A first compile counts thousands, and sends few."""


_PAIRS, _INSERTED = attrgetter("pairs"), attrgetter("inserted")


class BlockWires(msgspec.Struct, frozen=True, eq=False):
    """A block as it stands in a request that has none of its ids yet.

    Args:
        messages: the block's own. pairs: as they are sent, each with the event that it comes from.
        inserted: what is in no block. ids: of its calls.
    """

    messages: tuple[Message, ...]
    pairs: list[tuple[str, Wire]]
    inserted: list[Insertion]
    ids: set[str]


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


def wires_alone(renderer: "Renderer", block: Block, target: "Target") -> BlockWires:
    """The messages of a block in a request of its own."""
    return _alone(renderer, block, target, owned_table(("counted", *_key(target)), brief=True))


def _alone(renderer: "Renderer", block: Block, target: "Target", table: Table | None) -> BlockWires:
    # its score, its tier, and the term that brought it make no difference to them
    key = block.id, id(block.messages)
    known: BlockWires | None = None if table is None else table.get(key)
    if known is not None and known.messages is block.messages:
        return known
    draft = renderer.draft(target.sign)
    pairs = list(renderer.wires(block, draft, target))  # a renderer of a user's may yield them
    made = BlockWires(block.messages, pairs, draft.inserted, draft.ids)
    if table is not None:
        if len(table) >= COUNTED:
            table.clear()
        table[key] = made
    return made


def _key(target: "Target") -> tuple[str, str, str, str | None]:
    came = target.sources.key if target.sources is not None else None
    return target.format, target.model, target.sign, came


def wires_of_blocks(
    renderer: "Renderer", blocks: Sequence[Block], draft: "RequestDraft", target: "Target"
) -> list[tuple[str, Wire]]:
    """The messages of blocks, as the last request had them where nothing else is to be said. What a
    block was read from in a caller's own body stands in the log, which is only added to."""
    key = _key(target)
    table = owned_table(("wires", *key), brief=True)
    if table is None:
        return [pair for block in blocks for pair in renderer.wires(block, draft, target)]
    if not blocks:
        return []
    counted = owned_table(("counted", *key), brief=True)
    before: KnownConversation | None = table.known(NEWEST)
    moved: dict[Block, BlockWires] = {}
    if before is not None and before.blocks != blocks[: len(before.blocks)]:
        moved = dict(zip(before.blocks, before.alone, strict=True))
        before = None
    taken = frozenset(draft.ids)
    if before is None or before.taken != taken:
        before = KnownConversation(taken, ids=taken)

    def rendered(block: Block) -> BlockWires:
        return _alone(renderer, block, target, counted)

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
    own = [one.ids for one in new if one.ids]
    ids = before.ids.union(*own) if own else before.ids
    if len(ids) == len(before.ids) + sum(map(len, own)):  # as nearly always
        pairs = chain.from_iterable(map(_PAIRS, new))
        inserted = chain.from_iterable(map(_INSERTED, new))
    else:
        draft, pairs = renderer.draft(target.sign), list[tuple[str, Wire]]()
        draft.ids.update(before.ids)
        for block, alone in zip(blocks[len(before.blocks) :], new, strict=True):
            if draft.ids.isdisjoint(alone.ids):
                pairs += alone.pairs
                draft.ids.update(alone.ids)
                draft.inserted.extend(alone.inserted)
            else:
                pairs += renderer.wires(block, draft, target)
        ids, inserted = frozenset(draft.ids), draft.inserted
    return KnownConversation(
        taken=before.taken,
        blocks=blocks,
        alone=before.alone + tuple(new),
        pairs=before.pairs + tuple(pairs),
        inserted=before.inserted + tuple(inserted),
        ids=ids,
    )


def known_wire(wire: Wire) -> Wire:
    """A message that comes from no block, as the object that the last request had of it."""
    table = owned_table("other wires", brief=True)
    if table is None:
        return wire
    return table.remembered(tuple(wire.items()), lambda _: wire)


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
