"""What is imported of a package that an extra brings: where that fails, the command is named."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

from contextwright.errors import MissingExtra


@contextmanager
def optional_imports(extra: str, package: str, *roots: str) -> Generator[None]:
    """Imports of a framework, a store's driver or the like.

    Args:
        extra: of contextwright that brings it.
        package: as it is installed.
        roots: its modules.

    Raises:
        MissingExtra: the package is not installed, or its version lacks what is imported. What
            else can not be imported is raised as it is.
    """
    try:
        yield
    except (ImportError, AttributeError) as error:
        place = f"{_place(error)}."
        near = (
            each for each in roots if place.startswith(f"{each}.") or f"{each}.".startswith(place)
        )
        root = next(near, "")
        if not root:
            raise
        is_absent = isinstance(error, ModuleNotFoundError) and sys.modules.get(root) is None
        unfit = "" if is_absent else _unfit(package, error)
        raise MissingExtra(package, extra, unfit=unfit) from error


def _place(error: ImportError | AttributeError) -> str:
    """The module that lacks something; empty where none is known."""
    if isinstance(error, ImportError):
        return error.name or ""
    if isinstance(error.obj, ModuleType):
        return error.obj.__name__
    return error.obj.__module__ if isinstance(error.obj, type) else ""


def _unfit(package: str, error: Exception) -> str:
    try:
        number = version(package)
    except PackageNotFoundError:  # its code is there, and nothing says of which version
        number = ""
    return f"{number}: {error}".partition(" (")[0].removeprefix(": ")
