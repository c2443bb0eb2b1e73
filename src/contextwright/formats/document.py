"""What a format reader gets: decoded records that know where they come from."""

from typing import Any

import msgspec


class Record(msgspec.Struct, frozen=True):
    """A decoded JSON value.

    Args:
        value: plain JSON data.
        where: file and line, or file and place in the document.
    """

    value: Any
    where: str


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
