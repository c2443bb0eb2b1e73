"""The parts of Strands' messages: their content blocks, in the form of Bedrock Converse."""

import json
from collections.abc import Sequence
from typing import Any

from contextwright.adapters.part_view import PartView

Block = dict[str, Any]
_REASONING = "reasoningContent"
_FILES = ("document", "video", "audio")
_TYPES = {"txt": "text/plain", "md": "text/markdown", "csv": "text/csv", "html": "text/html"}
"""Types of documents that somebody reads as a text."""


class ContentBlocks:
    """The content blocks of a message."""

    def role(self, message: Block) -> str:
        """The role."""
        return message["role"]

    def parts(self, message: Block) -> Sequence[Block]:
        """The content blocks."""
        return message["content"]

    def view(self, part: Block) -> PartView:
        """What a block is."""
        if "text" in part:
            return PartView("text", part["text"])
        if "toolUse" in part:
            call = part["toolUse"]
            return PartView.call(call["toolUseId"], call["name"], call.get("input"))
        if "toolResult" in part:
            result = part["toolResult"]
            texts = [_text(item) for item in result["content"] if "text" in item or "json" in item]
            others = [item for item in result["content"] if not ("text" in item or "json" in item)]
            return PartView.result("\n".join(texts), result["toolUseId"], others)
        if "image" in part:
            image, source = part["image"], part["image"].get("source", {})
            if "bytes" in source:
                return PartView.image_data(f"image/{image['format']}", source["bytes"])
            return PartView.image(source.get("location", {}).get("uri", ""))
        file = next((kind for kind in _FILES if kind in part), "")
        if file and "bytes" in (source := part[file].get("source", {})):
            kind, family = part[file]["format"], "application" if file == "document" else file
            media = _TYPES.get(kind, f"{family}/{kind}")
            return PartView.file_data(media, source["bytes"], part[file].get("name"))
        if _REASONING in part:
            return PartView.reasoning(part)
        if "cachePoint" in part:
            return PartView("opaque")
        return PartView.own(part, file)

    def rewritten(self, part: Block, text: str) -> Block:
        """A copy with another text, other arguments; of a result, its pictures stay."""
        if "toolUse" in part:
            return {**part, "toolUse": {**part["toolUse"], "input": json.loads(text)}}
        if "toolResult" in part:
            result = part["toolResult"]
            others = [item for item in result["content"] if not ("text" in item or "json" in item)]
            return {**part, "toolResult": {**result, "content": [{"text": text}, *others]}}
        return {**part, "text": text}

    def with_parts(self, message: Block, parts: list[Block]) -> Block:
        """A copy with other blocks."""
        return {**message, "content": parts}

    def made(self, role: str, text: str) -> Block:
        """A message of one text."""
        return {"role": "assistant" if role == "assistant" else "user", "content": [{"text": text}]}

    def made_result(self, id: str, tool: str, text: str) -> Block:
        """A message that answers a call."""
        result = {"toolUseId": id, "status": "error", "content": [{"text": text}]}
        return {"role": "user", "content": [{"toolResult": result}]}


def _text(item: Block) -> str:
    return item["text"] if "text" in item else json.dumps(item["json"], ensure_ascii=False)
