"""What a format reader gets: decoded records that know where they come from."""

from typing import Any, cast

import msgspec

from contextwright.formats.fields import a_list


class Record:
    """A decoded JSON value.

    Attributes:
        value: plain JSON data.
        where: file and line, or file and place in the document.
        text: of the line that it is, for a reader that decodes it itself; empty elsewhere.
    """

    __slots__ = ("_value", "_where")

    def __init__(self, value: Any, where: str) -> None:
        self._value, self._where = value, where

    @property
    def value(self) -> Any:
        return self._value

    @property
    def where(self) -> str:
        return self._where

    @property
    def text(self) -> str:
        return ""


class Document(msgspec.Struct, frozen=True):
    """A session file, decoded.

    Args:
        name: the file's name, for errors.
        records: one for a JSON document, one a line for JSON Lines.
        lines: whether it is JSON Lines.
    """

    name: str
    records: tuple[Record, ...]
    lines: bool


def body_of(document: Document, *keys: str) -> tuple[dict[str, Any], str, Any]:
    """The body that holds a list, the key of the list in it, and the list.

    Args:
        keys: names that the list may have, the first that is there counts. Without such a body:
            an empty one, no key, and the document itself or its lines.
    """
    value: Any = document.records[0].value if document.records else []
    if len(document.records) > 1:
        return {}, "", [record.value for record in document.records]
    if not isinstance(value, dict):
        return {}, "", value
    whole = cast(dict[str, Any], value)
    key = next((key for key in keys if key in whole), "")
    return (whole, key, whole[key]) if key else ({}, "", [whole])


def items_of(document: Document, *keys: str) -> list[Any]:
    """The list of a document, or nothing where it is none: to look at before reading."""
    listed = body_of(document, *keys)[2]
    return cast(list[Any], listed) if isinstance(listed, list) else []


def is_empty_request(document: Document, key: str) -> bool:
    """Whether it is a request that names its model and has no message, but the place for some."""
    body, named, listed = body_of(document, key)
    return bool(named) and listed == [] and isinstance(body.get("model"), str)


def numbered(document: Document, noun: str, *keys: str) -> list[tuple[Any, str]]:
    """The items of the list, each with its place.

    Args:
        noun: what an item is, for errors.

    Raises:
        MalformedRecord: there is no list.
    """
    _, key, listed = body_of(document, *keys)
    if len(document.records) > 1:
        return [(record.value, record.where) for record in document.records]
    listed = a_list(listed, f"{document.name}, field {key}" if key else document.name)
    return [(item, f"{document.name} {noun} {n}") for n, item in enumerate(listed)]
