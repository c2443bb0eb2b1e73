"""Where a framework is not installed, or is too old, its adapter says how to install it."""

import importlib
import re
import sys
import tomllib
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from contextwright.adapters.catalogue import adapters
from contextwright.errors import MissingExtra
from contextwright.optional_imports import optional_imports

ROOTS = {
    "adk": "google.adk",
    "claude_agent": "claude_agent_sdk",
    "openai_agents": "agents",
}
"""Modules of frameworks that are called otherwise than the adapter."""
BOUND = re.compile(r"([\w-]+)(?:\[[\w,]+\])?[>=]=([\d.]*\d)")
ENTRIES = {each.module: each for each in reversed(adapters()) if each.module != "wrapped_client"}


def imported(module: str, framework: ModuleType | None, monkeypatch: pytest.MonkeyPatch):
    """Import an adapter where its framework is another."""
    name, root = f"contextwright.adapters.{module}", ROOTS.get(module, module)
    for known in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
        monkeypatch.delitem(sys.modules, known)
    for known in [each for each in sys.modules if each.startswith(f"{root}.")]:
        monkeypatch.delitem(sys.modules, known)
    monkeypatch.setitem(sys.modules, root, framework)
    importlib.import_module(name)


@pytest.mark.parametrize("module", ENTRIES)
def test_it_names_the_command(module: str, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(MissingExtra, match="is not installed") as caught:
        imported(module, None, monkeypatch)
    assert f"pip install 'contextwright[{ENTRIES[module].extra}]'" in str(caught.value)


@pytest.mark.parametrize("module", ENTRIES)
def test_a_framework_that_lacks_what_is_imported_is_named_with_its_version(
    module: str, monkeypatch: pytest.MonkeyPatch
):
    entry, root = ENTRIES[module], ROOTS.get(module, module)
    with pytest.raises(MissingExtra, match=f"^{entry.package} {entry.installed}") as caught:
        imported(module, ModuleType(root), monkeypatch)
    assert root.split(".")[0] in str(caught.value)
    assert "is not installed" not in str(caught.value)
    assert f"pip install --upgrade 'contextwright[{entry.extra}]'" in str(caught.value)


def test_an_attribute_of_a_framework_that_is_not_there_is_its_own():
    with pytest.raises(MissingExtra, match="math"), optional_imports("x", "x", "math"):
        sys.modules["math"].absent  # noqa: B018


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("No module named 'httpx'", name="httpx"),
        ModuleNotFoundError("No module named 'agents_of_another'", name="agents_of_another"),
        ImportError("of nobody"),
        AttributeError("of nobody"),
    ],
    ids=repr,
)
def test_a_fault_of_another_stays_it(error: Exception):
    with pytest.raises(type(error)) as caught, optional_imports("x", "agents-sdk", "agents"):
        raise error
    assert caught.value is error


def test_a_group_allows_nothing_older_than_its_extra():
    def lowest(requirements: list[Any]) -> dict[str, tuple[int, ...]]:
        found = (BOUND.match(each) for each in requirements if isinstance(each, str))
        return {each[1]: tuple(map(int, each[2].split("."))) for each in found if each}

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    extras = list(chain.from_iterable(project["project"]["optional-dependencies"].values()))
    bounds = lowest(extras + project["project"]["dependencies"])
    for group, requirements in project["dependency-groups"].items():
        for package, number in lowest(requirements).items():
            assert number >= bounds.get(package, ()), f"{group}: {package}"
