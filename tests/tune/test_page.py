"""The block of the page on tuning is run."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "tune.md"


def test_the_block_runs(capsys):
    exec(re.search(r"```python tune-space\n(.*?)```", PAGE.read_text(), re.DOTALL)[1], {})
    shown = capsys.readouterr().out
    assert "1.compact.max_tokens 175 (40, 3200)" in shown
    assert "2.compaction.max_tokens 8000 (2000, 8000)" in shown
