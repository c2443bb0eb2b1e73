"""The words of documents, in the place of those that a provider does not take as they came."""

from typing import Any

import msgspec

from contextwright.blocks.block import Message
from contextwright.formats.document_text import document_text, file_text
from contextwright.render.wire import describe
from contextwright.session.event import AnyPart, File, Opaque, Text, ToolResult


def in_words(message: Message, own: str) -> Message:
    """The message with the words of documents that its receiver does not take; itself where it has
    none.

    Args:
        own: the format whose parts it takes. As a file, nobody takes one in a result.
    """
    parts = tuple([_in_words(part, own) for part in message.parts])
    if all(new is part for new, part in zip(parts, message.parts, strict=True)):
        return message
    return msgspec.structs.replace(message, parts=parts)


def _in_words(part: AnyPart, own: str) -> Any:
    if isinstance(part, Opaque) and part.format != own and (text := document_text(part)):
        return Text(text=text)
    if not isinstance(part, ToolResult) or all(type(each) is Text for each in part.content):
        return part
    content = tuple(
        [
            Text(text=f"{describe(each)}\n{text}")
            if isinstance(each, File) and (text := file_text(each))
            else _in_words(each, own)
            for each in part.content
        ]
    )
    return part if content == part.content else msgspec.structs.replace(part, content=content)
