"""What a ref names, as a model reads it: exchanges as lines, each behind the id that a note names
it by, so that lines and expressions find what they ask for."""

import json
from collections.abc import Callable, Iterator
from typing import Any, cast

from contextwright.blocks.line_ids import line_id
from contextwright.blocks.of_exchange import block_of
from contextwright.blocks.provider_runs import provider_runs
from contextwright.blocks.ref import event_ref
from contextwright.blocks.resolve import exchanges_behind, result_behind
from contextwright.render.wire import clean, pixels
from contextwright.session.event import AnyPart, File, Image, Opaque, Text, ToolCall, ToolResult
from contextwright.session.exchange import Exchange
from contextwright.session.snapshot import Snapshot
from contextwright.text.json_fields import load_json


def text_behind(text: str, snapshot: Snapshot, read: Callable[[str], str]) -> str:
    """What a ref, or the id of a note's line, names.

    Args:
        read: reads refs.

    Raises:
        RefError: it does not resolve, or may not be followed from here.
    """
    exchanges = exchanges_behind(text, snapshot)
    if exchanges:
        return "\n".join(map(exchange_lines, exchanges))
    behind = result_behind(text, snapshot)
    if behind is None or all(isinstance(part, Text) for part in behind[1].content):
        return read(text)
    return "\n".join(_texts(behind[1].content, behind[0]))


def exchange_lines(exchange: Exchange) -> str:
    """An exchange with everything that was said in it."""
    block = block_of(exchange)
    places = {call.id: place for place, call in enumerate(exchange.calls)}
    lines: list[str] = []
    for message in block.messages:
        for number, part in enumerate(message.parts):
            if isinstance(part, Text) and part.text.strip():
                lines.append(f"{message.author or message.role}: {part.text}")
            elif isinstance(part, ToolCall):
                lines.append(f"{part.name} {_arguments(part.arguments)}".rstrip())
            elif isinstance(part, ToolResult):
                ref = event_ref(exchange.first.id, places.get(part.call_id))
                lines += ["\u2192", *_texts(part.content, ref)]
            elif isinstance(part, Image | File | Opaque):
                lines.append(_named(part, f"{event_ref(message.event_id)}#.{number}"))
        for call, result in provider_runs(message.parts):
            lines.append(f"{call.name} {_arguments(call.arguments)}".rstrip())
            lines += ["\u2192", result.text] if result is not None else []
    return f"{line_id(block)} " + "\n".join(lines)


def _texts(parts: tuple[AnyPart, ...], ref: str) -> Iterator[str]:
    """What a tool gave: its texts, and its pictures, files and other data by name.

    Args:
        ref: of the result.
    """
    for number, part in enumerate(parts):
        if isinstance(part, Text):
            yield part.text
        elif isinstance(part, Image | File | Opaque):
            yield _named(part, f"{ref}.{number}")


def _named(part: Image | File | Opaque, ref: str) -> str:
    """What a picture, a file or other data is, and the ref of its bytes or its address."""
    if isinstance(part, Opaque):
        return f"[{clean(part.kind)}: {ref}]"
    width, height = pixels(part) if isinstance(part, Image) else (0, 0)
    size = f", {width} x {height}" if width else ""
    held = f"{len(part.data) * 3 // 4:,} bytes" if part.data else "elsewhere"
    kind = "image" if isinstance(part, Image) else "file"
    return f"[{kind}: {clean(getattr(part, 'name', '') or part.media_type)}{size}, {held}: {ref}]"


def _arguments(text: str) -> str:
    """Arguments with each longer text in them as it is, not as JSON writes it."""
    value = load_json(text)
    if not isinstance(value, dict):
        return text
    fields = cast("dict[str, Any]", value)
    long = {key: one for key, one in fields.items() if isinstance(one, str) and "\n" in one}
    short = {key: one for key, one in fields.items() if key not in long}
    written = json.dumps(short, ensure_ascii=False) if short else ""
    return "\n".join([written, *(f"{key}:\n{one}" for key, one in long.items())])
