"""Bodies that come packed: by gzip and deflate, and by brotli and zstd where a package for them is
installed. Nothing is unpacked further than it may grow."""

import importlib
import zlib
from collections.abc import Callable
from typing import Any

from contextwright.serve.http_headers import GZIP

Decoder = Callable[[bytes, int], bytes]
"""The next bytes of a body, unpacked, to so many bytes at most.

Raises:
    ValueError: they are not coded as was said, or have more than that.
"""
_PIECE = 512
"""Packed bytes that are unpacked at once where a package knows no limit: 16 MB at the most."""


def decoder_of(coding: str) -> Decoder | None:
    """What unpacks a body of this coding; None where nothing here does.

    Args:
        coding: as `content-encoding` has it; empty for a plain one.
    """
    name = coding.lower().strip()
    if name in ("", "identity"):
        return lambda data, limit: data
    if name in GZIP:
        return _Inflated()
    if name == "br":
        return _brotli()
    return _zstd() if name == "zstd" else None


def unpacked(raw: bytes, coding: str, limit: int) -> bytes | None:
    """A whole body; None where nothing here unpacks it.

    Raises:
        ValueError: it is not coded as it says, or has more than `limit` bytes.
    """
    decoder = decoder_of(coding)
    return None if decoder is None else decoder(raw, limit)


class _Inflated:
    """gzip and deflate, the latter also without its frame, as some servers write it."""

    def __init__(self) -> None:
        self._inflate: Any = None
        self._start = b""

    def __call__(self, data: bytes, limit: int) -> bytes:
        try:
            if self._inflate is None:  # two bytes tell which it is
                self._start = data = self._start + data
                if len(data) < 2:
                    return b""
                self._inflate = _inflater(data)
            text = self._inflate.decompress(data, limit)
        except zlib.error as error:
            raise ValueError("not coded as it says") from error
        if self._inflate.unconsumed_tail or self._inflate.unused_data:
            raise ValueError("more than it may be")
        return text


def _inflater(start: bytes) -> Any:
    is_zlib = len(start) > 1 and start[0] & 0x0F == 8 and int.from_bytes(start[:2], "big") % 31 == 0
    framed = is_zlib or start[:1] == b"\x1f"
    return zlib.decompressobj(zlib.MAX_WBITS | 32 if framed else -zlib.MAX_WBITS)


def _brotli() -> Decoder | None:
    package = _package("brotli")
    if package is None:
        return None
    decompressor = package.Decompressor()

    def decode(data: bytes, limit: int) -> bytes:
        try:
            text = decompressor.process(data, output_buffer_limit=limit)
        except package.error as error:
            raise ValueError("not coded as it says") from error
        except TypeError as error:  # a release before 1.2, which would unpack all there is
            raise ValueError("brotli 1.2 or later is needed") from error
        if not decompressor.can_accept_more_data():
            raise ValueError("more than it may be")
        return text

    return decode


def _zstd() -> Decoder | None:
    package = _package("zstandard")
    if package is None:
        return None
    decompressor = package.ZstdDecompressor(max_window_size=2**27).decompressobj()

    def decode(data: bytes, limit: int) -> bytes:
        parts: list[bytes] = []
        size = 0
        for at in range(0, len(data), _PIECE):
            try:
                parts.append(decompressor.decompress(data[at : at + _PIECE]))
            except package.ZstdError as error:
                raise ValueError("not coded as it says") from error
            size += len(parts[-1])
            if size > limit:
                raise ValueError("more than it may be")
        return b"".join(parts)

    return decode


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
