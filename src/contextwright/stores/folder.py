"""A folder that is made where there is none."""

from pathlib import Path

from contextwright.errors import StoreError


def folder_at(path: Path, *, mode: int = 0o777) -> Path:
    """A folder, with those above it; made where there is none.

    Args:
        mode: who may do what with one that is made, less what the process masks.

    Raises:
        StoreError: it can not be made.
    """
    try:
        path.mkdir(mode=mode, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"the folder can not be made: {error.strerror}",
            where=str(path),
            fix="give a folder that can be written",
        ) from error
    return path
