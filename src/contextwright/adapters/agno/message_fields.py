"""The parts of Agno's messages: content, pictures, calls and reasoning, a result as one."""

from collections.abc import Sequence
from typing import Any

from agno.media import Audio, File, Image, Video
from agno.models.message import Message

from contextwright.adapters.part_view import PartView
from contextwright.adapters.stored_blocks import THOUGHTS, blocks_with, place_of, server_blocks

_BLOCKS = "content_blocks"
"""Where Agno holds an answer of Anthropic's as it came; it is sent in the place of the fields."""
_ITEM = "reasoning_output"
"""Where it holds reasoning of OpenAI's, which it sends again."""
_REASONING, _SEALED = "reasoning_content", "redacted_reasoning_content"
_FILES = {"images": Image, "audio": Audio, "videos": Video, "files": File}
"""Fields with pictures and files, and what stands in them."""
_MEDIA = tuple(_FILES.values())
_ATTACHED = "The tool call above generated the attached media."
"""What Agno says as the user, behind results, where tools gave pictures and files."""


class MessageFields:
    """The fields of a message."""

    def role(self, message: Message) -> str:
        """The role."""
        return "system" if message.role == "developer" else message.role

    def is_media_of_tool(self, message: Message) -> bool:
        """Whether it holds the pictures and files of the results in front of it."""
        return message.role == "user" and message.content == _ATTACHED

    def parts(self, message: Message) -> Sequence[Any]:
        """Content, pictures and calls; the whole message where it is a result."""
        if message.role == "tool":
            return [message]
        content: Any = message.content
        items = content if isinstance(content, list) else [] if content is None else [content]
        files = [one for name in _FILES for one in getattr(message, name) or ()]
        own = server_blocks(message.provider_data)
        return [*_reasoning(message), *items, *own, *files, *(message.tool_calls or ())]

    def view(self, part: Any) -> PartView:
        """What a part is."""
        if isinstance(part, str):
            return PartView("text", part)
        if isinstance(part, Message):
            return PartView("result", part.get_content_string(), part.tool_call_id or "")
        if isinstance(part, _MEDIA):
            kinds = (name for name, kind in _FILES.items() if isinstance(part, kind))
            return PartView.of_fields(part, next(kinds).removesuffix("s"))
        if isinstance(part, dict) and "function" in part:
            function = part["function"]
            return PartView.call(part["id"], function["name"], function.get("arguments"))
        if isinstance(part, dict) and part.get("type") == "text":
            return PartView("text", part["text"])
        return PartView.reasoning(part, _SEALED) if _is_thought(part) else PartView.own(part)

    def rewritten(self, part: Any, text: str) -> Any:
        """A copy with another text, other arguments."""
        if isinstance(part, str):
            return text
        if isinstance(part, Message):
            return part.model_copy(update={"content": text})
        if "function" in part:
            return {**part, "function": {**part["function"], "arguments": text}}
        return {**part, "text": text}

    def with_parts(self, message: Message, parts: list[Any]) -> Message:
        """A copy with other parts; what was stored as it came is changed as well."""
        if message.role == "tool":
            return parts[0]
        calls = [part for part in parts if isinstance(part, dict) and "function" in part]
        files = [part for part in parts if isinstance(part, _MEDIA)]
        kinds = {block.get("type") for block in server_blocks(message.provider_data)}
        servers = [part for part in parts if isinstance(part, dict) and part.get("type") in kinds]
        known = [*calls, *files, *servers]
        rest = [part for part in parts if not _is_thought(part) and part not in known]
        text = "\n".join(map(str, rest)) if len(rest) > 1 else (rest[0] if rest else None)
        content: Any = rest if isinstance(message.content, list) else text
        new: Any = {"content": content, "tool_calls": calls or None}
        for name, kind in _FILES.items():
            new[name] = [file for file in files if isinstance(file, kind)] or None
        thought: dict[str, Any] = next(filter(_is_thought, parts), {})
        new |= {name: thought.get(name) for name in (_REASONING, _SEALED)}
        data: dict[str, Any] = {**(message.provider_data or {}), _ITEM: thought.get(_ITEM)}
        place, text_now = place_of(data), None if content == message.content else content or ""
        blocks = blocks_with(data.get(place) or [], calls, text_now, servers)
        data[place] = [b for b in blocks if thought or b.get("type") not in THOUGHTS] or None
        return message.model_copy(update={**new, "provider_data": data})

    def made(self, role: str, text: str) -> Message:
        """A message of one text."""
        return Message(role=role, content=text)

    def made_result(self, id: str, tool: str, text: str) -> Message:
        """A message that answers a call."""
        return Message(role="tool", content=text, tool_call_id=id, tool_name=tool)


def _reasoning(message: Message) -> list[dict[str, Any]]:
    """The reasoning of a message, if it has any, as one part."""
    data = message.provider_data or {}
    reasoning: dict[str, Any] = {name: getattr(message, name) for name in (_REASONING, _SEALED)}
    reasoning[_BLOCKS] = [b for b in data.get(_BLOCKS) or () if b.get("type") in THOUGHTS]
    reasoning |= {key: data.get(key) for key in (_ITEM, "signature")}
    return [{**reasoning, "type": _REASONING}] if any(reasoning.values()) else []


def _is_thought(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == _REASONING
