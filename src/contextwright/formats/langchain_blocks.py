"""Content blocks of LangChain messages: its own standard ones, and those that providers brought.

`extra["langchain"]["type"]` keeps the kind a block had, where it is not the standard one.
"""

from typing import Any

from contextwright.errors import MalformedRecord
from contextwright.formats.fields import Json, object_if, object_of, text_if, text_of
from contextwright.formats.openai_chat import image_of, url_of
from contextwright.session.event import (
    NO_FIELDS,
    AnyPart,
    File,
    Image,
    Opaque,
    Text,
    Thinking,
    ToolCall,
)

NAME = "langchain"


def part_of(block: Any, where: str) -> AnyPart:
    """The part that this block of `content` is.

    Raises:
        MalformedRecord: it is neither text nor an object with a type.
    """
    if isinstance(block, str):
        return Text(text=block, extra=_kind("str"))
    kind = object_if(block).get("type")
    if not isinstance(kind, str):
        raise MalformedRecord(
            "a content block is neither text nor an object with a `type`",
            where=where,
            fix="dump the messages with langchain_core.messages.messages_to_dict",
        )
    return _known(object_if(block), kind) or Opaque(format=NAME, kind=kind, value=block)


def _known(block: Json, kind: str) -> AnyPart | None:
    match kind, block:
        case "text", {"text": str(text)}:
            return Text(text=text)
        case "reasoning", {"reasoning": str(text)}:
            return Thinking(text=text)
        case "thinking", {"thinking": str(text)}:
            signature = text_if(block.get("signature"))
            return Thinking(text=text, signature=signature, provider="anthropic", extra=_kind(kind))
        case "redacted_thinking", {"data": str(data)}:
            return Thinking(redacted=data, provider="anthropic")
        case ("tool_use", {"id": str(id), "name": str(name), "input": dict(arguments)}) | (
            "tool_call",
            {"id": str(id), "name": str(name), "args": dict(arguments)},
        ):
            return ToolCall(id=id, name=name, arguments=text_of(arguments), extra=_kind(kind))
        case "image_url", {"image_url": str(url)}:
            return image_of(url, extra=_kind("image_url flat"))
        case "image_url", {"image_url": {"url": str(url)}}:
            return image_of(url, extra=_kind("image_url"))
        case "image" | "file" | "audio" | "video", _:
            return _media_of(block, kind)
        case _:
            return None


def _kind(kind: str) -> Json:
    return {NAME: {"type": kind}}


def _media_of(block: Json, kind: str) -> AnyPart | None:
    media = block.get("mime_type") or ("image/png" if kind == "image" else f"{kind}/*")
    names = {"base64": "data", "url": "url", "file_id": "file_id"}
    held = {ours: block[key] for key, ours in names.items() if isinstance(block.get(key), str)}
    if not isinstance(media, str) or len(held) != 1:
        return None
    if kind == "image":
        return Image(media_type=media, **held)
    return File(media_type=media, extra=NO_FIELDS if kind == "file" else _kind(kind), **held)


def block_of(part: AnyPart) -> Any:
    """The block of this part: of the kind that it was, or LangChain's standard one."""
    kind: str = part.extra.get(NAME, {}).get("type", "")
    match part:
        case Text():
            return part.text if kind == "str" else {"type": "text", "text": part.text}
        case Thinking(redacted=data) if data and not part.text and _is_claudes(part):
            return {"type": "redacted_thinking", "data": data}
        case Thinking() if kind == "thinking" or (part.signature and _is_claudes(part)):
            signed = {"signature": part.signature} if part.signature else {}
            return {"type": "thinking", "thinking": part.text, **signed}
        case Thinking():
            return {"type": "reasoning", "reasoning": part.text}
        case ToolCall():
            arguments = object_of(part.arguments)
            block = {"type": kind or "tool_call", "id": part.id, "name": part.name}
            key = "input" if kind == "tool_use" else "args"
            return {**block, key: part.arguments if arguments is None else arguments}
        case Image() if kind.startswith("image_url"):
            url = url_of(part)
            return {"type": "image_url", "image_url": url if "flat" in kind else {"url": url}}
        case Image() | File():
            return _media(part, kind or ("image" if isinstance(part, Image) else "file"))
        case Opaque():
            return part.value
        case _:
            return {"type": "text", "text": part.text}


def _is_claudes(part: Thinking) -> bool:
    """Whether a thought may be Claude's: its blocks are signed by no other provider."""
    return part.provider in ("", "anthropic")


def _media(part: Image | File, kind: str) -> Json:
    held = {"base64": part.data, "url": part.url, "file_id": part.file_id}
    sources = {key: value for key, value in held.items() if value}
    return {"type": kind, "mime_type": part.media_type, **sources}
