"""Pictures for tests: of a size, and none of whose bytes matter."""

import base64
import struct
import zlib


def png(width: int, height: int) -> str:
    """A picture whose bytes hardly compress."""
    rows = b"".join(bytes([0]) + (b"%d" % row) * width for row in range(height))
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", rows))
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + body).decode()
