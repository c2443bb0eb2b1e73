"""The standard streams as every command needs them: any text can be written, what can not be read
or written is an error of ours, and a reader that has seen enough ends a command in peace."""

import io
import logging
import sys
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from typing import Any

from contextwright.errors import SessionError

_NAMED_BY_US = ("psycopg",)
"""Loggers of libraries whose failures are errors of ours: a pool warns at each attempt."""


class _Output(io.FileIO):
    """The standard output where it is no terminal."""

    is_closing = False
    """Whether the command is at its end: what is left in buffers fails no second time."""

    def write(self, data: Any) -> int:
        """Write some bytes.

        Raises:
            SessionError: they can not be written. SystemExit: nobody reads any more; no
                `BrokenPipeError`, of which libraries above make exit codes of their own.
        """
        try:
            return super().write(data)
        except BrokenPipeError:
            if self.is_closing:
                return len(data)
            raise SystemExit(0) from None
        except OSError as error:
            if self.is_closing:
                return len(data)
            raise SessionError(
                f"the standard output can not be written: {error.strerror}",
                where="standard output",
                fix="make room where it goes, or send it elsewhere",
            ) from error


@contextmanager
def sound_streams() -> Generator[None]:
    """While it is open, the standard output takes every text, in whatever encoding, and a failure
    to write it is a `SessionError`, or the end where nobody reads. The standard error has our own
    words alone."""
    _mute_libraries()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    before = sys.stdout
    raw = _guarded(before)
    if raw is None:
        yield
        return
    before.flush()
    sys.stdout = output = io.TextIOWrapper(
        io.BufferedWriter(raw),
        before.encoding,
        before.errors,
        line_buffering=bool(before.line_buffering),
    )
    try:
        yield
    finally:
        sys.stdout, raw.is_closing = before, True
        output.flush()
        output.detach()


def _mute_libraries() -> None:
    """Leave unwritten what libraries log of failures that are named by an error of ours: where
    nobody set logging up, Python writes it to the standard error."""
    for name in _NAMED_BY_US:
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())


def foreign_output() -> AbstractContextManager[object]:
    """While it is open, what others print (a user's file, a framework) goes to the standard error:
    the standard output is the command's own, and may be read as JSON."""
    return redirect_stdout(sys.stderr)


def _guarded(stream: Any) -> _Output | None:
    """The file of a stream; None for a terminal, and for what is no file."""
    if not isinstance(stream, io.TextIOWrapper) or stream.isatty():
        return None
    buffer: Any = stream.buffer
    raw: Any = getattr(buffer, "raw", buffer)
    return _Output(raw.fileno(), "w", closefd=False) if isinstance(raw, io.FileIO) else None


def standard_input() -> bytes:
    """All that comes by the standard input.

    Raises:
        SessionError: it is closed, or can not be read.
    """
    why = "it is closed"
    try:
        if sys.stdin is not None:  # pyright: ignore[reportUnnecessaryComparison] -- `<&-`
            return sys.stdin.buffer.read()
    except OSError as error:
        why = error.strerror or str(error)
    raise SessionError(
        f"the standard input can not be read: {why}",
        where="-",
        fix="give a file, or send the session: ctx ... - < FILE",
    )
