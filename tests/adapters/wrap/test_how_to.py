"""The page on wrapping runs as it is written."""

from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs/how-to/wrap-any-agent.md"


def test_the_pages_python_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in PAGE.read_text().split("```python\n")[1:]:
        exec(block.partition("```")[0], names)
