"""Where each block lands: stable bytes first, what changes every turn last (rules.md#caching)."""

from itertools import chain, groupby

import msgspec

from contextwright.atoms.select.recite import SOURCE as RECITED
from contextwright.blocks.block import Block, Blocks, Message
from contextwright.blocks.escape import escape, escape_any, markers_of, section
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import CacheClass, Layer, Trust
from contextwright.blocks.text_section import is_in_short, section_key, shares_section
from contextwright.compiler.assemble import Assembled
from contextwright.compiler.bound_reasoning import with_bound_reasoning
from contextwright.compiler.hidden_refs import block_without_refs
from contextwright.compiler.left_out import SOURCE as LEFT_OUT
from contextwright.compiler.other_agents import as_told, telling
from contextwright.render.insertion import Insertion
from contextwright.render.message_layout import Layout, Section
from contextwright.render.target import Target
from contextwright.session.event import Text
from contextwright.spec.inputs import Inputs
from contextwright.spec.memo import Memo
from contextwright.tasks.payload import TITLE, USER, headers_of, in_front, payload

HISTORY = "history"
"""The message in front of the conversation that holds what was made of it, and of other sources."""

_RAW, _STABLE = Fidelity.RAW, CacheClass.STABLE
"""A member of an enumeration takes as long to look up as six blocks."""
SUMMARY = "summary"
"""The message behind the task that holds summaries of what came after it."""

EMPTY_MESSAGE = Block(id=HISTORY, source=HISTORY, messages=(Message("user", (Text(text=""),)),))


def layout_of(assembled: Assembled, blocks: Blocks, inputs: Inputs, target: Target) -> Layout:
    """The blocks in their places, with the reasoning that the target's model takes back."""
    has_texts = bool([block for block in blocks if not block.messages])
    if not inputs.shows_refs:
        blocks = _without_refs(blocks, inputs.memo, has_texts=has_texts)
    placed = _placed(assembled, blocks, target, inputs.protection.task, has_texts=has_texts)
    profile, first = target.reasoning, inputs.snapshot.preamble
    of_body = target.sources is not None
    layout = with_bound_reasoning(placed, profile, first, inputs.memo, of_body=of_body)
    if not inputs.agent or not target.takes_messages:
        return layout
    return _with_others_told(layout, inputs.agent, refs=inputs.shows_refs)


def _without_refs(blocks: Blocks, memo: Memo, *, has_texts: bool) -> Blocks:
    """The blocks without the refs that shortening put into them. In a conversation that is nearly
    all as it came few are looked at."""
    if has_texts:
        return memo.map("without refs", blocks, block_without_refs)
    if not [block for block in blocks if block.fidelity is not _RAW]:
        return blocks
    places = [at for at, one in enumerate(blocks) if one.fidelity is not _RAW]
    out = list(blocks)
    shorter = memo.map("without refs", tuple([blocks[at] for at in places]), block_without_refs)
    for at, block in zip(places, shorter, strict=True):
        out[at] = block
    return tuple(out)


def _placed(
    assembled: Assembled, blocks: Blocks, target: Target, task: int, *, has_texts: bool
) -> Layout:
    """The blocks in their places.

    The instruction and the operator's STABLE and SESSION texts make the system part, DYNAMIC
    texts the tail, so that what changes from turn to turn stands behind everything that a cache
    may hold. What users, tools, files, memories and other agents gave or may have put into the
    state, summaries of it included, stands where the history begins: nothing of it speaks with
    the system's voice (rules.md#trust). A summary of what came behind the task stands behind it.

    Args:
        task: place of the exchange that it is; -1 where there is none.
        has_texts: whether some of them are texts.
    """
    conversation = tuple([block for block in blocks if block.messages]) if has_texts else blocks
    instruction: list[Section] = []
    for block in assembled.system:
        if text := "\n\n".join(map(message_text, block.messages)):
            instruction.append(Section(text, _STABLE, (block.id,)))
    missing = [
        Insertion("left_out", one.id, message_text(one.messages[0]))
        for one in conversation
        if one.source == LEFT_OUT
    ]
    layout = Layout(
        tools=assembled.tools if target.takes_messages else (),
        called=assembled.called,
        system=tuple(instruction),
        conversation=conversation,
        instruction=assembled.system,
        inserted=tuple(missing),
    )
    if not has_texts:
        return layout
    texts = [block for block in blocks if not block.messages]
    return _with_texts(layout, texts, target, task, framed=assembled.payload)


def _with_texts(
    layout: Layout, texts: list[Block], target: Target, task: int, *, framed: bool
) -> Layout:
    """With texts in their places.

    Args:
        task: place of the exchange that the task is.
        framed: whether all but the instruction's are a payload.
    """
    items: Blocks = ()
    if framed:
        items = tuple(block for block in texts if block.layer is not Layer.SYSTEM)
        texts = [block for block in texts if block.layer is Layer.SYSTEM]
    lasting, history, moving = _parts(texts, target)
    layout = msgspec.structs.replace(
        layout,
        system=layout.system + sections_of(lasting),
        tail=sections_of(moving, target.sign),
    )
    if history:
        layout = _with_history(layout, history, target.sign, task)
    if items:
        return _with_payload(layout, items, target)
    return _with_recital(layout, moving, target)


def _parts(texts: list[Block], target: Target) -> tuple[list[Block], list[Block], list[Block]]:
    """Texts as they stand: those of the system part, those in front of the conversation, and those
    behind it."""
    lasting = [block for block in texts if block.cache is not CacheClass.DYNAMIC]
    lasting.sort(key=lambda block: block.cache)
    history = [block for block in lasting if target.takes_messages and is_foreign(block)]
    lasting = [block for block in lasting if block not in history]
    moving = [block for block in texts if block.cache is CacheClass.DYNAMIC]
    moving.sort(key=lambda block: block.source == RECITED)
    return lasting, history, moving


def shared_sections(texts: list[Block], target: Target) -> list[Block]:
    """The first text of each section that others may stand in as well."""
    groups = chain.from_iterable(groupby(part, key=section_key) for part in _parts(texts, target))
    first = [next(group) for _, group in groups]
    return [block for block in first if shares_section(block)]


def is_foreign(block: Block) -> bool:
    """Whether a text is made of what others gave: evidence, memories, the state, the conversation
    itself."""
    if block.messages:
        return False
    return block.trust is not Trust.OPERATOR or block.layer >= Layer.EVIDENCE


def _with_others_told(layout: Layout, agent: str, *, refs: bool) -> Layout:
    """With what other agents said told to this one."""
    blocks = tuple(as_told(block, agent, refs=refs) for block in layout.conversation)
    pairs = zip(layout.conversation, blocks, strict=True)
    markers = tuple(telling(old) for old, new in pairs if new is not old)
    return msgspec.structs.replace(
        layout, conversation=blocks, inserted=(*layout.inserted, *markers)
    )


def _with_history(layout: Layout, texts: list[Block], sign: str, task: int) -> Layout:
    """With texts as messages of their own in front of the conversation, and those that summarize
    it behind its task: a summary is written anew at a step, and what stands in front of it is what
    a cache still has."""
    conversation = layout.conversation
    stays = bool(conversation) and conversation[0].order == task and task >= 0
    behind = [text for text in texts if stays and _is_told_behind(text, conversation[0])]
    ahead = [text for text in texts if text not in behind]
    sides = (HISTORY, sections_of(ahead, sign)), (SUMMARY, sections_of(behind, sign))
    first, second = (_message_of(id, sections) for id, sections in sides)
    count = 1 if stays else 0
    markers = (
        Insertion("section", id, s.opening, s.closing, s.ids)
        for id, sections in sides
        for s in sections
    )
    return msgspec.structs.replace(
        layout,
        conversation=(*first, *conversation[:count], *second, *conversation[count:]),
        inserted=(*layout.inserted, *markers),
    )


def _is_told_behind(text: Block, task: Block) -> bool:
    """Whether a text summarizes the conversation behind its task."""
    is_told = text.is_summary and text.layer is Layer.CONVERSATION
    return is_told and bool(text.lineage) and text.lineage[0] not in (task.lineage or (task.id,))


def _message_of(id: str, sections: tuple[Section, ...]) -> Blocks:
    """Sections as a message; none where there are none."""
    if not sections:
        return ()
    text = Text(text="\n\n".join(section.text for section in sections))
    return (Block(id=id, source=id, messages=(Message("user", (text,)),)),)


def _with_recital(layout: Layout, moving: list[Block], target: Target) -> Layout:
    """With what is recited behind the user's words, where those are last: the end of a request
    is read best (phased-injection.md#recitation). Elsewhere the tail is the end already."""
    recited = [block for block in moving if block.source == RECITED]
    conversation = layout.conversation
    if not recited or not conversation or not target.takes_messages:
        return layout
    if conversation[-1].role != "user":
        return layout
    sections = sections_of(recited, target.sign)
    text = "\n\n".join(section.text for section in sections)
    *before, message = conversation[-1].messages
    longer = msgspec.structs.replace(message, parts=(*message.parts, Text(text=text)), whole=False)
    block = msgspec.structs.replace(conversation[-1], messages=(*before, longer))
    rest = [one for one in moving if one.source != RECITED]
    where = message.event_id or block.id
    markers = (Insertion("section", where, s.opening, s.closing, s.ids) for s in sections)
    return msgspec.structs.replace(
        layout,
        conversation=(*conversation[:-1], block),
        tail=sections_of(rest, target.sign),
        inserted=(*layout.inserted, *markers),
    )


def _with_payload(layout: Layout, framed: Blocks, target: Target) -> Layout:
    """With the payload in the newest user message; for a driver that sends that itself, or where
    there is none, as a text of its own."""
    text = payload(framed)
    ids = tuple(block.id for block in framed)
    conversation = in_front(layout.conversation, text) if target.takes_messages else None
    headers = [TITLE, *(f"{header}:" for header in headers_of(framed))]
    if conversation is not None:
        changed = zip(layout.conversation, conversation, strict=True)
        where = next(old.id for old, new in changed if old is not new)
        headers.append(USER)
        layout = msgspec.structs.replace(layout, conversation=conversation)
    else:
        where = "tail"
        alone = Section(text, CacheClass.DYNAMIC, ids)
        layout = msgspec.structs.replace(layout, tail=(*layout.tail, alone))
    inserted = (Insertion("payload", where, header, ids=ids) for header in headers)
    return msgspec.structs.replace(layout, inserted=(*layout.inserted, *inserted))


def message_text(message: Message) -> str:
    """The texts of a message."""
    if len(message.parts) == 1 and isinstance(part := message.parts[0], Text):
        return part.text
    return "\n".join([part.text for part in message.parts if hasattr(part, "text")])  # pyright: ignore


def sections_of(blocks: list[Block], sign: str = "") -> tuple[Section, ...]:
    """Texts between their markers, neighbours of one source and tier in one section."""
    return tuple(_section(list(group), sign) for _, group in groupby(blocks, key=section_key))


def section_of(block: Block, sign: str = "") -> str:
    """A single text between its markers."""
    return _section([block], sign).text


def empty_section(block: Block, sign: str = "") -> str:
    """The markers that a text shares with its neighbours."""
    return section("", source=block.source, tier=block.tier, sign=sign)


def line_of(block: Block) -> str:
    """A text as it stands between markers, whatever stands behind it."""
    return escape_any(_line(block))


def _section(blocks: list[Block], sign: str) -> Section:
    first = blocks[0]
    text = "\n".join(map(_line, blocks))
    ids = tuple(block.id for block in blocks)
    if first.layer is Layer.SYSTEM and first.trust is Trust.OPERATOR:
        return Section(text, first.cache, ids)
    if first.source == "warning":
        warning = f"<warning>{escape(text)}</warning>"
        return Section(warning, first.cache, ids, "<warning>", "</warning>")
    ref = first.ref if is_in_short(first) and len(blocks) == 1 else ""
    marked = section(text, source=first.source, tier=first.tier, ref=ref, sign=sign)
    opening, closing = markers_of(marked)
    return Section(marked, first.cache, ids, opening, closing)


def _line(block: Block) -> str:
    """A text block; a piece of evidence with its address, which is what cites it."""
    if block.source != "evidence":
        return block.text
    return f"{block.ref} (summary: {block.text})" if block.text else block.ref
