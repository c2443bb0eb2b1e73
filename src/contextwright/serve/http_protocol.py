"""What reads requests off a connection: httptools where it is installed, h11 otherwise.

httptools takes less of the processor for each event of a stream, and bounds no head of a request;
here it does, as h11 does by itself.
"""

import asyncio
from typing import Literal

MOST = 256 * 1024
"""Bytes of a request's head, and some more that came with them."""


def http_protocol() -> "type[asyncio.Protocol] | Literal['h11']":
    """What `uvicorn.Config(http=...)` takes."""
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:
        return "h11"

    class BoundedHeads(HttpToolsProtocol):
        """Refuses a head that does not end, and takes nothing for one that is none."""

        _head: int | None = 0  # bytes of the head that is read; None within a body

        def data_received(self, data: bytes) -> None:
            """Bytes of a request, or of several."""
            if self._head is not None:
                self._head += len(data)
                if self._head > MOST + len(data):
                    self.send_400_response(f"The head of a request has more than {MOST:,} bytes.")
                    return
            super().data_received(data)

        def on_header(self, name: bytes, value: bytes) -> None:
            """A field of a head; what stands behind a body is none, though it looks like one."""
            if self._head is not None:
                super().on_header(name, value)

        def on_headers_complete(self) -> None:
            """The end of a head."""
            self._head = None
            super().on_headers_complete()
            # what reads a URL takes it apart: a request for another server would be one for ours
            self.scope["raw_path"] = self.url.partition(b"?")[0]

        def on_message_complete(self) -> None:
            """The end of a request."""
            self._head = 0
            super().on_message_complete()

    return BoundedHeads
