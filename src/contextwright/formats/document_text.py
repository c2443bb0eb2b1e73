"""Documents that are texts, for whom they can not go to as they came: their words go instead."""

from collections.abc import Iterator
from typing import Any

from contextwright.formats.fields import list_if, object_if
from contextwright.session.event import File, Opaque
from contextwright.text.encoded_forms import decode_base64

_TYPES = ("text/", "application/json", "application/xml")
_KINDS = frozenset({"document", "search_result", "searchResult"})
"""Kinds of Anthropic's and Bedrock's parts that are documents."""


def file_text(part: File) -> str:
    """The words of a file; empty where it is none of words."""
    if not part.data or not part.media_type.startswith(_TYPES):
        return ""
    try:
        return (decode_base64(part.data) or b"").decode()
    except UnicodeDecodeError:
        return ""


def document_text(part: Opaque) -> str:
    """The words of a document of another format, behind its title; empty where they are no text."""
    if part.kind not in _KINDS:
        return ""
    document = object_if(object_if(part.value).get(part.kind)) or object_if(part.value)
    words = "\n".join(_texts(document)).strip()
    title = document.get("title") or document.get("name")
    return f"[file: {title}]\n{words}" if words and isinstance(title, str) else words


def _texts(document: dict[str, Any]) -> Iterator[str]:
    source = object_if(document.get("source"))
    plain = [source.get("text"), source.get("data") if source.get("type") == "text" else None]
    for value in (*plain, source.get("content"), document.get("content")):
        for item in [value] if isinstance(value, str) else list_if(value):
            text = object_if(item).get("text") if isinstance(item, dict) else item
            if isinstance(text, str):
                yield text
