"""The pages of docs/how-to/frameworks: their blocks run where the packages are installed."""

import re
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a store of a page is a file
    for package in PACKAGES.get(page.stem, (page.stem.replace("-", "_"),)):
        pytest.importorskip(package)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert blocks
    space = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), space)
