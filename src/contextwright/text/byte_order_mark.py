"""The mark with which some editors begin a file in UTF-8; it is no part of what the file says."""

from codecs import BOM_UTF8


def without_mark(data: bytes) -> bytes:
    """The bytes of a file behind its byte order mark, if it has one."""
    return data.removeprefix(BOM_UTF8)
