"""The docs site has every page and every public name; llms.txt is what the pages say."""

import runpy
import subprocess
import sys
from pathlib import Path

import contextwright

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NAV = (ROOT / "mkdocs.yml").read_text().partition("\nnav:")[2]
API = "".join(path.read_text() for path in (DOCS / "reference/api").glob("*.md"))


def test_every_page_is_in_the_navigation_once():
    pages = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))
    listed = sorted(line.rsplit(" ", 1)[1] for line in NAV.splitlines() if line.endswith(".md"))
    assert listed == pages


def test_every_public_name_is_in_the_reference():
    names = {name for name in contextwright.__all__ if not name.endswith("Error")}
    described = {line.rsplit(".", 1)[1] for line in API.splitlines() if line.startswith("::: ")}
    assert names <= described
    assert "::: contextwright.errors" in API


def test_llms_txt_is_what_the_pages_say():
    made = runpy.run_path(str(ROOT / "scripts/llms_txt.py"))["llms_txt"]()
    assert (DOCS / "llms.txt").read_text() == made, "python scripts/llms_txt.py"


def site(tmp_path, text):
    (tmp_path / "index.html").write_text(text)
    command = [sys.executable, str(ROOT / "scripts/check_site.py"), str(tmp_path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_link_to_nothing_and_a_fetch_are_found(tmp_path):
    assert site(tmp_path, '<a href="index.html#here" id="here"></a>').returncode == 0
    for bad in (
        '<a href="gone.html"></a>',
        '<a href="#gone"></a>',
        '<a href="../outside.md"></a>',
        '<script src="https://cdn.example.org/x.js"></script>',
        r"<table><tr><td><code>C.window() \| C.compact()</code></td></tr></table>",
    ):
        assert site(tmp_path, bad).returncode == 1
