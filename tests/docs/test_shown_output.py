"""What a how-to shows as printed by the Python in front of it is what that prints."""

import contextlib
import io
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs/how-to"
PAGES = ("read-back.md", "salience.md", "premises.md", "context-packs.md")
_PYTHON = re.compile(r"^```python[^\n]*\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_SHOWN = re.compile(
    r"\A[^`#]{0,120}?(?:^```(?:text)?\n(.*?)^```|(^ {4}\S.*?)(?=^\S|\Z))", re.DOTALL | re.MULTILINE
)


@pytest.mark.parametrize("name", PAGES)
def test_what_is_shown_as_printed_is_printed(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, names, compared = (FOLDER / name).read_text(), {}, 0
    for block in _PYTHON.finditer(text):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(block[1], names)
        shown = _SHOWN.match(text[block.end() :])
        wanted = (shown[1] or shown[2] or "") if shown else ""
        lines = iter([_plain(line) for line in printed.getvalue().splitlines()])
        for line in filter(None, map(_plain, wanted.splitlines())):
            if line != "...":
                begin = line.removesuffix("...")
                found = any(
                    one.startswith(begin) if begin != line else one == line for one in lines
                )
                assert found, f"{name}: {line}\n{printed.getvalue()}"
                compared += 1
    assert compared


def _plain(line):
    return " ".join(re.sub(r'sign="\w+"', 'sign="SIGN"', line).split())
