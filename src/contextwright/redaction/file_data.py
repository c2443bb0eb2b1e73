"""Files of text that stand in a request: as they are, in base64, or in an address that holds them.
Somebody reads these bytes, so what a spec redacts goes from them; no other file is changed."""

import base64
import re
from collections.abc import Mapping
from typing import Any, Protocol

from contextwright.text.encoded_forms import decode_base64

_TEXT_TYPES = ("text/", "application/json", "application/xml")
_MEDIA_KEYS = ("mime_type", "mimeType", "media_type", "mediaType")
_ADDRESS = re.compile(r"(data:(?P<media>[^,;]*)(?:;[^,;]*)*;base64,)(?P<data>.*)\Z", re.DOTALL)


class TextCleaning(Protocol):
    """What takes out of texts what must not be seen."""

    def text(self, text: str) -> str:
        """A text without it."""
        ...


def redacted_files(cleaner: TextCleaning, fields: Mapping[str, Any]) -> dict[str, str]:
    """The fields that hold a file of text, redacted."""
    made: dict[str, str] = {}
    data = fields.get("data")
    if isinstance(data, str):
        media = next((fields[key] for key in _MEDIA_KEYS if key in fields), "")
        if fields.get("type") == "text":  # a document's source that is its text
            made["data"] = cleaner.text(data)
        elif isinstance(media, str) and media.startswith(_TEXT_TYPES):
            made["data"] = redacted_base64(cleaner, data)
    held = fields.get("file_data")
    match = _ADDRESS.match(held) if isinstance(held, str) else None
    if match and match["media"].startswith(_TEXT_TYPES):
        made["file_data"] = match[1] + redacted_base64(cleaner, match["data"])
    return made


def redacted_base64(cleaner: TextCleaning, data: str) -> str:
    """Text in base64, redacted; the same bytes where nothing of it is, or where it is no text."""
    try:
        text = (decode_base64(data, strict=True) or b"").decode()
    except UnicodeDecodeError:
        return data
    new = cleaner.text(text)
    return data if new == text else base64.b64encode(new.encode()).decode()
