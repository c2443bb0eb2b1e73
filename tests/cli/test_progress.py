"""No command is silent at a terminal: a line says what it does, on standard error, and only there."""

import io
import json
import threading

import pytest

from contextwright.cli import progress
from contextwright.cli.main import _HOMES, SERVERS, main
from contextwright.cli.progress import ProgressBars, busy_line, no_line, working

SPEC = "C.window(n=2) | C.compact()"


class Terminal(io.StringIO):
    """A stream that says whether it is a terminal, and tells when something was written to it."""

    def __init__(self, is_one=True):
        super().__init__()
        self.is_one, self.wanted, self.drawn = is_one, "ctx", threading.Event()

    def isatty(self):
        return self.is_one

    def write(self, text):
        if self.wanted in text:
            self.drawn.set()
        return super().write(text)


@pytest.fixture
def terminal(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    return Terminal()


@pytest.fixture
def session(tmp_path):
    path = tmp_path / "support.jsonl"
    run("demo", "--save", str(path))
    return str(path)


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return ended.value.code


def test_what_is_done_is_drawn_with_how_far_it_is(terminal, monkeypatch):
    monkeypatch.setattr("sys.stderr", terminal)
    terminal.wanted = "75%"
    with busy_line("ctx compile", after_s=0.001), working("reading"), ProgressBars() as bars:
        bars.show("compiling", 3, 4)
        assert terminal.drawn.wait(60)
    assert "compiling" in terminal.getvalue()


def test_nothing_is_drawn_where_nobody_looks(monkeypatch):
    stream = Terminal(is_one=False)
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("FORCE_COLOR", "1")
    threads = threading.active_count()
    with busy_line("ctx", after_s=0.001), working("reading"):
        assert threading.active_count() == threads
    assert not stream.getvalue()


def test_the_line_goes_before_something_is_printed_and_another_program_has_the_terminal(
    terminal, monkeypatch
):
    printed = io.StringIO()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("sys.stdout", printed)
    with busy_line("ctx", after_s=0.001):
        (line,) = progress._lines
        assert terminal.drawn.wait(60)
        print("a table")
        with no_line():
            assert line._shown is None
            drawn = terminal.getvalue()
            line._draw()
            assert terminal.getvalue() == drawn
    assert printed.getvalue() == "a table\n"
    assert "a table" not in terminal.getvalue()
    assert not progress._lines


COMMANDS = {
    "compile": ("SESSION", "--spec", SPEC),
    "convert": ("SESSION", "--to", "anthropic"),
    "diff": ("SESSION", "--spec", SPEC, "--spec", "C.default()"),
    "expand": ("event://e2", "SESSION"),
    "explain": ("SESSION", "--spec", SPEC),
    "salience": ("SESSION",),
    "show": ("SESSION", "--spec", SPEC),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_is_silent_draws_a_line_and_prints_the_same(
    name, session, terminal, monkeypatch, capsys
):
    """Silence is shown at once here, and drawn whenever a command looks at what it does."""
    arguments = [name, *(session if one == "SESSION" else one for one in COMMANDS[name])]
    monkeypatch.setattr("sys.stderr", Terminal(is_one=False))
    assert not run(*arguments)
    wanted = capsys.readouterr().out
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(progress, "AFTER_S", 0)
    added = progress._added

    def drawn(activity):
        lines = added(activity)
        for line in lines:
            line._written = 0
            line._draw()
        return lines

    monkeypatch.setattr(progress, "_added", drawn)
    assert not run(*arguments)
    assert f"ctx {name}" in terminal.getvalue() or "reading" in terminal.getvalue()
    shown = capsys.readouterr().out
    if "--json" in arguments:
        json.loads(shown)
    assert shown == wanted


def test_every_command_has_the_line_or_waits_for_others():
    assert set(_HOMES) >= SERVERS | set(COMMANDS)
