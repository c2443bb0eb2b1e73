"""What a block costs in a request."""

from collections.abc import Callable, Sequence
from itertools import filterfalse
from operator import attrgetter
from typing import NamedTuple

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import Layer
from contextwright.blocks.text_section import shares_section
from contextwright.compiler.hidden_refs import block_without_refs
from contextwright.compiler.layout import (
    EMPTY_MESSAGE,
    empty_section,
    is_foreign,
    line_of,
    section_of,
    shared_sections,
)
from contextwright.compiler.other_agents import as_told
from contextwright.compiler.token_sums import SOURCE
from contextwright.render.event_cost import EventCost
from contextwright.render.renderer import Renderer
from contextwright.render.target import Target
from contextwright.render.wire import clean
from contextwright.session.event import Event
from contextwright.spec.memo import Memo
from contextwright.tasks.payload import cost_of_item
from contextwright.text.speakers import is_another

LINE = 1
"""Tokens between two texts of a section."""
_MESSAGES, _RAW = attrgetter("messages"), Fidelity.RAW


class Presentation(NamedTuple):
    """How blocks are shown: to which agent, `framed` as items of a payload, with their refs."""

    agent: str
    framed: bool
    refs: bool


class _KnownCosts(NamedTuple):
    """What counts for a receiver, and the receiver that it is of."""

    target: Target
    costs: "ReceiverCosts"


class ReceiverCosts(NamedTuple):
    """What counts for a receiver.

    Args:
        block: tokens of a block as it will be sent, without markers that it shares.
        events: tokens of an exchange as it came, told from its events as its raw block costs; None
            where the provider's messages do not tell them so.
        id: names what these depend on.
        markers: tokens of the markers that blocks share, around each run of one source.
    """

    block: Callable[[Block], int]
    events: EventCost | None
    id: str
    markers: Callable[[Blocks], int]


def costs_of(memo: Memo, renderer: Renderer, target: Target, shown: Presentation) -> ReceiverCosts:
    """What counts for a receiver; the same functions while it is the same."""
    newest = memo.table("costs for a receiver")
    known: _KnownCosts | None = newest.known(shown)
    if known is not None and known.target is target:
        return known.costs
    costs = ReceiverCosts(
        _block_cost(memo, renderer, target, shown),
        _event_cost(renderer, target, shown),
        repr(cost_key(target, shown)),
        _markers_cost(memo, renderer, target, shown),
    )
    if target.sources is None:  # else it would hold its session's log
        newest[shown] = _KnownCosts(target, costs)
    return costs


def _block_cost(
    memo: Memo, renderer: Renderer, target: Target, shown: Presentation
) -> Callable[[Block], int]:
    as_messages, of_texts = target.takes_messages, renderer.message_cost(target)

    def cost_of_messages(block: Block) -> int:
        if not shown.refs and block.fidelity is not _RAW:  # as it came it shows none
            block = block_without_refs(block)
        if as_messages and shown.agent:
            block = as_told(block, shown.agent, refs=shown.refs)
        tokens = of_texts(block.messages) if of_texts is not None else None
        return renderer.cost(block, target) if tokens is None else tokens

    def cost_of_text(block: Block) -> int:
        if not shown.refs:
            block = block_without_refs(block)
        if shown.framed and block.layer is not Layer.SYSTEM:
            return cost_of_item(block, target)
        if shares_section(block):
            return target.counter.count(clean(line_of(block))) + LINE
        return _section_cost(section_of(block, target.sign), block, renderer, target)

    key, unframed = cost_key(target, shown), cost_key(target, shown._replace(framed=False))
    messages = memo.computed(("cost", *unframed, "messages"), cost_of_messages)
    texts = memo.computed(("cost", *key, "texts"), cost_of_text)

    def cost(block: Block) -> int:
        # a score that goes with age, the term that brought an exchange, and how texts are shown
        # beside it are no reasons to count again; what a note stands for is no reason to hold it
        source = SOURCE if block.messages and as_messages else block.source
        lineage = block.lineage if block.order >= 0 or not block.messages else ()
        if block.score >= 0 or block.source != source or block.lineage is not lineage:
            block = msgspec.structs.replace(block, score=-1, source=source, lineage=lineage)
        return messages(block) if block.messages else texts(block)

    return memo.computed(("cost", *key), cost, brief=True)


def _section_cost(text: str, block: Block, renderer: Renderer, target: Target) -> int:
    """Tokens of a section of a block's kind."""
    section = renderer.section_cost(text, target)
    if not is_foreign(block) or not target.takes_messages:
        return section
    # one message holds all that is foreign; each section counts it, as if it stood alone
    return section + renderer.cost(EMPTY_MESSAGE, target)


def _markers_cost(
    memo: Memo, renderer: Renderer, target: Target, shown: Presentation
) -> Callable[[Blocks], int]:
    if shown.framed:
        return lambda _: 0

    def cost_of_markers(first: Block) -> int:
        return _section_cost(empty_section(first, target.sign), first, renderer, target)

    key = cost_key(target, shown)
    of_section = memo.computed(("cost", *key, "markers"), cost_of_markers, brief=True)

    def markers(blocks: Blocks) -> int:
        texts = list(filterfalse(_MESSAGES, blocks))
        if not shown.refs:
            texts = list(map(block_without_refs, texts))
        tokens = sum(map(of_section, shared_sections(texts, target))) if texts else 0
        return tokens + renderer.markers_cost(blocks, target)

    return markers


def _event_cost(renderer: Renderer, target: Target, shown: Presentation) -> EventCost | None:
    of_own, agent = renderer.event_cost(target), shown.agent
    if of_own is None or not agent:
        return of_own

    def cost(events: Sequence[Event]) -> int | None:
        first = events[0]
        is_retold = first.role == "assistant" and is_another(first.speaker, agent)
        return None if is_retold else of_own(events)

    return cost


def cost_key(target: Target, shown: Presentation) -> tuple[str | bool, ...]:
    """All that the tokens of a block depend on."""
    known = target.sources.key if target.sources is not None else ""
    return target.format, target.model, target.counter.id, target.sign, known, *shown
