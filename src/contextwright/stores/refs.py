"""Which refs may be followed, and reading what they name.

`event://`, `state://` and `artifact://` refs read the session at hand and the artifacts that it
stored or was given, never another session's. `file://` and `https://` refs are refused unless a
root, or a host with a way to fetch, was given.
"""

import os
import re
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath

import msgspec

from contextwright.blocks.ref import parse_ref
from contextwright.blocks.resolve import ReadOutside, RefSources, read_ref
from contextwright.errors import RefError
from contextwright.session.snapshot import Snapshot
from contextwright.stores.store import ArtifactStore

MAX_FILE = 10_000_000
"""Bytes of a file that is read through a ref."""
_URL = re.compile(r"https://([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::443)?(?:/[!-\[\]-~]*)?", re.ASCII)
_SEGMENT = re.compile(r"[^\x00-\x1f/\\:]+")
_JUNCTION = 0xA0000003
"""The tag of a folder of Windows that leads elsewhere without being a link."""

Fetch = Callable[[str], str]
"""Gives the text of a URL of one host; must not follow redirects to other hosts."""


class Refs(msgspec.Struct, frozen=True, eq=False):
    """The sources that a reader of refs may reach.

    Args:
        snapshot: the session.
        artifacts: a store of artifacts, which may hold those of other sessions too: read are those
            that this session stored or was given (rules.md#refs).
        roots: folders whose files `file://` refs may name, relative to one or by the whole path.
        hosts: hosts that `https://` refs may name, each with a way to fetch.
        named: refs of artifacts that are read whoever stored them.
    """

    snapshot: Snapshot
    artifacts: ArtifactStore | None = None
    roots: Sequence[str | Path] = ()
    hosts: Mapping[str, Fetch] = {}
    named: tuple[str, ...] = ()

    def read(self, text: str) -> str:
        """The whole content behind a ref.

        Raises:
            RefError: it does not resolve, or may not be followed from here.
        """
        artifacts = self.artifacts.read_text if self.artifacts is not None else None
        outside = outside_reader(self.roots, self.hosts)
        return read_ref(text, self.snapshot, RefSources(artifacts, outside, self.named))


def outside_reader(roots: Sequence[str | Path], hosts: Mapping[str, Fetch]) -> ReadOutside | None:
    """A way to read files beneath these folders and addresses of these hosts; None for neither."""
    if not roots and not hosts:
        return None
    folders = tuple(Path(root) for root in roots)

    def read(text: str) -> str:
        ref = parse_ref(text)
        return _file(ref.path, folders) if ref.scheme == "file" else _url(text, hosts)

    return read


def _url(url: str, hosts: Mapping[str, Fetch]) -> str:
    match = _URL.fullmatch(url)
    fetch = hosts.get(match[1]) if match else None
    if fetch is None:
        raise RefError(
            "this address may not be fetched",
            where=url[:200],
            fix="allow its host: hosts={'docs.example': fetch}; https only",
        )
    try:
        text = fetch(url)
    except Exception as error:  # the user's own way to fetch may raise anything
        raise RefError(
            f"the address could not be fetched: {type(error).__name__}",
            where=url[:200],
            fix="look at the function that is given in hosts=",
        ) from error
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise RefError(
            f"expected a text of the address, got {type(text).__name__}",
            where=url[:200],
            fix="a function of hosts= returns str",
        )
    return text


def _file(path: str, roots: tuple[Path, ...]) -> str:
    if not roots:
        raise RefError(
            "file refs are off",
            where=path[:200],
            fix="allow a folder: roots=[FOLDER]; ctx --root FOLDER",
        )
    for root in roots:
        segments = segments_beneath(path, root)
        if any(not _SEGMENT.fullmatch(part) or part in {".", ".."} for part in segments):
            continue
        try:
            return read_beneath(root, segments).decode("utf-8", "replace")
        except (OSError, ValueError):
            continue
    raise RefError(
        "no readable file of that name beneath an allowed folder",
        where=path[:200],
        fix="name a regular file beneath a root, without links or `..`",
    )


def segments_beneath(path: str, root: PurePath) -> list[str]:
    """The parts of a path from a root on, with which it may begin; as that is on Windows, in any
    case: `/c:/docs/a.txt` for the root `C:\\docs`."""
    prefix = f"{root.as_posix().rstrip('/')}/"
    whole = path.removeprefix("/") if root.drive else path
    start = whole[: len(prefix)]
    if start == prefix or (root.drive and start.casefold() == prefix.casefold()):
        return whole[len(prefix) :].split("/")
    return path.removeprefix("/").split("/")


def read_beneath(root: Path, segments: list[str]) -> bytes:
    """The bytes of a regular file beneath `root`, to which no link leads.

    Raises:
        OSError: a component is missing, a link, or no regular file, or the file is too large.
    """
    opening = _OPENING[sys.platform == "win32"]
    with os.fdopen(opening(root, segments), "rb") as opened:
        status = os.fstat(opened.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1 or status.st_size > MAX_FILE:
            raise OSError("not a regular file of a readable size")
        return opened.read(MAX_FILE + 1)


def _opened_by_folder(root: Path, segments: list[str]) -> int:
    """A file's descriptor, each component opened in the one before."""
    assert sys.platform != "win32"  # the flags are not there
    flags = os.O_RDONLY | os.O_NOFOLLOW
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for segment in segments[:-1]:
            inner = os.open(segment, flags | os.O_DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(segments[-1], flags | os.O_NONBLOCK, dir_fd=folder)
    finally:
        os.close(folder)


def _opened_by_path(root: Path, segments: list[str]) -> int:
    """The same where nothing can be opened in a folder: each component is looked at, and what was
    opened must be what was looked at."""
    path, seen = root, root.stat()
    for segment in segments:
        path = path / segment
        seen = path.lstat()
        # Windows would leave dots and blanks at the end out
        if stat.S_ISLNK(seen.st_mode) or _is_junction(seen) or segment[-1] in ". ":
            raise OSError("a link, or another name of a file")
    if not stat.S_ISREG(seen.st_mode):
        raise OSError("not a regular file")
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    if os.path.samestat(seen, os.fstat(descriptor)):
        return descriptor
    os.close(descriptor)
    raise OSError("another file stands in its place")


_OPENING = {False: _opened_by_folder, True: _opened_by_path}
"""By whether this is Windows."""


def _is_junction(seen: os.stat_result) -> bool:
    return getattr(seen, "st_reparse_tag", 0) == _JUNCTION
