"""What the code cites can be read: every page and anchor of `docs/explanation` that it names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXPLANATION = ROOT / "docs" / "explanation"
PAGES = {path.name: path for path in EXPLANATION.rglob("*.md")}
MODULES = sorted((ROOT / "src" / "contextwright").rglob("*.py"))
CITATION = re.compile(rf"\b({'|'.join(map(re.escape, PAGES))})(?:#([\w-]+))?")
ABSENT = re.compile(r"documents?\s+00\d|design\s+§|\(00\d(?:\s+§[\d.]+)?\)", re.IGNORECASE)
"""The names that the sources had before they had pages."""
LINK = re.compile(r"\]\(([^)#\s]*\.md)?#([\w-]+)\)")


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_page_names_are_told_apart():
    assert len(PAGES) == len(list(EXPLANATION.rglob("*.md")))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT / "src")))
def test_code_cites_pages_and_anchors_that_are_here(path):
    text = path.read_text(encoding="utf-8")
    for page, anchor in CITATION.findall(text):
        assert not anchor or anchor in anchors(PAGES[page]), f"{path}: {page}#{anchor}"
    absent = [match[0] for match in ABSENT.finditer(text)]
    assert not absent, f"{path} cites what is not in the repository: {absent}"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "docs").rglob("*.md")), ids=lambda p: str(p.relative_to(ROOT))
)
def test_pages_link_to_headings_that_are_here(path):
    for page, anchor in LINK.findall(path.read_text(encoding="utf-8")):
        target = (path.parent / page).resolve() if page else path
        assert anchor in anchors(target), f"{page or path.name}#{anchor}"


def test_the_rules_that_the_checks_name_are_on_the_page():
    """A rule that has a check is written down, and the sources' pages name their sources."""
    assert len(anchors(PAGES["rules.md"])) >= 18
    for path in (EXPLANATION / "sources").glob("*.md"):
        text = path.read_text(encoding="utf-8")
        headings = text.count("\n## ")
        assert text.count("*Source:") == headings, f"{path.name}: a heading without its source"
