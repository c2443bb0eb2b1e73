"""Which refs may be followed, and reading what they name.

`event://`, `state://` and `artifact://` refs read the session at hand and its artifacts.
`file://` and `https://` refs are refused unless a root, or a host with a way to fetch, was
given.
"""

import os
import re
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from contextwright.blocks.ref import parse_ref
from contextwright.blocks.resolve import resolve
from contextwright.errors import RefError
from contextwright.session.snapshot import Snapshot
from contextwright.stores.store import ArtifactStore

MAX_FILE = 10_000_000
"""Bytes of a file that is read through a ref."""
_URL = re.compile(r"https://([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::443)?(?:/[!-\[\]-~]*)?", re.ASCII)
_SEGMENT = re.compile(r"[^\x00-\x1f/\\:]+")

Fetch = Callable[[str], str]
"""Gives the text of a URL of one host; must not follow redirects to other hosts."""


class Refs(msgspec.Struct, frozen=True, eq=False):
    """The sources that a reader of refs may reach.

    Args:
        snapshot: the session.
        artifacts: its artifacts.
        root: a folder whose files `file://` refs may name, relative to it.
        hosts: hosts that `https://` refs may name, each with a way to fetch.
    """

    snapshot: Snapshot
    artifacts: ArtifactStore | None = None
    root: Path | None = None
    hosts: Mapping[str, Fetch] = {}

    def read(self, text: str) -> str:
        """The whole content behind a ref.

        Raises:
            RefError: it does not resolve, or may not be followed from here.
        """
        ref = parse_ref(text)
        if ref.scheme == "file":
            return self._file(ref.path)
        if ref.scheme == "https":
            return self._url(text)
        artifacts = self.artifacts.read_text if self.artifacts is not None else None
        content = resolve(text, self.snapshot, artifacts)
        if content is None:
            raise RefError(
                "nothing is found behind this ref",
                where=text[:200],
                fix="refs are those that a request or `ctx explain` of this session shows",
            )
        return content

    def _url(self, url: str) -> str:
        match = _URL.fullmatch(url)
        fetch = self.hosts.get(match[1]) if match else None
        if fetch is None:
            raise RefError(
                "this address may not be fetched",
                where=url[:200],
                fix="allow its host: Refs(..., hosts={'docs.example': fetch}); https only",
            )
        return fetch(url)

    def _file(self, path: str) -> str:
        if self.root is None:
            raise RefError(
                "file refs are off", where=path[:200], fix="allow a folder: Refs(..., root=...)"
            )
        segments = path.removeprefix("/").split("/")
        if any(not _SEGMENT.fullmatch(part) or part in {".", ".."} for part in segments):
            raise _outside(path)
        try:
            return read_beneath(self.root, segments).decode("utf-8", "replace")
        except (OSError, ValueError) as error:
            raise _outside(path) from error


def read_beneath(root: Path, segments: list[str]) -> bytes:
    """The bytes of a regular file beneath `root`, opened a component at a time so that no link
    leads outside.

    Raises:
        OSError: a component is missing, a link, or no regular file, or the file is too large.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for segment in segments[:-1]:
            inner = os.open(segment, flags | os.O_DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = inner
        with os.fdopen(os.open(segments[-1], flags | os.O_NONBLOCK, dir_fd=folder), "rb") as opened:
            status = os.fstat(opened.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1 or status.st_size > MAX_FILE:
                raise OSError("not a regular file of a readable size")
            return opened.read(MAX_FILE + 1)
    finally:
        os.close(folder)


def _outside(path: str) -> RefError:
    return RefError(
        "no readable file of that name beneath the allowed folder",
        where=path[:200],
        fix="name a regular file beneath the root, by a relative path without links or `..`",
    )
