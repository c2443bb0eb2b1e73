"""The docs' pictures say what the commands and the page say now; they are made again and read."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from scripts import terminal_pictures
from tests.inspect.browser import GET_ONE, PATH

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = DOCS / "how-to" / "pictures"
LOADED = re.compile(r"""<script|@import|\b(?:href|src)\s*=|url\((?!["']?#)""")


def test_every_picture_is_shown_somewhere():
    pages = [DOCS.parent / "README.md", *DOCS.rglob("*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    names = [path.name for path in PICTURES.iterdir()]
    assert names and all(f"pictures/{name}" in text for name in names)


def test_pictures_of_the_terminal_are_what_the_commands_print(tmp_path):
    made = terminal_pictures.terminal_pictures(tmp_path)
    for path in made:
        kept = PICTURES / path.name
        assert terminal_pictures.words_of(kept) == terminal_pictures.words_of(path), (
            f"{kept} is old: python scripts/terminal_pictures.py"
        )
        ET.parse(kept)
        # what is shown may be an address; nothing is loaded from one
        assert not LOADED.search(kept.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_pictures_of_the_page_show_what_the_page_says(tmp_path):
    if PATH is None:
        pytest.skip(GET_ONE)
    pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    from scripts import inspect_pictures

    for path in inspect_pictures.page_pictures(tmp_path):
        kept = PICTURES / path.name
        wide = (inspect_pictures.WIDTH, inspect_pictures.HEIGHT)
        assert inspect_pictures.size_of(path) == inspect_pictures.size_of(kept) == wide
        assert inspect_pictures.words_of(kept) == inspect_pictures.words_of(path), (
            f"{kept} is old: python scripts/inspect_pictures.py"
        )
