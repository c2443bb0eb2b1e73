"""An upstream of plain sockets: it sends a test's very bytes, hangs up and resets."""

import socket
import struct
import threading
from contextlib import contextmanager, suppress

from contextwright.serve.proxy_server import ProxyThread
from contextwright.serve.settings import ProxySettings

RESET = b"reset"
"""In place of bytes: the connection ends with a reset."""


def head(*fields, status=200, kind="application/json"):
    """The head of an answer."""
    lines = (f"HTTP/1.1 {status} X", f"content-type: {kind}", *fields)
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def chunk(data):
    """A part of a chunked body."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def whole(body, *fields, **options):
    """An answer that says how long it is."""
    return head(f"content-length: {len(body)}", *fields, **options) + body


class SocketUpstream:
    """Answers each request by what `script` gives for its number, beginning with 1: bytes that are
    sent one behind the other, each on its own. `hangs_up` says whether it ends the connection then.

    Args:
        script: of the number of a request, to a list of bytes.
    """

    def __init__(self, script, *, hangs_up=False):
        self.script, self.hangs_up = script, hangs_up
        self.bodies, self.connections = [], 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._accepted, daemon=True).start()

    def _accepted(self):
        with suppress(OSError):
            while True:
                caller, _ = self._socket.accept()
                caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.connections += 1
                threading.Thread(target=self._served, args=(caller,), daemon=True).start()

    def _served(self, caller):
        with suppress(OSError), caller, caller.makefile("rb") as lines:
            while lines.readline():
                length = 0
                while line := lines.readline().strip().lower():
                    if line.startswith(b"content-length:"):
                        length = int(line.partition(b":")[2])
                self.bodies.append(lines.read(length))
                for part in self.script(len(self.bodies)):
                    if part == RESET:
                        linger = struct.pack("ii", 1, 0)
                        caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                        return
                    caller.sendall(part)
                    threading.Event().wait(0.05)  # so that it comes by itself
                if self.hangs_up:
                    return

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._socket.close()


@contextmanager
def proxied_sockets(script, *, hangs_up=False, **settings):
    """Such an upstream, and a proxy in front of it."""
    with SocketUpstream(script, hangs_up=hangs_up) as upstream:
        options = {"upstream": upstream.url, "port": 0, "drain_s": 1, **settings}
        with ProxyThread(ProxySettings(**options)) as proxy:
            yield upstream, proxy
