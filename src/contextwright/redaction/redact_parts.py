"""Blocks, messages and their parts, redacted."""

import msgspec

from contextwright.blocks.block import Block, Message
from contextwright.memo.owned_tables import Table
from contextwright.redaction.file_data import redacted_base64
from contextwright.redaction.redactor import Redactor
from contextwright.redaction.split_values import without_split
from contextwright.redaction.wire_data import redacted_wire
from contextwright.session.event import (
    NO_FIELDS,
    AnyPart,
    File,
    Image,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)


class PartRedaction:
    """Blocks, messages and parts, redacted: new ones where something was there.

    Args:
        redactor: what is redacted.
        known: messages that were redacted before, each with what came of it; none where that is
            the message itself. Of one exchange several terms bring the same messages.
    """

    def __init__(self, redactor: Redactor, known: Table) -> None:
        self._redactor, self._known = redactor, known
        self._names: dict[str, str] = {}  # a tool's in each call of it, a call's with its result
        self._authors: dict[str, str] = {}

    def block(self, block: Block) -> Block:
        """A block, redacted; a ref that names what is redacted is not shown."""
        text = self._redactor.text(block.text) if block.text else block.text
        ref = block.ref if self._redactor.text(block.ref) == block.ref else ""
        messages = tuple(map(self._message, block.messages))
        same = all(new is old for new, old in zip(messages, block.messages, strict=True))
        if (text, ref) == (block.text, block.ref) and same:
            return block
        return msgspec.structs.replace(
            block, text=text, ref=ref, messages=block.messages if same else messages, why="redacted"
        )

    def _message(self, message: Message) -> Message:
        made = self._known.remembered(message, self._made)
        return made[0] if made else message  # an equal one may have been clean before: this one is

    def _made(self, message: Message) -> tuple[Message, ...]:
        new = self._new(message)
        return () if new is message else (new,)

    def _new(self, message: Message) -> Message:
        parts = self._parts(message.parts)
        author = self._author(message.author) if message.author else ""
        same = all(new is old for new, old in zip(parts, message.parts, strict=True))
        if same and author == message.author:
            return message
        whole = message.whole and same
        return msgspec.structs.replace(message, parts=parts, author=author, whole=whole)

    def _parts(self, parts: tuple[AnyPart, ...]) -> tuple[AnyPart, ...]:
        return tuple(map(self._part, self._joined(parts)))

    def _joined(self, parts: tuple[AnyPart, ...]) -> tuple[AnyPart, ...]:
        """Parts without what stands across the border of two texts."""
        texts = [at for at, part in enumerate(parts) if isinstance(part, Text)]
        if len(texts) < 2:
            return parts
        new = list(parts)
        pieces = [part.text for part in parts if isinstance(part, Text)]
        pieces = without_split(self._redactor, pieces)
        for at, piece in zip(texts, pieces, strict=True):
            if piece != getattr(parts[at], "text", ""):
                new[at] = Text(text=piece)
        return tuple(new)

    def _part(self, part: AnyPart) -> AnyPart:
        new = self._redacted(part)
        if new is part and part.extra and not self._redactor.is_clean(part.extra):
            return msgspec.structs.replace(part, extra=NO_FIELDS)
        return new

    def _redacted(self, part: AnyPart) -> AnyPart:
        redactor = self._redactor
        if isinstance(part, Text):
            text = redactor.text(part.text)
            return part if text == part.text else Text(text=text)
        if isinstance(part, Thinking):
            return self._thinking(part)
        if isinstance(part, ToolCall):
            new = ToolCall(
                id=self._ident(part.id),
                name=self._ident(part.name),
                arguments=redactor.text(part.arguments),
            )
            same = (new.id, new.name, new.arguments) == (part.id, part.name, part.arguments)
            return part if same else new
        if isinstance(part, ToolResult):
            return self._result(part)
        if isinstance(part, (File, Image)):
            return self._media(part)
        if redactor.is_clean(part.value):
            return part
        value = redacted_wire(redactor, part.value)
        return msgspec.structs.replace(part, value=value, extra=NO_FIELDS)

    def _thinking(self, part: Thinking) -> AnyPart:
        """Reasoning stays reasoning: what it produced is asked for with it. A signature holds for
        what was said alone, so what is signed is a text from here on."""
        text = self._redactor.text(part.text)
        if text == part.text:
            return part
        if part.signature:
            return Text(text=text)
        extra = part.extra if self._redactor.is_clean(part.extra) else NO_FIELDS
        return msgspec.structs.replace(part, text=text, extra=extra)

    def _result(self, part: ToolResult) -> ToolResult:
        content = self._parts(part.content)
        call_id, name = self._ident(part.call_id), self._ident(part.name)
        same = all(new is old for new, old in zip(content, part.content, strict=True))
        if same and (call_id, name) == (part.call_id, part.name):
            return part
        return msgspec.structs.replace(
            part, call_id=call_id, name=name, content=content, extra=NO_FIELDS
        )

    def _author(self, author: str) -> str:
        new = self._authors.get(author)
        if new is None:
            new = self._authors[author] = self._redactor.text(author)
        return new

    def _ident(self, id: str) -> str:
        new = self._names.get(id)
        if new is None:
            new = self._names[id] = self._redactor.ident(id)
        return new

    def _media(self, part: File | Image) -> AnyPart:
        redactor = self._redactor
        name = redactor.text(part.name) if isinstance(part, File) else ""
        places = (part.url, part.file_id, part.media_type)
        if any(redactor.text(place) != place for place in places if place):
            kind = redactor.text(part.media_type)
            return Text(text=f"[{kind} not sent: its address was redacted]")
        if not isinstance(part, File):
            return part
        data = redacted_base64(redactor, part.data)
        if name == part.name and data == part.data:
            return part
        return msgspec.structs.replace(part, name=name, data=data, extra=NO_FIELDS)
