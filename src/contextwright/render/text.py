"""Plain text: the context as sections, for instruction providers and simple prompts."""

from collections.abc import Iterator
from itertools import groupby

from contextwright.blocks.block import Block, Blocks, Message
from contextwright.blocks.escape import escape, section, turn_mark
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.read_back_tools import original_ref
from contextwright.blocks.ref import event_ref
from contextwright.render.draft import RequestDraft
from contextwright.render.message_layout import Layout
from contextwright.render.providers import Provider
from contextwright.render.renderer import Overhead, Renderer, Request, SendableParts
from contextwright.render.target import Target
from contextwright.render.wire import clean, describe
from contextwright.session.event import File, Image, Text, ToolCall, ToolResult
from contextwright.text.ref_notes import OUTPUT_NOTE, media_tail, ref_of

_ROLES = {"user": "User", "assistant": "Agent", "system": "System", "tool": "Tool"}


class TextRenderer(Renderer):
    """`{"text": ...}`: the sections of a spec in its order, the conversation as a transcript."""

    rules = {}
    overhead = Overhead(0, 0, 0, 0, 0, 0, 0)
    parts = SendableParts(assistant_media=True)
    cache_order = ("text",)

    def cost(self, block: Block, target: Target) -> int:
        """Tokens of the block's lines, in a section that its neighbours share."""
        lines = transcript(block, self.draft(), shows=target.shows_refs(()))
        text = "\n".join(lines)
        return target.counter.count(clean(text)) + 1 if text else 0

    def markers_cost(self, blocks: Blocks, target: Target) -> int:
        """Tokens of the markers around each run of blocks of one source."""
        runs = groupby((block for block in blocks if block.messages), key=_together)
        empty = [section("", source=source, tier=tier) for (source, tier), _ in runs]
        return sum(self.section_cost(text, target) for text in empty)

    def section_cost(self, text: str, target: Target) -> int:
        """Tokens of a section and the empty line behind it."""
        return target.counter.count(clean(text)) + 2

    def build(self, layout: Layout, target: Target, draft: RequestDraft) -> Request:
        """The text."""
        sections = [draft.section(section, "system") for section in layout.system]
        shows = target.shows_refs(())
        for _, group in groupby(layout.conversation, key=_together):
            sections.append(clean(_marked(list(group), draft, shows=shows)))
        sections += [draft.section(section, "tail") for section in layout.tail]
        return {"text": "\n\n".join(filter(None, sections))}

    def measure(self, request: Request, target: Target) -> int:
        """Tokens of the text."""
        return target.counter.count(request["text"])


def _together(block: Block) -> tuple[str, int]:
    return block.source, block.tier


def _marked(blocks: list[Block], draft: RequestDraft, *, shows: bool) -> str:
    """Blocks of one source between one pair of markers, or nothing where they have no text. Each
    line of a block was escaped with its header in place: the section must not escape again."""
    body = "\n".join(line for block in blocks for line in transcript(block, draft, shows=shows))
    if not body:
        return ""
    opening, _, closing = section("", source=blocks[0].source, tier=blocks[0].tier).partition("\n")
    ids = tuple(block.id for block in blocks)
    draft.put("section", ids[0], clean(opening), closing.strip(), ids)
    return f"{opening}\n{body}\n{closing.strip()}"


def transcript(block: Block, draft: RequestDraft, *, shows: bool = True) -> Iterator[str]:
    """A line a message, call and result: `[Turn 12] User: ...`. Never shaped like a call.

    Args:
        shows: whether it says where a picture or a file is found.
    """
    turn = turn_mark(block.turn)
    calls = {p.id: p.name for m in block.messages for p in m.parts if isinstance(p, ToolCall)}
    for message in block.messages:
        who, refs = _who(message), _own_refs(block, message)
        where = message.event_id or block.id
        ref = event_ref(message.event_id) if shows and message.event_id else ""
        for part in message.parts:
            if isinstance(part, Text):
                shown = part.text if message.is_ours else _escaped(part.text, refs)
                header, text = f"{who}:", shown if part.text.strip() else ""
            elif isinstance(part, ToolCall):
                header, text = f"{who} used {_name(part.name)} with", escape(part.arguments)
            elif isinstance(part, ToolResult):
                name = _name(calls.get(part.call_id, part.name))
                header = f"{name} {_STATUS[part.status]}"
                text = _result(part, ref, where, refs, draft)
            elif isinstance(part, (Image, File)):
                header, text = f"{who}:", _media(part, ref, where, draft)
            else:
                continue
            if text or not isinstance(part, Text):
                draft.put("transcript", where, clean(turn + header))
                yield f"{turn}{header} {text}"


_STATUS = {
    "ok": "gave",
    "error": "failed with",
    "interrupted": "was interrupted:",
    "pending": "has not answered yet:",
}


def _who(message: Message) -> str:
    """The author; the role where none is named, or where the name is another role's word."""
    name = " ".join(message.author.split())
    if not name or name == message.role or name.casefold() in _RESERVED:
        return _ROLES[message.role]
    return escape(name)


_RESERVED = {*_ROLES, *map(str.casefold, _ROLES.values())}


def _name(name: str) -> str:
    return escape(" ".join(name.split())) or "A tool"


def _result(
    result: ToolResult, ref: str, where: str, refs: frozenset[str], draft: RequestDraft
) -> str:
    draft.missing(result, where)
    media = [
        _media(part, ref, where, draft)
        for part in result.content
        if isinstance(part, (Image, File))
    ]
    text = "\n".join(filter(None, (_escaped(result.text, refs), *media)))
    return text or draft.empty(where)


def _media(part: Image | File, ref: str, where: str, draft: RequestDraft) -> str:
    """A picture or a file in words, with the ref where it is found."""
    text = escape(describe(part).removesuffix("]") + (f"{media_tail(ref)}]" if ref else "]"))
    draft.put("media_note", where, clean(text))
    return text


def _own_refs(block: Block, message: Message) -> frozenset[str]:
    """The refs that a shortened text of this block may really carry."""
    if block.fidelity is Fidelity.RAW:
        return frozenset()
    read = {original_ref(call).partition("#")[0] for call in block.calls} - {""}
    return frozenset({event_ref(id) for id in (block.id, message.event_id) if id} | read)


def _escaped(text: str, refs: frozenset[str]) -> str:
    """The text escaped, but for what shortening put there: a ref to the block's own whole."""
    shown: list[str] = []
    at = 0
    for note in OUTPUT_NOTE.finditer(text) if refs else ():
        if ref_of(note).partition("#")[0] in refs:
            shown += escape(text[at : note.start()]), note[0]
            at = note.end()
    return "".join((*shown, escape(text[at:])))


PROVIDER = Provider("text", TextRenderer(), takes_messages=False)
