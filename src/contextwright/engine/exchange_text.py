"""What a ref names, as a model reads it: exchanges as lines, each behind the id that a note names
it by, so that lines and expressions find what they ask for."""

import json
from collections.abc import Callable
from typing import Any, cast

from contextwright.blocks.line_ids import line_id
from contextwright.blocks.of_exchange import block_of
from contextwright.blocks.resolve import exchanges_behind
from contextwright.session.event import Text, ToolCall, ToolResult
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
    return "\n".join(map(_exchange_lines, exchanges)) if exchanges else read(text)


def _exchange_lines(exchange: Exchange) -> str:
    """An exchange with everything that was said in it."""
    block = block_of(exchange)
    lines: list[str] = []
    for message in block.messages:
        for part in message.parts:
            if isinstance(part, Text) and part.text.strip():
                lines.append(f"{message.author or message.role}: {part.text}")
            elif isinstance(part, ToolCall):
                lines.append(f"{part.name} {_arguments(part.arguments)}".rstrip())
            elif isinstance(part, ToolResult):
                lines.append(f"\u2192\n{part.text}")
    return f"{line_id(block)} " + "\n".join(lines)


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
