"""What a message says, for telling whether it is the same message as before. What programs do to
their history between two calls, and nobody calls an edit, makes no difference: a cache breakpoint
that moves, a text for a list of one text, the order of keys, fields without a value, ids that an
SDK adds, reminders that an agent puts in."""

import re
from collections.abc import Mapping
from enum import Enum
from hashlib import sha256
from typing import Any, cast

import msgspec

from contextwright.formats.dump import fields_of
from contextwright.formats.fields import Json, object_if, without_surrogates

_CACHE = "cache_control"
_REMINDER = re.compile(r"\s*<system-reminder>.*?</system-reminder>\s*", re.DOTALL)
_BILLING = "x-anthropic-billing-header:"
"""How the text begins that Claude Code puts in front of its system text: another at each call."""
_TEXTS = {None, "text", "input_text", "output_text"}
_NAMED = {None, "message", "function_call", "function_call_output"}
"""Types of messages whose id says nothing. That of another item may be all that it says."""
_CONTENTS = {"content", "parts", "output"}
_CAMEL = {
    "functionCall": "function_call", "functionResponse": "function_response",
    "inlineData": "inline_data", "fileData": "file_data", "mimeType": "mime_type",
    "fileUri": "file_uri", "thoughtSignature": "thought_signature",
}  # fmt: skip
"""Gemini's names of fields, in both of their spellings."""
_IMMUTABLE = (str, int, float, bool, bytes, type(None))
_UNCHANGING = (*_IMMUTABLE, type, Enum)
_encoder = msgspec.json.Encoder(order="deterministic")


def encoded(value: Any) -> bytes:
    """JSON data as bytes; half a character (a lone surrogate) as U+FFFD."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(without_surrogates(value, [0]))


def shadow(value: Any) -> Any:
    """A copy that equals the value for as long as nobody changes it. Texts are not copied. An
    object is copied as its type with its fields."""
    if isinstance(value, _UNCHANGING) or callable(value):
        return value
    if type(value) is dict:
        return {key: shadow(item) for key, item in cast(Json, value).items()}
    if type(value) is list:
        return [shadow(item) for item in cast("list[Any]", value)]
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(map(shadow, cast("tuple[Any, ...]", value)))
    if isinstance(value, Mapping):
        return type(value), {k: shadow(v) for k, v in cast("Mapping[Any, Any]", value).items()}
    inner = getattr(value, "__dict__", None)
    if inner is None:
        inner = dict(fields_of(value))
    extra = shadow(getattr(value, "__pydantic_extra__", None))
    return (type(value), shadow(dict(inner)), extra) if inner or extra else value


def is_unchanged(copy: Any, value: Any) -> bool:
    """Whether a value is what it was when `copy` was made of it."""
    return is_equal(copy, value) or (not _is_data(value) and is_equal(copy, shadow(value)))


def is_equal(one: Any, other: Any) -> bool:
    """Whether two values are equal, and so are the types of their numbers: for Python `1`, `1.0`
    and `True` are equal, for a model they are not."""
    return one == other and (not has_numbers(one) or _has_types_of(one, other))


def has_numbers(value: Any) -> bool:
    """Whether there is a number, or a truth value, in a copy."""
    if isinstance(value, dict):
        return any(map(has_numbers, cast(Json, value).values()))
    if isinstance(value, list | tuple):
        return any(map(has_numbers, cast("list[Any]", value)))
    return isinstance(value, int | float)


def _has_types_of(one: Any, other: Any) -> bool:
    """Whether numbers of equal values are of the same types."""
    if isinstance(one, dict):
        pairs = cast(Json, one).items()
        return all(_has_types_of(item, other[key]) for key, item in pairs)
    if isinstance(one, list | tuple):
        return all(map(_has_types_of, cast("list[Any]", one), other))
    return type(one) is type(other) or not isinstance(one, int | float)


class NumberedCopies:
    """The copies of messages that have numbers in them: what `==` does not tell apart."""

    def __init__(self) -> None:
        self._codes: dict[int, int | None] = {}

    def note(self, place: int, copy: Any) -> None:
        """Take the copy at a place."""
        self._codes.pop(place, None)
        if has_numbers(copy):
            self._codes[place] = _code(copy)

    def is_equal(self, place: int, copy: Any, message: Any) -> bool:
        """Whether a message is equal to the copy at a place, and the types of its numbers are."""
        return copy == message and (place not in self._codes or _has_types_of(copy, message))

    def are_equal(self, copies: list[Any], messages: list[Any], start: int = 0) -> bool:
        """Whether the numbers of messages that equal these copies, from a place on, are of the same
        types: most are told by one encoding in C."""
        return all(
            (code is not None and _code(messages[place]) == code)
            or _has_types_of(copies[place], messages[place])
            for place, code in self._codes.items()
            if place >= start
        )


def _code(value: Any) -> int | None:
    try:
        return hash(msgspec.json.encode(value))
    except (TypeError, ValueError):
        return None


def _is_data(value: Any) -> bool:
    """Whether a value has no objects: then it is compared as it is."""
    if type(value) is dict:
        return all(map(_is_data, cast(Json, value).values()))
    if type(value) is list:
        return all(map(_is_data, cast("list[Any]", value)))
    return isinstance(value, _IMMUTABLE)


def digest(value: Any) -> bytes:
    """The sha256 of JSON data, whatever the order of its keys."""
    return sha256(encoded(value)).digest()


def canonical(message: Any) -> Any:
    """What a message says, as JSON data; equal for messages that say the same."""
    if isinstance(message, str):
        message = {"role": "user", "content": message}
    if not isinstance(message, dict):
        return message
    whole = cast(Json, message)
    for envelope in ("data", "kwargs"):  # LangChain's
        if inner := object_if(whole.get(envelope)):
            whole = {"type": whole.get("type"), **inner}
    has_id = "role" not in whole and whole.get("type") not in _NAMED and "content" not in whole
    made: Json = {}
    for key, value in whole.items():
        if key == _CACHE or (key == "id" and not has_id) or _says_nothing(value):
            continue
        if key in _CONTENTS and isinstance(value, str | list):
            value = _contents(value)
            key = "content" if key == "parts" else key
        elif key == "tool_calls":
            value = _without_nulls(value)
        if not _says_nothing(value):
            made[key] = value
    if made.get("type") == "message":
        del made["type"]
    if made.get("status") == "completed":
        del made["status"]
    return made


def is_reminder(message: Any) -> bool:
    """Whether a message is nothing but what an agent reminds its model of."""
    if canonical(message).keys() - {"role"}:
        return False
    return _REMINDER.search(encoded(object_if(message)).decode()) is not None


def reminders_in(message: Any) -> tuple[str, ...]:
    """The reminders that stand in a message, as JSON texts."""
    text = encoded(message).decode()
    if "<system-reminder>" not in text:
        return ()
    return tuple(each.strip() for each in _REMINDER.findall(text))


def canonical_contents(content: Any) -> Any:
    """What a system text says, of one text or of several blocks."""
    return _contents(content) if isinstance(content, str | list) else content


def without_caching(value: Any) -> Any:
    """JSON data without cache breakpoints, wherever they are."""
    if isinstance(value, dict):
        pairs = cast(Json, value).items()
        return {key: without_caching(item) for key, item in pairs if key != _CACHE}
    if isinstance(value, list):
        return [without_caching(item) for item in cast("list[Any]", value)]
    return value


def has_caching(value: Any) -> bool:
    """Whether there is a cache breakpoint in JSON data."""
    if isinstance(value, dict):
        return _CACHE in value or any(map(has_caching, cast(Json, value).values()))
    return isinstance(value, list) and any(map(has_caching, cast("list[Any]", value)))


def _contents(value: str | list[Any]) -> list[Any]:
    blocks = [value] if isinstance(value, str) else value
    return [made for block in blocks if (made := _block(block)) is not None]


def _block(block: Any) -> Any:
    """What a part of a content says; None for one that says nothing."""
    if isinstance(block, str):
        block = {"text": block}
    if not isinstance(block, dict):
        return block
    made: Json = {}
    for key, value in cast(Json, block).items():
        if key == _CACHE or _says_nothing(value):
            continue
        if key in _CONTENTS and isinstance(value, str | list):
            value = _contents(value)
            if not value:
                continue
        elif key in ("inlineData", "fileData"):
            value = {_CAMEL.get(name, name): item for name, item in object_if(value).items()}
        made[_CAMEL.get(key, key)] = value
    kind: Any = made.get("type")
    is_kind = kind is None or isinstance(kind, str)
    if not isinstance(made.get("text"), str) or not is_kind or kind not in _TEXTS:
        return made
    made.pop("type", None)
    text = _REMINDER.sub("", made["text"])
    if not text or text.startswith(_BILLING):
        return None
    return {**made, "text": text}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_nulls(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        pairs = cast(Json, value).items()
        return {key: _without_nulls(item) for key, item in pairs if item is not None}
    return value


def _says_nothing(value: Any) -> bool:
    """Whether a field's value is that of a field which is not there."""
    return value is None or value is False or value in ("", [], {})
