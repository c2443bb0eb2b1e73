"""Where a command writes: looked at before its work, so that nothing is computed for nothing."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from contextwright.errors import SessionError


class OutputFile(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]
    """A file that can be written; with `or_folder` also a folder that is there or can be made, as
    a path without a suffix names one."""

    name = "path"

    def __init__(self, *, or_folder: bool = False) -> None:
        self.or_folder = or_folder

    def convert(self, value: Any, param: Any, ctx: Any) -> Path:
        """The path.

        Raises:
            SessionError: it could not be written.
        """
        out = Path(value)
        if self.or_folder and is_folder(out):
            _refuse_unwritable_folder(out)
        else:
            refuse_unwritable(out)
        return out


def is_folder(out: Path) -> bool:
    """Whether a path names a folder: one that is there, or has no suffix."""
    return out.is_dir() or not out.suffix


def refuse_unwritable(out: Path) -> None:
    """Refuse, before long work, a file that could not be written at its end.

    Raises:
        SessionError: it could not.
    """
    with _named(out):
        if out.exists():
            if out.is_file() or out.is_dir():  # to open a pipe and close it ends it for its reader
                out.open("ab").close()
            return
        place = out.resolve()  # where a link to nowhere leads
        place.open("ab").close()
        place.unlink()


def write_file(out: Path, content: bytes) -> None:
    """Write a file.

    Raises:
        SessionError: it can not be written.
    """
    with _named(out):
        out.write_bytes(content)


def make_folder(out: Path) -> None:
    """Make a folder, where it is missing.

    Raises:
        SessionError: it can not be made.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _no_folder(out, error.strerror) from error


def _refuse_unwritable_folder(out: Path) -> None:
    there = next(folder for folder in (out, *out.absolute().parents) if folder.exists())
    if not there.is_dir():
        raise _no_folder(out, f"{there} is no folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise _no_folder(out, f"{there} can not be written")


def _no_folder(out: Path, why: str | None) -> SessionError:
    return SessionError(
        f"the folder can not be made: {why}",
        where=str(out),
        fix="give a path that can be written",
    )


@contextmanager
def _named(out: Path) -> Generator[None]:
    """What goes wrong with a file is an error that names it."""
    try:
        yield
    except OSError as error:
        raise SessionError(
            f"the file can not be written: {error.strerror}",
            where=str(out),
            fix="give a path in a folder that exists and can be written",
        ) from error
