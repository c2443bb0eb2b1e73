"""A part of a framework's message, as a context reads it."""

import base64
import json
from typing import Any, Literal

import msgspec

from contextwright.adapters.message_mapping import Wire
from contextwright.adapters.opaque_parts import KIND, data_of


class PartView(msgspec.Struct, frozen=True):
    """A part of a framework's message, as a context reads it.

    Args:
        kind: what it is; `own` is what only the framework knows, shown as data. Reasoning is not
            shown, nor what is opaque: it says nothing, or again what is shown.
        text: of a text or a result; the arguments of a call, as JSON.
        id: of the call, also in its result.
        name: of the tool that is called.
        wire: the part of a chat message that stands for a picture, a file or what is `own`.
        role: whose it is, where that is another than the message's.
    """

    kind: Literal["text", "call", "result", "media", "own", "reasoning", "opaque"]
    text: str = ""
    id: str = ""
    name: str = ""
    wire: Wire = {}
    role: str = ""

    @classmethod
    def call(cls, id: str | None, name: str | None, arguments: Any) -> "PartView":
        """A call, whose arguments are JSON or data."""
        is_text = isinstance(arguments, str)
        text = arguments if is_text else json.dumps(arguments or {}, ensure_ascii=False)
        return cls("call", text or "{}", id or "", name or "")

    @classmethod
    def own(cls, part: Any) -> "PartView":
        """What only the framework knows."""
        return cls("own", wire={"type": KIND, "value": data_of(part)})

    @classmethod
    def image(cls, url: str) -> "PartView":
        """A picture, by its address."""
        return cls("media", wire={"type": "image_url", "image_url": {"url": url}})

    @classmethod
    def image_data(cls, kind: str, data: bytes | str) -> "PartView":
        """A picture itself: its bytes, or those in base64."""
        text = data if isinstance(data, str) else base64.b64encode(data).decode()
        return cls.image(f"data:{kind};base64,{text}")
