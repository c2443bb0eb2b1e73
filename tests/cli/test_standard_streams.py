"""What a command does where a standard stream is the problem: in a process of its own."""

import os
import subprocess
import sys

import pytest

from contextwright import write_session
from contextwright.testing import session_of

CTX = [sys.executable, "-m", "contextwright.cli"]
needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "s.jsonl"
    talk = " | ".join(f"u: Где заказ {n}? {'слово ' * 200}| a: Здесь → Kiel" for n in range(60))
    write_session(session_of(talk + " | u: and now?"), "contextwright", path)
    return path


def run(*arguments, encoding="utf-8", **streams):
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    streams = {"stdout": subprocess.PIPE, **streams}
    return subprocess.run(
        [*CTX, *map(str, arguments)], stderr=subprocess.PIPE, env=environment, **streams
    )


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("command", ["show", "compile"])
def test_every_text_is_written_in_whatever_encoding(path, command, encoding):
    done = run(command, path, encoding=encoding)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert "tokens" in done.stdout.decode(encoding)


@needs_full
@pytest.mark.parametrize(
    "arguments", [("show",), ("compile",), ("compile", "--json"), ("convert",), ("--help",)]
)
def test_an_output_that_is_full_is_an_error(path, arguments):
    with open("/dev/full", "w") as full:
        done = run(arguments[0], path, *arguments[1:], stdout=full)
    assert done.returncode == 4
    assert done.stderr.startswith(b"error: the standard output can not be written: No space left")
    assert b"Traceback" not in done.stderr


@needs_full
def test_an_error_that_can_not_be_written_as_json_is_still_an_error():
    with open("/dev/full", "w") as full:
        done = run("compile", "gone.json", "--json", stdout=full)
    assert done.returncode == 4
    assert done.stderr.startswith(b"error: the file can not be read")


def test_an_error_about_an_argument_that_is_no_utf8_is_json_too():
    done = subprocess.run(
        [*map(os.fsencode, CTX), b"compile", b"\xff.json", b"--json"], capture_output=True
    )
    assert done.returncode == 4 and b"Traceback" not in done.stderr
    assert done.stdout.startswith(b'{"error":"SessionError"')


@pytest.mark.skipif(os.name == "nt", reason="no descriptor is closed from outside there")
def test_an_input_that_is_closed_is_an_error():
    done = run("compile", "-", preexec_fn=lambda: os.close(0))
    assert done.returncode == 4
    assert done.stderr.startswith(b"error: the standard input can not be read: it is closed")


@pytest.mark.parametrize("arguments", [("show", "--whole"), ("convert",), ("compile", "--json")])
def test_a_reader_that_has_seen_enough_ends_a_command_in_peace(path, arguments):
    ctx = subprocess.Popen(
        [*CTX, arguments[0], str(path), *arguments[1:]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    ctx.stdout.close()
    assert ctx.stderr.read() == b""
    assert ctx.wait() == 0


@pytest.mark.parametrize("command", ["compile", "convert", "show"])
def test_a_closed_standard_error_is_nothing_to_fail_of(path, command):
    closed = 'exec 2>&-; exec "$@"'
    done = subprocess.run(
        ["sh", "-c", closed, "sh", *CTX, command, str(path)], stdout=subprocess.PIPE
    )
    assert done.returncode == 0 and done.stdout


def test_a_server_that_is_down_is_told_once_in_our_words():
    """A pool of psycopg's warns at each of its attempts where nobody set logging up."""
    pytest.importorskip("psycopg_pool")
    data = "postgresql://u:secret@127.0.0.1:1/x"
    done = run("serve", "--data", data, "--upstream", "http://127.0.0.1:9", "--port", "0")
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 10 and b"secret" not in done.stderr
    assert [line.split()[0] for line in lines] == ["error:", "at:", "fix:"], lines
