"""Names that are imported when they are first named are there for whoever looks for them."""

import importlib
from pathlib import Path

import pytest

import contextwright

HOME = Path(contextwright.__file__).parent
PACKAGES = [
    ".".join(("contextwright", *path.parent.relative_to(HOME).parts))
    for path in sorted(HOME.rglob("__init__.py"))
    if "adapters" not in path.parts  # each wants its framework
]


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_lists_what_it_exports(name):
    package = importlib.import_module(name)
    assert set(getattr(package, "__all__", ())) <= set(dir(package))


def test_what_a_package_has_not_is_an_error_of_attributes():
    stores = importlib.import_module("contextwright.stores")
    with pytest.raises(AttributeError, match="no attribute 'SQLiteSesions'"):
        _ = stores.SQLiteSesions
