"""Commands that listen: where they listen is said, and a port that is taken is named."""

import os
import socket
import subprocess
import sys

import pytest
from tests.cli.commands import ended

from contextwright import write_session
from contextwright.testing import session_of


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "s.jsonl"
    write_session(session_of("u: hi | a: hello | u: and now?"), "contextwright", path)
    return path


@pytest.mark.parametrize("command", ["inspect --serve --port", "mcp --http"])
def test_a_port_that_is_taken_is_named(path, command, capsys):
    name, *options = command.split()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, error = ended(capsys, name, path, *options, port)
    assert code == 15
    assert "can not listen there: Address" in error and f"127.0.0.1:{port}" in error


def test_a_port_that_is_none_is_wrong_usage(path, capsys):
    code, _, error = ended(capsys, "inspect", path, "--serve", "--port", "70000")
    assert code == 2 and "0<=x<=65535" in error


def test_a_server_of_tools_says_its_address(path):
    ctx = subprocess.Popen(
        [sys.executable, "-m", "contextwright.cli", "mcp", str(path), "--http", "0"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=dict(os.environ),
        text=True,
    )
    try:
        url = ctx.stderr.readline().strip()
        assert url.startswith("http://127.0.0.1:") and url.endswith("/mcp")
        port = int(url.rpartition(":")[2].partition("/")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as asked:
            asked.sendall(b"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            assert asked.recv(9) == b"HTTP/1.1 "
    finally:
        ctx.terminate()
        ctx.communicate(timeout=20)
