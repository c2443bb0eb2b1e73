"""Parts of kept events that a provider can not be sent; the manifest names each."""

from contextwright.blocks.block import Blocks
from contextwright.pack.manifest import Unrendered
from contextwright.render.target import Target
from contextwright.session.event import AnyPart, Opaque, Thinking

_THINKS = {"anthropic": "anthropic", "openai-responses": "openai", "gemini": "google"}


def unrendered(blocks: Blocks, target: Target) -> tuple[Unrendered, ...]:
    """What stays behind: unknown kinds, and reasoning that another provider signed."""
    found: list[Unrendered] = []
    for block in blocks:
        for message in block.messages:
            for part in message.parts:
                reason = _reason(part, target.format)
                if reason:
                    id = message.event_id or block.id
                    found.append(Unrendered(id, str(part.__struct_config__.tag), reason))
    return tuple(found)


def _reason(part: AnyPart, format: str) -> str:
    if isinstance(part, Opaque):
        return f"a part of {part.format} of the kind {part.kind!r}"
    if isinstance(part, Thinking) and _THINKS.get(format) != part.provider:
        return f"reasoning of {part.provider or 'an unknown provider'} is not sent to {format}"
    return ""
