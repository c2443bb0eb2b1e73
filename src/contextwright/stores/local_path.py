"""A place on this machine's disk, where the address of a server would be one by its signs."""

import re
from os import PathLike
from pathlib import Path
from urllib.parse import urlsplit

from contextwright.errors import ContextwrightError, StoreError

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
"""A `Path` has one slash left of the two; a drive of Windows has a single letter."""


def local_path(
    path: str | Path,
    *,
    error: type[ContextwrightError] = StoreError,
    fix: str = "servers are reached by stores of their own: PostgresDatabase(url), "
    "ObjectArtifacts(url), RedisCache(url)",
) -> Path:
    """A path as it is.

    Args:
        error: the class of the error, of whoever needs the path.
        fix: what is to be given in place of an address.

    Raises:
        ContextwrightError: it is no path, or the address of a server, for which a folder of that
            name would be made here; a password in it is not shown.
    """
    value: object = path
    if not isinstance(value, str | PathLike):
        raise error(
            f"expected a path, got {type(value).__name__}",
            where=f"{value!r}"[:80],
            fix="give a path on this machine",
        )
    if not _ADDRESS.match(str(path)):
        return Path(path)
    scheme, _, rest = str(path).partition(":")
    place = urlsplit(f"{scheme}://{rest.lstrip('/')}").netloc.rpartition("@")[2]
    raise error(
        "expected a path on this machine, got the address of a server",
        where=f"{scheme}://{place}",
        fix=fix,
    )
