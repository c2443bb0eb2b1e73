"""The how-to runs as it is written."""

from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/how-to/forgetting.md"


def test_the_python_of_the_how_to_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    blocks = PAGE.read_text().split("```python\n")[1:]
    for block in blocks:
        exec(block.partition("```")[0], names)
    assert len(blocks) == 6
