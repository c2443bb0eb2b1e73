"""Names of a package that are imported when one is asked for: a process pays for what it uses, and
threads whose first imports come at once do not wait for each other in a circle.

A module waits for the package that it stands in; a package that imported it in turn would wait for
the module. Python ends such a circle by an error, or shows one thread half of a module.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and the `__dir__` of a package.

    Args:
        package: its `__name__`.
        homes: each name, and the module that has it: one of the package's, or of another by its
            whole name. No module is named as what it has: it would be found in its place.
    """
    root = package.partition(".")[0]

    def attribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        whole = home if home.partition(".")[0] == root else f"{package}.{home}"
        value = getattr(import_module(whole), name)
        vars(sys.modules[package])[name] = value  # asked for once
        return value

    return attribute, lambda: sorted(homes)
