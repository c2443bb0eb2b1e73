"""The pages of docs/how-to/frameworks: their blocks run where the packages are installed."""

import re
from pathlib import Path
from typing import Any

import pytest

from contextwright.adapters.catalogue import AdapterEntry, adapters

FOLDER = Path(__file__).parents[2] / "docs/how-to/frameworks"
PACKAGES = {
    "agent-framework": ("agent_framework_openai",),
    "agno": ("agno", "openai"),
    "claude-agent": ("claude_agent_sdk",),
    "clients": ("openai",),
    "openai-agents": ("agents",),
    "crewai": ("crewai", "openai"),
    "smolagents": ("smolagents", "openai"),
    "strands": ("strands", "openai"),
    "llama-index": ("llama_index.llms.openai",),
}
"""What a page's blocks need beside the framework's own module."""
LONG = {"inspect-ai"}
"""Pages that run an evaluation."""
PAGES = [
    pytest.param(page, id=page.stem, marks=[pytest.mark.slow] if page.stem in LONG else [])
    for page in sorted(FOLDER.glob("*.md"))
]
CLIENTS = {"openai", "anthropic", "google"}


@pytest.mark.parametrize("entry", adapters(), ids=lambda entry: entry.package)
def test_a_page_names_its_extra_its_versions_and_what_it_cannot(entry: AdapterEntry):
    page = FOLDER / f"{'clients' if entry.extra in CLIENTS else entry.extra}.md"
    if entry.extra == "adk":
        page = FOLDER.parent / "google-adk.md"
    text = page.read_text()
    assert f"[{entry.extra}]'" in text or f"`[{entry.extra}]`" in text
    assert f"{entry.package} {' and '.join(entry.tested.split(', '))}" in text
    assert "What it cannot" in text


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)  # a store of a page is a file
    for package in PACKAGES.get(page.stem, (page.stem.replace("-", "_"),)):
        if pytest.importorskip(package).__file__ is None:  # a folder of that name, not a package
            pytest.skip(f"could not import {package!r}")
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert blocks
    space: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), space)
