"""The materials of every request: clean text, objects out of JSON text, schemas, pictures."""

import json
import re
from collections.abc import Callable, Iterator
from operator import is_
from typing import Any

import msgspec

from contextwright.blocks.block import Block, Message
from contextwright.formats.document_text import document_text, file_text
from contextwright.json_depth import DEEPEST, is_too_deep
from contextwright.session.event import (
    AnyPart,
    File,
    Image,
    Opaque,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from contextwright.tokens.images import image_size, image_tokens

Wire = dict[str, Any]
"""A message, an item or a part, as the provider has it."""
Count = Callable[[str], int]
"""Tokens of a text."""
_TEXTS = frozenset({Text})
_OWN_WORDS = frozenset({Text, ToolCall})
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
EMPTY = "(empty)"
"""Stands for a message or a result without text; no provider takes a blank one."""
NOT_JSON = "[the arguments of this call were not a JSON object: {}]"
"""Stands in front of the result of a call whose arguments could not be sent."""


def clean(text: str) -> str:
    """The text with U+FFFD for lone surrogates, which no provider takes."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def texts(message: Message) -> list[str]:
    """The text parts that are not blank."""
    return [clean(p.text) for p in message.parts if isinstance(p, Text) and p.text.strip()]


def only_text(block: Block) -> str:
    """The words of a block that is one message of the user or the assistant, and one text; empty
    where it is anything else."""
    if len(block.messages) == 1:
        message = block.messages[0]
        if len(message.parts) == 1 and message.role in {"user", "assistant"}:
            part = message.parts[0]
            return part.text if isinstance(part, Text) else ""
    return ""


def calls_of(block: Block) -> dict[str, ToolCall]:
    """The calls that the assistant made in a block, by id."""
    calls: dict[str, ToolCall] = {}
    for message in block.messages:
        if message.role == "assistant":
            for part in message.parts:
                if isinstance(part, ToolCall):
                    calls[part.id] = part
    return calls


def arguments_of(call: ToolCall) -> dict[str, Any] | None:
    """The arguments of a call as an object, or None where they are not one."""
    return _arguments(call)[1]


def _arguments(call: ToolCall) -> tuple[str, dict[str, Any] | None]:
    """The arguments of a call as the model wrote them, and what they say."""
    written = call.arguments
    text = (written if written.isascii() else clean(written)).strip() or "{}"
    try:
        value = parse_json(text)
        if "\\u" in text and _ESCAPED_SURROGATE.search(text):
            value = scrubbed(value)
    except (ValueError, RecursionError):
        return text, None
    return text, value if type(value) is dict else None  # pyright: ignore


def parse_json(text: str) -> Any:
    """A JSON value. msgspec reads most of them, several times faster; what it refuses, such as
    numbers out of range and escapes of half a pair, the standard library may take.

    Raises:
        ValueError, RecursionError: not JSON, or nested too deeply.
    """
    try:
        value = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        value = json.loads(text, parse_constant=_refused)
    if is_too_deep(text, value):
        raise RecursionError
    return value


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def arguments_text(call: ToolCall) -> str:
    """The arguments of a call as the model wrote them; `{}` where they are not an object."""
    if _is_plain_object(call.arguments):
        return call.arguments
    text, value = _arguments(call)
    if not value:
        return "{}" if value is None else text
    if "\\u" in text and _ESCAPED_SURROGATE.search(text) and parse_json(text) != value:
        return json.dumps(value, ensure_ascii=False)
    return text


def _is_plain_object(text: str) -> bool:
    """Whether a text is an object with anything in it, short, in ASCII and without an escape, as
    nearly all arguments are: it stands as it is."""
    if text[:1] != "{" or text[-1:] != "}" or len(text) > DEEPEST or not text.isascii():
        return False
    try:
        return "\\u" not in text and bool(msgspec.json.decode(text))
    except (msgspec.MsgspecError, RecursionError):
        return False


def scrubbed(value: Any) -> Any:
    """The same JSON data with U+FFFD for lone surrogates in every string."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        items: dict[Any, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return {scrubbed(key): scrubbed(item) for key, item in items.items()}
    if isinstance(value, (list, tuple)):
        return [scrubbed(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def data_url(part: Image | File) -> str:
    """The bytes of a picture or a file as a URL."""
    return clean(f"data:{part.media_type};base64,{part.data}")


def file_tokens(data: str, least: int = 1000) -> int:
    """Tokens of an attached file: a quarter of its bytes, as its text would have, or more."""
    return max(least, len(data) * 3 // 16)


def is_sendable(part: Image) -> bool:
    """Whether a picture has bytes or an address, and not only a provider's own id."""
    return bool(part.data or part.url)


def describe(part: Image | File) -> str:
    """A picture or a file in words."""
    if isinstance(part, Image):
        size = f" {part.width}x{part.height}" if part.width else ""
        return f"[image: {clean(part.media_type)}{size}]"
    return f"[file: {clean(part.name or part.media_type)}]"


def in_words(message: Message, own: str) -> Message:
    """The message with the words of documents that its receiver does not take; itself where it has
    none.

    Args:
        own: the format whose parts it takes. As a file, nobody takes one in a result.
    """
    for part in message.parts:
        kind = type(part)
        if kind is ToolResult:
            if not _TEXTS.issuperset(map(type, part.content)):  # pyright: ignore
                break
        elif kind not in _OWN_WORDS:
            break
    else:
        return message  # as nearly all are
    parts = tuple([_in_words(part, own) for part in message.parts])
    if all(map(is_, parts, message.parts)):
        return message
    return msgspec.structs.replace(message, parts=parts)


def _in_words(part: AnyPart, own: str) -> Any:
    if isinstance(part, Opaque) and part.format != own and (text := document_text(part)):
        return Text(text=text)
    if not isinstance(part, ToolResult) or _TEXTS.issuperset(map(type, part.content)):
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


LONGEST_SIDE = 65_535
"""Pixels, which JPEG has room for and no provider takes: data that says more is no picture."""


def pixels(part: Image) -> tuple[int, int]:
    """Width and height of a picture, out of its data where it does not say; 0 if unknown."""
    if part.width and part.height:
        return part.width, part.height
    size = image_size(part.data) or (0, 0) if part.data else (0, 0)
    return size if max(size) <= LONGEST_SIDE else (0, 0)


def cost_of_image(part: Image, provider: str) -> int:
    """Tokens of a picture."""
    return image_tokens(provider, *pixels(part), part.detail)


def schema_of(tool: Tool) -> dict[str, Any]:
    """A tool's parameters as a JSON Schema of an object, its keys in a fixed order."""
    schema = tool.parameters or {"type": "object", "properties": {}}
    if schema.get("type") != "object":
        schema = {**schema, "type": "object"}
    return ordered(schema)


def ordered(value: Any) -> Any:
    """The same JSON data with all keys sorted: the same bytes for the same tools."""
    try:
        encoded = msgspec.json.encode(value, order="sorted")
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(scrubbed(value), order="sorted")
    return msgspec.json.decode(encoded)


def schema_tokens(value: Any, count: Count) -> int:
    """Tokens of a tool's schema, as its canonical JSON."""
    return count(msgspec.json.encode(value, order="sorted").decode())


def encodable(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every string that can not be encoded, with its place (rule U1)."""
    if isinstance(value, str):
        if _SURROGATE.search(value):
            yield path, "a lone surrogate"
    elif isinstance(value, dict):
        items: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        for key, item in items.items():
            yield from encodable(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for place, item in enumerate(value):  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
            yield from encodable(item, f"{path}[{place}]")
