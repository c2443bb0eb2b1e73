"""The parts of LlamaIndex's messages: their blocks, a result as one."""

import json
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import (
    CachePoint,
    ChatMessage,
    ContentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from llama_index.core.utils import resolve_binary

from contextwright.adapters.part_view import PartView
from contextwright.memo.ownership import cached_text

_ROLES = {"developer": "system", "function": "tool", "chatbot": "assistant", "model": "assistant"}
_FILES = {"document": "document_mimetype", "audio": "format", "video": "video_mimetype"}
"""Types of blocks of files, and where each says of which type it is."""
_CALLS = "tool_calls"
"""Where calls stand once more, for providers that know no blocks."""


class MessageBlocks:
    """The blocks of a message."""

    def role(self, message: ChatMessage) -> str:
        """The role."""
        return _ROLES.get(message.role.value, message.role.value)

    def parts(self, message: ChatMessage) -> Sequence[Any]:
        """The blocks; the whole message where it is a result."""
        return [message] if self.role(message) == "tool" else message.blocks

    def view(self, part: Any) -> PartView:
        """What a block is."""
        if isinstance(part, ChatMessage):
            id = part.additional_kwargs.get("tool_call_id")
            return PartView.result(part.content or "", str(id or ""), part.blocks, (TextBlock,))
        if isinstance(part, TextBlock):
            return PartView("text", part.text)
        if isinstance(part, ToolCallBlock):
            return PartView.call(part.tool_call_id, part.tool_name, part.tool_kwargs)
        if isinstance(part, ImageBlock):
            return _picture(part)
        if isinstance(part, ThinkingBlock):
            return PartView.reasoning(part)
        return PartView("opaque") if isinstance(part, CachePoint) else _file(part)

    def rewritten(self, part: Any, text: str) -> Any:
        """A copy with another text, other arguments; of a result, its pictures stay."""
        if isinstance(part, ChatMessage):
            others = [block for block in part.blocks if not isinstance(block, TextBlock)]
            return part.model_copy(update={"blocks": [TextBlock(text=text), *others]})
        if isinstance(part, ToolCallBlock):
            values = text if isinstance(part.tool_kwargs, str) else json.loads(text)
            return part.model_copy(update={"tool_kwargs": values})
        return part.model_copy(update={"text": text})

    def with_parts(self, message: ChatMessage, parts: list[Any]) -> ChatMessage:
        """A copy with other blocks."""
        if self.role(message) == "tool":
            return parts[0]
        blocks: list[ContentBlock] = parts
        extra = message.additional_kwargs
        if any(isinstance(block, ToolCallBlock) for block in message.blocks):
            extra = {key: value for key, value in extra.items() if key != _CALLS}
        return message.model_copy(update={"blocks": blocks, "additional_kwargs": extra})

    def made(self, role: str, text: str) -> ChatMessage:
        """A message of one text."""
        return ChatMessage(role=role, content=text)

    def made_result(self, id: str, tool: str, text: str) -> ChatMessage:
        """A message that answers a call."""
        extra = {"tool_call_id": id, "name": tool}
        return ChatMessage(role="tool", content=text, additional_kwargs=extra)


def _picture(block: ImageBlock) -> PartView:
    if block.url:
        return PartView.image(str(block.url))
    image = block.image
    data = (
        _base64(image) if isinstance(image, bytes) else _read(block.resolve_image(as_base64=True))
    )
    return PartView.image_data(block.image_mimetype or "image/png", data)


def _file(block: Any) -> PartView:
    """A document, a sound or a film; what else there is only the framework knows."""
    kind: str = block.block_type
    data = getattr(block, "data" if kind == "document" else kind, None)
    if kind not in _FILES or not isinstance(data, bytes):
        return PartView.own(block, kind if kind in _FILES else "")
    type_ = getattr(block, _FILES[kind]) or "*"
    media = type_ if "/" in type_ else f"{kind}/{type_}"
    name = getattr(block, "title", None)
    return PartView.file(f"data:{media};base64,{_base64(data)}", name)


def _read(buffer: Any) -> str:
    return buffer.read().decode()


@cached_text
def _base64(image: bytes) -> str:
    """A picture that may be in base64 already."""
    return _read(resolve_binary(raw_bytes=image, as_base64=True))
