"""Messages that a framework keeps inside a record of its own: a store, a memory, a session."""

from collections.abc import Callable, Iterable
from typing import Any, cast

from contextwright.errors import MalformedRecord
from contextwright.formats.document import Document, Record
from contextwright.formats.fields import Json, object_if
from contextwright.formats.format_evidence import most
from contextwright.formats.key_order import key_order
from contextwright.formats.request_body import ENVELOPE, ORDER, in_its_order

_Path = tuple[str, ...]
ANY = "*"
"""Stands in a path for every key of an object."""


def opened(
    document: Document, paths: Iterable[_Path], is_message: Callable[[Json], bool]
) -> tuple[Document, Json]:
    """The document of the messages alone, and what the metadata keeps of the record around them;
    the document itself where none of the paths leads to a list.

    Args:
        paths: keys from the record to the list of messages.
        is_message: whether a message has the form of the framework's.

    Raises:
        MalformedRecord: there are messages of several conversations.
    """
    whole = object_if(document.records[0].value) if len(document.records) == 1 else {}
    places = [place for path in paths for place in _places(whole, path)]
    fitting = [place for place in places if most(_at(whole, place), is_message)]
    fitting = fitting or places[:1]
    if not fitting:
        return document, {}
    if len(fitting) > 1:
        names = ", ".join(".".join(place) for place in fitting[:5])
        raise MalformedRecord(
            f"expected the messages of one conversation, got {len(fitting)}: {names}",
            where=document.name,
            fix="give the list of one of them",
        )
    path = fitting[0]
    record = Record(_at(whole, path), f"{document.records[0].where}, field {'.'.join(path)}")
    around = _replaced(whole, path, None)
    stored = {ENVELOPE: {"path": list(path), "record": around}, ORDER: key_order(None, around)}
    return Document(document.name, (record,), lines=False), stored


def closed(messages: list[Any], stored: Json) -> Json:
    """The record with these messages in their place.

    Args:
        stored: what `opened` gave for the metadata.
    """
    around = stored[ENVELOPE]
    return in_its_order(_replaced(around["record"], tuple(around["path"]), messages), stored)


def _places(value: Any, path: _Path, before: _Path = ()) -> list[_Path]:
    """The places of lists that a path leads to."""
    if not path:
        return [before] if isinstance(value, list) else []
    fields = object_if(value) if isinstance(value, dict) else {}
    keys = [key for key in fields if path[0] in (ANY, key)]
    return [place for key in keys for place in _places(fields[key], path[1:], (*before, key))]


def _at(value: Any, path: _Path) -> Any:
    for key in path:
        value = value[key]
    return value


def _replaced(value: Any, path: _Path, new: Any) -> Any:
    if not path:
        return new
    fields = cast(Json, value)
    return {k: _replaced(v, path[1:], new) if k == path[0] else v for k, v in fields.items()}
