"""A package that an extra brings: not there, there in a version that does not fit, or broken."""

import importlib
import sys
from types import ModuleType

import pytest

from contextwright.errors import MissingExtra

MODULES = {
    "contextwright.stores.redis.redis_cache": ("redis", "redis", "redis"),
    "contextwright.stores.postgres.driver": ("psycopg", "psycopg", "postgres"),
    "contextwright.tune.study": ("optuna", "optuna", "tune"),
    "contextwright.sweep.arrow": ("pyarrow", "pyarrow", "sweep"),
    "contextwright.adapters.opentelemetry": ("opentelemetry", "opentelemetry-api", "otel"),
}


@pytest.fixture(params=MODULES)
def module(request, monkeypatch):
    """Imports one of ours anew, where its package is what is given."""

    def imported(package):
        root = MODULES[request.param][0]
        for name in list(sys.modules):
            if name == root or name.startswith(f"{root}."):
                monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, root, package)
        monkeypatch.delitem(sys.modules, request.param, raising=False)
        return importlib.import_module(request.param)

    if request.param == "contextwright.tune.study":
        pytest.importorskip("pyarrow")
    pytest.importorskip(MODULES[request.param][0])
    return imported, *MODULES[request.param]


def test_one_that_is_not_there_is_named_with_the_command(module):
    imported, _, package, extra = module
    with pytest.raises(MissingExtra, match=f"{package} is not installed") as caught:
        imported(None)
    assert f"pip install 'contextwright[{extra}]'" in str(caught.value)


def test_one_that_lacks_what_is_imported_is_not_called_missing(module):
    imported, root, package, extra = module
    with pytest.raises(MissingExtra, match=f"^{package} ") as caught:
        imported(ModuleType(root))
    assert "is not installed" not in str(caught.value)
    assert f"pip install --upgrade 'contextwright[{extra}]'" in str(caught.value)


def test_one_that_is_broken_says_so_itself(module):
    imported, root, *_ = module
    package = ModuleType(root)
    fault = ImportError("libpq.so.5: cannot open shared object file")

    def lacking(name):
        raise fault

    package.__getattr__ = lacking
    package.__path__ = []
    with pytest.raises((ImportError, MissingExtra)) as caught:
        imported(package)
    assert "is not installed" not in str(caught.value)
