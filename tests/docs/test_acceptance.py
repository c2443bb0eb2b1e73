"""The page that says of each thing the source documents ask whether it is so, and which test shows it."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/acceptance.md"
MARKS = ("works", "differs", "partly", "missing", "wrong")
ROW = re.compile(r"^\| (.+?) \| (\w+) \| (\w+) \| `(tests/[^`]+)` \| (.*?) ?\|$")


def tables():
    """Rows by document: what is asked, before, after, test, note."""
    found = {}
    for part in PAGE.read_text().split("\n## ")[1:]:
        title, _, body = part.partition("\n")
        if not title[:3].isdigit():
            continue
        lines = [line for line in body.splitlines() if "`tests/" in line]
        found[title] = [ROW.match(line) for line in lines]
        assert all(found[title]), [line for line in lines if not ROW.match(line)]
    return {title: [row.groups() for row in rows] for title, rows in found.items()}


TABLES = tables()
ROWS = [(title, *row) for title, rows in TABLES.items() for row in rows]


@cache
def names_in(path):
    """Names of the tests in a file, those of its classes and of the suites it takes too."""
    tree = ast.parse((ROOT / path).read_text())
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in tree.body if isinstance(node, functions)} | {
        f"{node.name}::{one.name}"
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for one in node.body
        if isinstance(one, functions)
    }


def test_the_documents_are_there():
    assert [title[:3] for title in TABLES] == ["000", "001", "002", "003", "004"]
    assert len(ROWS) > 440
    assert len({(title, row) for title, row, *_ in ROWS}) == len(ROWS), "no row stands there twice"


def test_every_test_is_there():
    named = re.findall(r"`(tests/[^`]+::[^`]+)`", PAGE.read_text())
    assert len(named) > len(ROWS)
    for test in named:
        path, _, name = test.partition("::")
        assert (ROOT / path).is_file(), test
        assert name in names_in(path), test


def test_nothing_is_wrong_or_missing_and_what_differs_says_why():
    for _, row, before, after, _, note in ROWS:
        assert before in MARKS, row
        assert after in MARKS[:3], row
        assert after == "works" or len(note) > 20, row


@pytest.mark.parametrize("title", [*TABLES, "all"])
def test_the_summary_counts_the_rows(title):
    rows = ROWS if title == "all" else [(title, *row) for row in TABLES[title]]
    before, after = Counter(row[2] for row in rows), Counter(row[3] for row in rows)
    counts = [len(rows), *(before[mark] for mark in MARKS), *(after[mark] for mark in MARKS[:3])]
    line = f"| {title} | " + " | ".join(map(str, counts)) + " |"
    assert line in PAGE.read_text().splitlines(), line
