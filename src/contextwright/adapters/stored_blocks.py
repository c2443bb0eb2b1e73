"""An answer of Anthropic's that a framework stores block by block beside the fields that it shows:
it is sent in the place of these."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

Block = dict[str, Any]
_PLACES = ("content_blocks", "server_tool_blocks")
"""Where it is stored: the whole answer, or what the provider's own tools did alone."""
THOUGHTS = ("thinking", "redacted_thinking")
_SHOWN = ("text", "tool_use", *THOUGHTS)
"""Types of blocks of which fields say the same."""


def place_of(data: Mapping[str, Any]) -> str:
    """The field that is sent."""
    return next((name for name in _PLACES if data.get(name)), _PLACES[0])


def server_blocks(data: Mapping[str, Any] | None) -> list[Block]:
    """What the provider's own tools were asked and gave, such as a search: no field says it."""
    stored: list[Block] = (data or {}).get(place_of(data or {})) or []
    return [block for block in stored if block.get("type") not in _SHOWN]


def blocks_with(
    blocks: Sequence[Block], calls: Sequence[Block], text: Any, servers: Sequence[Block]
) -> list[Block]:
    """Stored blocks as they are now.

    Args:
        calls: with their arguments. text: another one; None where it is the same.
        servers: what is left of `server_blocks`.
    """
    inputs, left = defaultdict[str, list[Any]](list), defaultdict[Any, list[Block]](list)
    for call in calls:  # two may have one id
        inputs[call["id"]].append(json.loads(call["function"]["arguments"]))
    for block in servers:
        left[_key(block)].append(block)
    new, texts = list[Block](), [text] if text else []
    for block in blocks:
        kind = block.get("type")
        if kind == "tool_use" and inputs[block["id"]]:
            new.append({**block, "input": inputs[block["id"]].pop(0)})
        elif kind == "text" and text is not None:
            new += [{**block, "text": each} for each in texts]
            texts = []
        elif kind in _SHOWN:
            new.append(block)
        elif left[_key(block)]:
            new.append(left[_key(block)].pop(0))
    return new


def _key(block: Block) -> tuple[Any, ...]:
    return block.get("type"), block.get("id") or block.get("tool_use_id")
