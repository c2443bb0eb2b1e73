"""One request in the making: its ids and names, and a list of what the engine puts into it."""

import re
from functools import cache
from hashlib import sha256

import msgspec

from contextwright.blocks.block import Block
from contextwright.blocks.escape import markers_of, section
from contextwright.blocks.of_exchange import INTERRUPTED, PENDING
from contextwright.render.insertion import Insertion, InsertionKind
from contextwright.render.message_layout import Section
from contextwright.render.wire import (
    EMPTY,
    NOT_JSON,
    arguments_of,
    calls_of,
    clean,
    describe,
    is_sendable,
)
from contextwright.session.event import File, Image, Text, ToolCall, ToolResult

_MADE = re.compile(r"tool_[A-Za-z0-9_-]{0,40}_[0-9a-f]{16}")
"""The form of the names made here: a tool that is really called so gets another."""
SHOWN_ARGUMENTS = 200
"""Characters of invalid arguments that are shown: enough to see what went wrong."""


_compiled = cache(re.compile)
_TEXTS: set[type] = {Text}


class BlockCalls(msgspec.Struct, frozen=True):
    """The calls of a block.

    Args:
        calls: the calls by the id that they have in the block.
        ids: the id in the request, by the id in the block.
        as_they_came: whether they are sent as a body had them.
    """

    calls: dict[str, ToolCall]
    ids: dict[str, str]
    as_they_came: bool = False

    def id_of(self, call_id: str) -> str:
        """The id of a call in the request."""
        return self.ids.get(call_id, call_id)

    def is_sent(self, call: ToolCall) -> bool:
        """Whether this call is sent: of two with one id only one is."""
        return self.calls.get(call.id) is call


class RequestDraft:
    """A request while it is rendered. Every text that comes from no block goes through it, so
    that the list of insertions and the request are one thing.

    Args:
        id_pattern: call ids that the provider takes as they are; others become a short hash,
            the same one every time.
        id_prefix: before a hash.
        name_pattern: names of tools that it takes as they are.
        sign: what sections carry beside what others said.
    """

    def __init__(self, id_pattern: str, id_prefix: str, name_pattern: str, sign: str = "") -> None:
        self.sign = sign
        self._valid, self._named = _compiled(id_pattern), _compiled(name_pattern)
        self._prefix = id_prefix
        self.ids: set[str] = set()
        """Those that calls have so far."""
        self.inserted: list[Insertion] = []

    def id(self, call_id: str, place: object) -> str:
        """A call id, new in this request. `place` tells apart two calls of one id."""
        if self._valid.fullmatch(call_id) and call_id not in self.ids:
            self.ids.add(call_id)
            return call_id
        made = self._prefix + _short(f"{call_id}\n{place}")
        self.ids.add(made)
        return made

    def calls(self, block: Block, *, as_they_came: bool = False) -> BlockCalls:
        """The calls of a block, each with an id for this request.

        Args:
            as_they_came: whether the ids are those of a body that the provider knows.
        """
        calls = calls_of(block)
        if as_they_came:
            self.ids.update(calls)
            return BlockCalls(calls, {id: id for id in calls}, as_they_came=True)
        ids: dict[str, str] = {}
        for place, id in enumerate(calls):
            ids[id] = self.id(id, f"{block.id}/{place}")
        return BlockCalls(calls, ids)

    def name(self, tool: str) -> str:
        """A tool's name; the same for the same tool, another for another: a valid name that
        looks like one made here is made anew as well."""
        if self._named.fullmatch(tool) and not (tool[:5] == "tool_" and _MADE.fullmatch(tool)):
            return tool
        readable = re.sub(r"[^A-Za-z0-9_-]", "_", tool)[:40]
        return f"tool_{readable}_{_short(tool)[:16]}"

    def put(
        self,
        kind: InsertionKind,
        where: str,
        text: str = "",
        closing: str = "",
        ids: tuple[str, ...] = (),
    ) -> str:
        """Note an insertion; its text back."""
        self.inserted.append(Insertion(kind, where, text, closing, ids))
        return text

    def empty(self, where: str) -> str:
        """The text of what has none; no provider takes a blank one."""
        return self.put("placeholder", where, EMPTY)

    def media(self, part: Image | File, where: str) -> str:
        """A picture or a file in words."""
        return self.put("media_note", where, describe(part))

    def system_text(self, text: str, where: str) -> str:
        """A system message within the conversation, for providers without that role there."""
        marked = section(text, source="system", sign=self.sign)
        self.put("section", where, *markers_of(marked))
        return marked

    def joined(self, sections: tuple[Section, ...], where: str) -> str:
        """Sections as one text."""
        if not sections:
            return ""
        return "\n\n".join([self.section(one, where) for one in sections])

    def section(self, section: Section, where: str) -> str:
        """The text of a section, with its markers noted."""
        if section.opening:
            opening, closing = clean(section.opening), clean(section.closing)
            self.put("section", where, opening, closing, section.ids)
        return clean(section.text)

    def arguments_note(self, call: ToolCall | None, where: str) -> str:
        """A note, where the arguments of a call could not be sent."""
        if call is None or arguments_of(call) is not None:
            return ""
        return self.put(
            "argument_note", where, NOT_JSON.format(clean(call.arguments)[:SHOWN_ARGUMENTS])
        )

    def missing(self, result: ToolResult, where: str) -> None:
        """Note a result that stands for one which the log has not."""
        if result.status == "interrupted" and result.content == (Text(text=INTERRUPTED),):
            self.put("interrupted_result", where, INTERRUPTED, ids=(result.call_id,))
        elif result.status == "pending" and result.content == (Text(text=PENDING),):
            self.put("pending_result", where, PENDING, ids=(result.call_id,))

    def result_text(
        self, result: ToolResult, call: ToolCall | None, where: str, *, images: bool = True
    ) -> str:
        """The text of a result, a line for each picture and file in it that is not sent, or for
        all where it has no text; says so where its call's arguments could not be sent.

        Args:
            images: whether its pictures are sent beside the text.
        """
        if result.status != "ok":
            self.missing(result, where)
        text = clean(result.text)
        if set(map(type, result.content)) != _TEXTS:
            text = self._with_media(text, result, where, images=images)
        if note := self.arguments_note(call, where):
            return f"{note}\n{text}"
        return text if text.strip() else self.empty(where)

    def _with_media(self, text: str, result: ToolResult, where: str, *, images: bool) -> str:
        """A result's text, a line behind it for each picture and file that is not sent."""
        media = [part for part in result.content if isinstance(part, (Image, File))]
        if images and text.strip():
            media = [part for part in media if isinstance(part, File) or not is_sendable(part)]
        return "\n".join(filter(None, (text, *(self.media(part, where) for part in media))))


def _short(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
