"""A folder that is made where there is none."""

from pathlib import Path

from contextwright.errors import ContextwrightError, StoreError
from contextwright.stores.local_path import local_path


def folder_at(
    path: Path, *, mode: int = 0o777, error: type[ContextwrightError] = StoreError
) -> Path:
    """A folder, with those above it; made where there is none.

    Args:
        mode: who may do what with one that is made, less what the process masks.
        error: the class of the error, of whoever needs the folder.

    Raises:
        ContextwrightError: it can not be made, or is the address of a server.
    """
    local_path(path, error=error, fix="give a folder")
    try:
        path.mkdir(mode=mode, parents=True, exist_ok=True)
    except OSError as reason:
        raise error(
            f"the folder can not be made: {reason.strerror}",
            where=str(path),
            fix="give a folder that can be written",
        ) from reason
    return path
