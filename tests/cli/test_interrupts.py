"""Ctrl-C ends every command with 130 and a line, as shells and scripts expect it."""

import signal
import subprocess
import sys

import pytest

from contextwright import write_session
from contextwright.testing import session_of


def _hears_ctrl_c():
    """What a shell starts in the background ignores it, and so would the command."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def interrupted(*arguments, until, cwd):
    """How a command ends by Ctrl-C, once this is in what it says, or it waits for input."""
    command = [sys.executable, "-m", "contextwright.cli", *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=cwd, preexec_fn=_hears_ctrl_c,
    ) as process:  # fmt: skip
        said = ""
        if until:
            while until not in said:
                line = process.stdout.readline()
                assert line, said
                said += line
        else:
            fill_input(process)
        process.send_signal(signal.SIGINT)
        shown, error = process.communicate(timeout=60)
    return process.returncode, said + shown, error


def fill_input(process):
    """Wait until a command reads its input: it has taken what a pipe holds, and more."""
    process.stdin.write("[" + " " * 200_000)
    process.stdin.flush()


@pytest.mark.parametrize(
    ("arguments", "until"),
    [
        (("compile", "-"), ""),
        (("convert", "-", "--to", "anthropic"), ""),
        (("serve", "--upstream", "http://127.0.0.1:9", "--port", "0"), "sums:"),
        (("inspect", "s.json", "--serve", "--port", "0"), "Ctrl-C"),
    ],
)
def test_ctrl_c_ends_it_with_130_and_no_traceback(arguments, until, tmp_path):
    write_session(session_of("u: hi | a: hello"), path=tmp_path / "s.json")
    code, _, error = interrupted(*arguments, until=until, cwd=tmp_path)
    assert (code, error) == (130, "ended by Ctrl-C\n")
