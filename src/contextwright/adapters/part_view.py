"""A part of a framework's message, as a context reads it."""

import json
import re
from collections.abc import Iterator, Mapping
from mimetypes import guess_type
from typing import Any, Literal, cast

import msgspec

from contextwright.adapters.message_mapping import Wire
from contextwright.adapters.opaque_parts import KIND, base64_of, data_of, part_with

_SIGNATURES = ("signature", "protected_data", "redacted")
_INSIDE = ("value", "output")
_PDF = "application/pdf"
_FILE = re.compile(r"(input_|uploaded-)?(file|document|audio|video|media)([-_]url)?")
"""Kinds of parts of a framework's own, or of a provider's, that are files."""
_OPENAI = "rs_"
"""What ids of OpenAI's reasoning begin with."""


class PartView(msgspec.Struct, frozen=True):
    """A part of a framework's message, as a context reads it.

    Args:
        kind: what it is; `own` is what only the framework knows, shown as data. Reasoning stands
            beside the messages, where a redaction finds it; what is opaque is not shown: it says
            nothing, or again what is shown.
        text: of a text or a result; the arguments of a call, as JSON.
        id: of the call, also in its result.
        name: of the tool that is called, or of a picture; of what is `own`, whether it is a picture
            or a file, and which.
        wire: the part of a chat message that stands for a picture, a file or what is `own`.
        role: whose it is, where that is another than the message's.
        files: of a result, the framework's own pictures and files in it.
        stays: whether it is pinned.
    """

    kind: Literal["text", "call", "result", "media", "own", "reasoning", "opaque"]
    text: str = ""
    id: str = ""
    name: str = ""
    wire: Wire = {}
    role: str = ""
    files: tuple[Any, ...] = ()
    stays: bool = False

    @property
    def is_picture(self) -> bool:
        """Whether it is a picture, by its bytes, its address or its provider's id."""
        return "image_url" in self.wire or (self.kind == "own" and _shows(self.wire["value"]))

    @property
    def is_media(self) -> bool:
        """Whether it is a picture or a file: a document, a sound, a film."""
        if self.kind != "own" or self.is_picture:
            return self.kind == "media" or self.is_picture
        value: Any = self.wire["value"]
        fields = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
        kinds = [self.name, *(str(fields.get(key) or "") for key in ("kind", "type"))]
        return any(_FILE.fullmatch(kind) for kind in kinds)

    @classmethod
    def call(cls, id: str | None, name: str | None, arguments: Any) -> "PartView":
        """A call, whose arguments are JSON or data."""
        is_text = isinstance(arguments, str)
        text = arguments if is_text else json.dumps(arguments or {}, ensure_ascii=False)
        return cls("call", text or "{}", id or "", name or "")

    @classmethod
    def result(
        cls, text: str, id: str | None, content: Any = (), texts: tuple[type, ...] = ()
    ) -> "PartView":
        """What a tool gave back.

        Args:
            content: of the result, where it is a list.
            texts: types of what of it is in the text; all else are pictures and files.
        """
        items = () if isinstance(content, str) else content
        files = tuple([item for item in items if not isinstance(item, texts)])
        return cls("result", text, id or "", files=files)

    @classmethod
    def file(cls, address: str, name: str | None = None) -> "PartView":
        """A file, by the address that holds it."""
        named = {"filename": name} if name else {}
        return cls("media", wire={"type": "file", "file": {"file_data": address, **named}})

    @classmethod
    def file_data(cls, kind: str, data: bytes, name: str | None = None) -> "PartView":
        """A file itself."""
        return cls.file(f"data:{kind};base64,{base64_of(data)}", name)

    @classmethod
    def of_fields(cls, file: Any, kind: str) -> "PartView":
        """A picture or a file that has its bytes, or its address, in fields.

        Args:
            kind: as `own` says.
        """
        is_image = kind == "image"
        # what was put elsewhere is not fetched to be counted
        address = file.url or getattr(getattr(file, "media_reference", None), "url", None)
        if is_image and address and not file.content:
            return cls.image(address)
        if is_image:
            type_ = file.mime_type or f"image/{file.format or 'png'}"
            return cls.image_data(type_, file.get_content_bytes() or b"")
        if file.content is None:
            return cls.own(file, kind)
        data = file.content if isinstance(file.content, bytes) else str(file.content).encode()
        name = getattr(file, "filename", None)
        return cls.file_data(file.mime_type or guess_type(name or "")[0] or _PDF, data, name)

    @classmethod
    def own(cls, part: Any, kind: str = "") -> "PartView":
        """What only the framework knows.

        Args:
            kind: of a picture or a file: `image`, `file`, `audio`, `video`; without, the part says
                it itself.
        """
        return cls("own", name=kind, wire={"type": KIND, "value": data_of(part)})

    @classmethod
    def reasoning(cls, part: Any, sealed: str = "") -> "PartView":
        """What a model thought, as data.

        Args:
            sealed: the field in which it is the provider's own bytes.
        """
        data: dict[str, Any] = data_of(part) or {}
        words = {key: value for key, value in data.items() if key not in ("id", "type", sealed)}
        return cls("reasoning", wire={"type": KIND, "value": words})

    @classmethod
    def image(cls, url: str, name: str = "") -> "PartView":
        """A picture, by its address."""
        return cls("media", name=name, wire={"type": "image_url", "image_url": {"url": url}})

    @classmethod
    def image_data(cls, kind: str, data: bytes | str, name: str = "") -> "PartView":
        """A picture itself: its bytes, or those in base64."""
        text = data if isinstance(data, str) else base64_of(data)
        return cls.image(f"data:{kind};base64,{text}", name)


def reasoning_with(new: Iterator[Mapping[str, Any]], part: Any, view: PartView) -> Any:
    """A part that says the next of what is new, where it is reasoning; None where it is signed and
    would say something else: a signature holds for what was said.

    Args:
        new: as the views have it, with other texts.
        view: of the part.
    """
    if view.kind != "reasoning" or (value := next(new)) == view.wire["value"]:
        return part
    data = data_of(part)
    return None if _is_signed(data) else part_with(part, {**data, **value})


def _shows(value: Any) -> bool:
    """Whether a provider's block is a picture, or holds one alone."""
    if not isinstance(value, Mapping):
        return False
    block = cast("Mapping[str, Any]", value)
    return "image" in str(block.get("type")) or any(_shows(block.get(key)) for key in _INSIDE)


def _is_signed(data: Any) -> bool:
    """Whether reasoning is signed. OpenAI's is sealed beside its summary, and told by an id."""
    if isinstance(data, list):
        return any(map(_is_signed, cast("list[Any]", data)))
    if not isinstance(data, Mapping):
        return False
    fields = cast("Mapping[str, Any]", data)
    proofs = [str(fields.get(name) or "") for name in ("id", *_SIGNATURES)]
    if any(proof.startswith(_OPENAI) for proof in proofs):
        return False
    return any(proofs[1:]) or any(map(_is_signed, fields.values()))
