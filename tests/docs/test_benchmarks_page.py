"""What the benchmarks measured, against the limits that the context algebra sets (its §10)."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/benchmarks.md"
FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?(?= ms\b| and )")


def rows(heading):
    part = PAGE.read_text().partition(f"## {heading}")[2].partition("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \| (\d+) \| (-?[\d.]+) \|", part, re.MULTILINE)


def test_measured_latencies_are_within_the_documents():
    words = rows("Each word at 10,000 events")
    assert len(words) > 12
    for word, limit, newest in words:
        assert float(newest) <= int(limit), word


def test_answers_at_hand_are_within_the_documents_latencies():
    """A small margin: the page is written on whatever machine runs it."""
    words = rows("Words that ask models, at 10,000 events")
    assert len(words) > 5
    for word, limit, itself in words:
        assert float(itself) <= int(limit) * 1.1, word


def test_the_readme_says_what_the_page_says():
    """`make bench` writes both; who writes one of them by hand is found here."""
    readme = (ROOT / "README.md").read_text()
    part = readme.partition("## Measured")[2].partition("\n## ")[0]
    numbers = set(re.findall(r"[\d,.]*\d", PAGE.read_text()))
    for figure in FIGURE.findall(part):
        assert figure in numbers, f"{figure} is not on the page"
