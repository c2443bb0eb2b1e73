"""What all providers' requests are made of: clean text, safe ids, objects out of JSON text."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any

import msgspec

from contextwright.blocks.block import Message
from contextwright.render.layout import Section
from contextwright.render.renderer import Count
from contextwright.session.event import File, Image, Text, Tool, ToolCall, ToolResult
from contextwright.tokens.images import image_size, image_tokens

_SURROGATE = re.compile("[\ud800-\udfff]")
EMPTY = "(empty)"
"""What stands for a message or a result that says nothing; no provider takes a blank one."""
NOT_JSON = "[the arguments of this call were not a JSON object: {}]\n"


def clean(text: str) -> str:
    """The text with U+FFFD for lone surrogates, which no provider takes."""
    return _SURROGATE.sub("\ufffd", text)


def texts(message: Message) -> list[str]:
    """The text parts that say something."""
    return [clean(p.text) for p in message.parts if isinstance(p, Text) and p.text.strip()]


def joined(sections: Iterable[Section]) -> str:
    """Sections as one text."""
    return "\n\n".join(clean(section.text) for section in sections)


def arguments_of(call: ToolCall) -> dict[str, Any] | None:
    """The arguments of a call as an object, or None where they are not one."""
    try:
        value = json.loads(clean(call.arguments) or "{}")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType]


def result_text(result: ToolResult, call: ToolCall | None) -> str:
    """The text of a result; says so where its call's arguments could not be sent."""
    text = clean(result.text) or note_of_media(result.content)
    if call is not None and arguments_of(call) is None:
        text = NOT_JSON.format(clean(call.arguments)[:200]) + text
    return text or EMPTY


def note_of_media(content: Iterable[Any]) -> str:
    """A line for each picture or file that stands where only text may."""
    return "\n".join(describe(part) for part in content if isinstance(part, (Image, File)))


def describe(part: Image | File) -> str:
    """A picture or a file in words."""
    if isinstance(part, Image):
        size = f" {part.width}x{part.height}" if part.width else ""
        return f"[image: {part.media_type}{size}]"
    return f"[file: {clean(part.name) or part.media_type}]"


def pixels(part: Image) -> tuple[int, int]:
    """Width and height of a picture, out of its data where it does not say; 0 if unknown."""
    if part.width and part.height:
        return part.width, part.height
    return image_size(part.data) or (0, 0) if part.data else (0, 0)


def cost_of_image(part: Image, provider: str) -> int:
    """Tokens of a picture."""
    return image_tokens(provider, *pixels(part), part.detail)


class Names:
    """Ids or names of one request as its provider takes them: what is valid and new stays,
    anything else becomes a short hash, the same one every time."""

    def __init__(self, id: str, prefix: str, name: str) -> None:
        self._valid = re.compile(id)
        self._named = re.compile(name)
        self._prefix = prefix
        self._taken: set[str] = set()

    def id(self, given: str, place: object) -> str:
        """A call id, new in this request. `place` tells apart two calls of one id."""
        if self._valid.fullmatch(given) and given not in self._taken:
            self._taken.add(given)
            return given
        made = self._prefix + _short(f"{given}\n{place}")
        self._taken.add(made)
        return made

    def name(self, given: str) -> str:
        """A tool's name; the same for the same tool."""
        if self._named.fullmatch(given):
            return given
        kept = re.sub(r"[^A-Za-z0-9_-]", "_", given)[:40]
        return f"tool_{kept}_{_short(given)[:8]}"


def _short(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def schema_of(tool: Tool) -> dict[str, Any]:
    """A tool's parameters as a JSON Schema of an object, its keys in a fixed order."""
    schema = tool.parameters or {"type": "object", "properties": {}}
    if schema.get("type") != "object":
        schema = {**schema, "type": "object"}
    return ordered(schema)


def ordered(value: Any) -> Any:
    """The same JSON data with all keys sorted: the same bytes for the same tools."""
    return msgspec.json.decode(msgspec.json.encode(value, order="sorted"))


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


def count_all(strings: Iterable[str], count: Count) -> int:
    """Tokens of several texts."""
    return sum(map(count, strings))


Rule = Callable[[Any], Iterator[tuple[str, str]]]
"""A rule of a provider: a request to the places where it is broken, and what is wrong."""
