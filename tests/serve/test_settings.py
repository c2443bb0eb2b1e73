"""Settings with which a proxy could not do what they say are refused before it listens."""

import math

import pytest

from contextwright.errors import ProxyError
from contextwright.serve.app import ProxyApp
from contextwright.serve.proxy_server import server_of
from contextwright.serve.settings import ProxySettings


@pytest.mark.parametrize("name", ["deadline_s", "stall_s", "drain_s"])
@pytest.mark.parametrize("seconds", [math.nan, math.inf, 0])
def test_what_can_not_be_waited_for_is_refused(name, seconds):
    with pytest.raises(ProxyError, match=name):
        ProxySettings(upstream="https://x.example", **{name: seconds})


@pytest.mark.parametrize("name", ["key", "admin_key"])
@pytest.mark.parametrize("key", ["Schlüssel", "two words", " kkk", "kkk\n"])
def test_a_key_that_no_header_carries_is_refused_and_not_shown(name, key):
    with pytest.raises(ProxyError, match="no client can send") as refused:
        ProxySettings(upstream="https://x.example", **{name: key})
    assert key not in str(refused.value)


def test_a_connection_waits_longer_for_its_caller_than_callers_keep_one():
    """uvicorn closes it after 5 seconds by itself, when a call may be under way to it."""
    config = server_of(ProxyApp(ProxySettings(upstream="http://127.0.0.1:1"))).config
    assert config.timeout_keep_alive > 60
