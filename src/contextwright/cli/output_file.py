"""Where a command writes: looked at before its work, so that nothing is computed for nothing."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from contextwright.errors import SessionError
from contextwright.stores.local_path import local_path
from contextwright.whole_file import refuse_input, write_whole


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
        if str(value) == "-":  # to a shell the standard output, and no file of that name
            raise SessionError(
                "expected a file to write, got the standard output",
                where="-",
                fix="give a file (./- is one of that name), or leave it out: what a command "
                "prints without it goes on through a pipe",
            )
        out = local_path(value, error=SessionError, fix="give a file or a folder")
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
    """Write a file, whole or not at all.

    Raises:
        SessionError: it can not be written.
    """
    with _named(out):
        write_whole(out, content)


class WritingCommand(click.Command):
    """A command that writes a file, and never over what it reads."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run it.

        Raises:
            SessionError: an output is an input.
        """
        places = [one.name or "" for one in self.params if isinstance(one.type, OutputFile)]
        read = [one.name or "" for one in self.params if _is_read(one)]
        for place in filter(None, map(ctx.params.get, places)):
            for value in map(ctx.params.get, read):
                refuse_input(place, value if isinstance(value, tuple) else (value,))
        return super().invoke(ctx)


def _is_read(param: click.Parameter) -> bool:
    """Whether it may name a file that the command reads."""
    is_spec = param.name in {"spec", "specs"}
    return is_spec or isinstance(param, click.Argument) or isinstance(param.type, click.Path)


def _refuse_unwritable_folder(out: Path) -> None:
    there = next(folder for folder in (out, *out.absolute().parents) if folder.exists())
    if not there.is_dir():
        why = f"{there} is no folder"
    elif not os.access(there, os.W_OK | os.X_OK):
        why = f"{there} can not be written"
    else:
        return
    raise SessionError(
        f"the folder can not be made: {why}",
        where=str(out),
        fix="give a folder that can be written",
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
            fix="give a path in a folder that exists and can be written, on a disk with room",
        ) from error
