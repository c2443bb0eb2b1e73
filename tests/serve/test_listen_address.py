"""The address at which a server listens, as Windows and others let several have it."""

import socket
import sys

import pytest

from contextwright.errors import ProxyError
from contextwright.serve.listen_address import address_of, listening


def test_an_address_is_had_by_one():
    with listening("127.0.0.1", 0) as bound:
        assert address_of(bound).startswith("http://127.0.0.1:")
        with pytest.raises(ProxyError):
            listening("127.0.0.1", bound.getsockname()[1])


@pytest.mark.parametrize(
    ("platform", "again"), [("linux", True), ("darwin", True), ("win32", False)]
)
def test_an_address_is_reused_where_that_lets_nobody_else_have_it(platform, again, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform)
    with listening("127.0.0.1", 0) as bound:
        assert bool(bound.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)) == again
