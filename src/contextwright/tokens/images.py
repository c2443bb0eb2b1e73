"""Tokens of an image, by the formulas that the providers publish."""

import struct
from base64 import b64decode

UNKNOWN_SIDE = 1536
"""Pixels a side assumed where an image does not say its size: dear, not cheap."""


def image_tokens(provider: str, width: int, height: int, detail: str = "") -> int:
    """Tokens of an image of this size.

    Args:
        provider: `openai`, `anthropic` or `google`.
        detail: OpenAI's `low` or `high`.
    """
    width, height = (width, height) if width > 0 and height > 0 else (UNKNOWN_SIDE, UNKNOWN_SIDE)
    if provider == "anthropic":
        return _anthropic(width, height)
    if provider == "google":
        return _google(width, height)
    return _openai(width, height, detail)


def _openai(width: int, height: int, detail: str) -> int:
    """85 tokens at low detail; else fit into 2048 squared, short side to 768, 170 a 512 tile;
    newer models count 32 pixel patches, at most 1536 of them: the larger of the two."""
    if detail == "low":
        return 85
    scale = min(1.0, 2048 / max(width, height))
    wide, high = width * scale, height * scale
    scale = min(1.0, 768 / min(wide, high))
    tiles = -(-int(wide * scale) // 512) * -(-int(high * scale) // 512)
    patches = min(1536, -(-width // 32) * -(-height // 32))
    return max(85 + 170 * max(1, tiles), patches)


def _anthropic(width: int, height: int) -> int:
    """Width times height over 750, after the long side was brought to 1568."""
    scale = min(1.0, 1568 / max(width, height))
    return min(1640, -(-int(width * scale) * int(height * scale) // 750)) + 1


def _google(width: int, height: int) -> int:
    """258 for a small image, 258 a tile of 768 pixels for a larger one."""
    if width <= 384 and height <= 384:
        return 258
    return 258 * -(-width // 768) * -(-height // 768)


def image_size(data: str) -> tuple[int, int] | None:
    """Width and height out of the header of a base64 PNG, GIF, WebP or JPEG."""
    try:
        head = data[:65536].replace("-", "+").replace("_", "/")  # in either alphabet
        return _size(b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, struct.error, IndexError):
        return None


def _size(head: bytes) -> tuple[int, int] | None:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return struct.unpack(">II", head[16:24])
    if head[:6] in {b"GIF87a", b"GIF89a"}:
        return struct.unpack("<HH", head[6:10])
    if head[:4] == b"RIFF" and head[8:16] == b"WEBPVP8X":
        width, height = (int.from_bytes(head[at : at + 3], "little") + 1 for at in (24, 27))
        return width, height
    return _jpeg(head) if head.startswith(b"\xff\xd8") else None


def _jpeg(head: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 < len(head) and head[at] == 0xFF:
        marker, length = head[at + 1], int.from_bytes(head[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            height, width = struct.unpack(">HH", head[at + 5 : at + 9])
            return width, height
        at += 2 + length
    return None
