"""Where a framework is not installed, its adapter says how to install it."""

import importlib
import sys

import pytest

from contextwright.adapters.catalogue import adapters
from contextwright.errors import MissingExtra

ROOTS = {
    "claude_agent": "claude_agent_sdk",
    "openai_agents": "agents",
}
"""Modules of frameworks that are called otherwise than the adapter."""
ENTRIES = {each.module: each for each in adapters() if each.module not in ("wrapped_client", "adk")}


@pytest.mark.parametrize("module", ENTRIES)
def test_it_names_the_command(module: str, monkeypatch: pytest.MonkeyPatch):
    name = f"contextwright.adapters.{module}"
    for known in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
        monkeypatch.delitem(sys.modules, known)
    root = ROOTS.get(module, module)
    for known in [each for each in sys.modules if each.startswith(f"{root}.")]:
        monkeypatch.delitem(sys.modules, known)
    monkeypatch.setitem(sys.modules, root, None)
    with pytest.raises(MissingExtra) as caught:
        importlib.import_module(name)
    assert f"pip install 'contextwright[{ENTRIES[module].extra}]'" in str(caught.value)
