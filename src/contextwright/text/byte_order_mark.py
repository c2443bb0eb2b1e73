"""The marks with which editors begin a file in UTF-8, and PowerShell's `>` one in UTF-16; they are
no part of what the file says."""

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE


def is_in_utf16(data: bytes) -> bool:
    """Whether a file says so by its first bytes."""
    return data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))


def in_utf8(data: bytes) -> bytes:
    """The bytes of a file in UTF-8, without its byte order mark; as they are where it has none, or
    is not what its mark says."""
    if is_in_utf16(data):
        try:
            return data.decode("utf-16").encode()
        except UnicodeError:
            return data
    return data.removeprefix(BOM_UTF8)
