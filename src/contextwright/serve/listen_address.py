"""The address at which a server of ours listens."""

import socket
import sys

from contextwright.errors import address_error

_WAITING = 1024
"""Connections that may wait to be accepted."""


def listening(host: str, port: int) -> socket.socket:
    """A socket at an address.

    Args:
        port: 0 for any that is free.

    Raises:
        ProxyError: the address is taken, or none of this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    if sys.platform != "win32":  # there it would let several listen at one address
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host.strip("[]"), port))
        bound.listen(_WAITING)
    except OSError as error:
        bound.close()
        raise address_error(error, host, port) from error
    return bound


def address_of(bound: socket.socket) -> str:
    """The base URL of a server that listens at a socket."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
