"""Content blocks of LangChain messages: its own standard ones, and those that providers brought.

`extra["langchain"]["type"]` keeps the kind a block had, where it is not the standard one.
"""

from typing import Any, cast

from contextwright.errors import MalformedRecord
from contextwright.formats.fields import object_of, text_of
from contextwright.formats.openai_chat import data_url, url_of
from contextwright.session.event import AnyPart, File, Image, Opaque, Text, Thinking, ToolCall

NAME = "langchain"


def part_of(block: Any, where: str) -> AnyPart:
    """The part that this block of `content` is.

    Raises:
        MalformedRecord: it is neither text nor an object with a type.
    """
    if isinstance(block, str):
        return Text(text=block, extra=_kind("str"))
    kind = cast(dict[str, Any], block).get("type") if isinstance(block, dict) else None
    if not isinstance(kind, str):
        raise MalformedRecord(
            "a content block is neither text nor an object with a `type`",
            where=where,
            fix="dump the messages with langchain_core.messages.messages_to_dict",
        )
    whole = cast(dict[str, Any], block)
    known = _known(whole, kind)
    return known or Opaque(format=NAME, kind=kind, value=whole)


def _known(block: dict[str, Any], kind: str) -> AnyPart | None:
    match kind:
        case "text" if isinstance(block.get("text"), str):
            return Text(text=block["text"])
        case "reasoning" if isinstance(block.get("reasoning"), str):
            return Thinking(text=block["reasoning"])
        case "thinking" if isinstance(block.get("thinking"), str):
            signature = block.get("signature")
            return Thinking(
                text=block["thinking"],
                signature=signature if isinstance(signature, str) else "",
                provider="anthropic",
                extra=_kind(kind),
            )
        case "tool_use" | "tool_call" if isinstance(block.get("id"), str):
            arguments = block.get("input" if kind == "tool_use" else "args")
            name = block.get("name")
            if isinstance(arguments, dict) and isinstance(name, str):
                return ToolCall(
                    id=block["id"], name=name, arguments=text_of(arguments), extra=_kind(kind)
                )
        case "image_url":
            return _image_of_url(block)
        case "image" | "file" | "audio" | "video":
            return _media_of(block, kind)
        case _:
            pass
    return None


def _kind(kind: str) -> dict[str, Any]:
    return {NAME: {"type": kind}}


def _image_of_url(block: dict[str, Any]) -> Image | None:
    inner = block.get("image_url")
    flat = isinstance(inner, str)
    url: Any = inner if flat else cast(dict[str, Any], inner or {}).get("url")
    if not isinstance(url, str):
        return None
    extra = _kind("image_url flat" if flat else "image_url")
    media, data = data_url(url)
    return Image(media_type=media, data=data, url="" if data else url, extra=extra)


def _media_of(block: dict[str, Any], kind: str) -> AnyPart | None:
    media = block.get("mime_type") or ("image/png" if kind == "image" else f"{kind}/*")
    sources = {key: block.get(key) for key in ("base64", "url", "file_id")}
    texts = {key: value for key, value in sources.items() if isinstance(value, str)}
    if not isinstance(media, str) or len(texts) != 1:
        return None
    key, value = next(iter(texts.items()))
    held: dict[str, Any] = {"data" if key == "base64" else key: value}
    if kind == "image":
        return Image(media_type=media, **held)
    return File(media_type=media, extra={} if kind == "file" else _kind(kind), **held)


def block_of(part: AnyPart) -> Any:
    """The block of this part: of the kind that it was, or LangChain's standard one."""
    kind: str = part.extra.get(NAME, {}).get("type", "")
    match part:
        case Text():
            return part.text if kind == "str" else {"type": "text", "text": part.text}
        case Thinking():
            return _thinking(part, kind)
        case ToolCall():
            key = "input" if kind == "tool_use" else "args"
            arguments = object_of(part.arguments)
            return {
                "type": kind or "tool_call",
                "id": part.id,
                "name": part.name,
                key: part.arguments if arguments is None else arguments,
            }
        case Image() if kind.startswith("image_url"):
            url = url_of(part)
            return {"type": "image_url", "image_url": url if "flat" in kind else {"url": url}}
        case Image() | File():
            return _media(part, kind or ("image" if isinstance(part, Image) else "file"))
        case Opaque():
            return part.value
        case _:
            return {"type": "text", "text": part.text}


def _thinking(part: Thinking, kind: str) -> dict[str, Any]:
    if kind == "thinking":
        block = {"type": "thinking", "thinking": part.text}
        return block | ({"signature": part.signature} if part.signature else {})
    return {"type": "reasoning", "reasoning": part.text}


def _media(part: Image | File, kind: str) -> dict[str, Any]:
    held = {"base64": part.data, "url": part.url, "file_id": part.file_id}
    sources = {key: value for key, value in held.items() if value}
    return {"type": kind, "mime_type": part.media_type, **sources}
