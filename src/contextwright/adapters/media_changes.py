"""Pictures and files of a framework's, as a redaction finds them and what it leaves of them."""

import dataclasses
from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any, cast

from contextwright.adapters.message_sources import Wire
from contextwright.adapters.opaque_parts import base64_of
from contextwright.adapters.part_view import PartView
from contextwright.formats.record_copies import copy_with

_READ = ("data:text/", "data:application/json", "data:application/xml")
"""What the address of a file begins with that is a text: somebody reads it."""
_ADDRESSES = frozenset({"url", "uri", "file_id", "file_uri", "image_url", "filepath"})
_MEDIA = frozenset(
    {"image", "image_url", "file", "document", "audio", "input_audio", "video", "media", "uri"}
)
_CONTENTS = ("content", "items", "result", "blocks")
"""Fields of a result in which its pictures and files stand."""


def words_of(view: PartView) -> Any:
    """What of an item of a result may be words and its chat message does not show, as data: the
    name of a picture, and all of what is neither picture nor file. None where that is nothing."""
    if view.is_media:
        return {"name": view.name} if view.is_picture and view.name else None
    return view.wire["value"] if view.kind == "own" else None


def address_note(view: PartView, was: Any, now: Any) -> str:
    """What stands for a picture or a file whose address is another one now, which leads nowhere;
    empty where that stays.

    Args:
        was, now: what stands for it, before and behind.
    """
    fields = cast("Wire", was) if isinstance(was, Mapping) else {}
    own = view.name if view.kind == "own" else ""
    kind = own or str(fields.get("kind") or fields.get("type") or "").removesuffix("-url")
    lost = (key for key, old, _ in _changes(was, now) if not old.startswith("data:"))
    is_lost = kind in _MEDIA and any(key in _ADDRESSES for key in lost)
    name = fields.get("media_type") or kind.removesuffix("_url")
    return f"[{name} not sent: its address was redacted]" if is_lost else ""


def media_with(part: Any, was: Wire, now: Wire) -> Any:
    """A copy of a framework's picture or file, of its type, whose name or text is another one.

    Args:
        was, now: what stands for it in a chat message, before and behind.
    """
    texts = {old: new for _, old, new in _changes(was, now)}
    data = {_data(old): _data(new) for old, new in texts.items() if old.startswith("data:")}
    return _with_texts(part, {**texts, **data})


def with_items(part: Any, new: Mapping[int, Any]) -> Any:
    """A copy of a result with others of its pictures and files.

    Args:
        new: by the identity of what it stands for.
    """
    if isinstance(part, Mapping):
        own = dict(cast("Wire", part))
    else:
        own = {name: getattr(part, name) for name in _CONTENTS if hasattr(part, name)}
    made = {name: _with_items(value, new) for name, value in own.items()}
    changed = {name: value for name, value in made.items() if value is not own[name]}
    return copy_with(part, changed) if changed else part


def _with_items(value: Any, new: Mapping[int, Any]) -> Any:
    if id(value) in new:
        return new[id(value)]
    if not isinstance(value, list | tuple | dict):
        return value
    entries = cast("Any", value)
    pairs = entries.items() if isinstance(value, dict) else enumerate(entries)
    made = {key: _with_items(item, new) for key, item in pairs}
    changed = {key: item for key, item in made.items() if item is not entries[key]}
    return copy_with(value, changed) if changed else cast("Any", value)


def _changes(was: Any, now: Any, key: str = "") -> Iterator[tuple[str, str, str]]:
    """The texts that are others now: their keys, what they were and what they are."""
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        before, after = cast("Wire", was), cast("Wire", now)
        for name in before.keys() & after.keys():
            yield from _changes(before[name], after[name], name)
    elif isinstance(was, list) and isinstance(now, list):
        for pair in zip(cast("list[Any]", was), cast("list[Any]", now), strict=False):
            yield from _changes(*pair, key)
    elif isinstance(was, str) and was != now:
        yield key, was, str(now)


def _data(address: str) -> str:
    return address.partition(",")[2]


def _with_texts(value: Any, texts: Mapping[str, str]) -> Any:
    """A value with others of its texts, and of its bytes by their base64."""
    if isinstance(value, str):
        return texts.get(value, value)
    if isinstance(value, bytes):
        if (new := texts.get(base64_of(value))) is not None:
            return b64decode(new)
        # LlamaIndex has base64 as bytes
        return texts.get(value.decode("ascii", "ignore"), "").encode() or value
    if isinstance(value, Mapping):
        own = dict(cast("Wire", value))
    elif dataclasses.is_dataclass(value):
        own = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    else:
        own = dict(getattr(value, "__dict__", {}))
    is_text = (str, bytes, Mapping)
    made = {key: _with_texts(item, texts) for key, item in own.items() if isinstance(item, is_text)}
    changed = {key: item for key, item in made.items() if item != own[key]}
    return copy_with(value, changed) if changed else value
