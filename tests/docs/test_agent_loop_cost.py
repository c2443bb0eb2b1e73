"""The page and the README say what the loop costs as it is measured."""

import re

import pytest
from benchmarks.agent_loop_cost import (
    END,
    EVERYTHING,
    MODELS,
    PAGE,
    README,
    SPECS,
    START,
    measure,
    table,
)

from contextwright import C


def _rows(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith(("| `C.", "| no spec"))]


def test_the_readme_has_the_table_of_the_page():
    text = README.read_text(encoding="utf-8")
    shown = text.split(START)[1].split(END)[0].strip().splitlines()
    assert shown == [
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"
    ]
    assert len(shown) == len(SPECS) + 3


@pytest.mark.parametrize("name", [f"`C.compaction({8000})`", f"`C.budget({8000})`"])
def test_the_page_says_what_is_measured(name):
    whole = tuple(measure(C.default(), model) for model in MODELS)
    costs = tuple(measure(SPECS[name], model) for model in MODELS)
    row = table({name: costs}, whole)[-1]
    said = next(line for line in _rows(PAGE) if line.startswith(f"| {name} |"))
    assert said == row
    assert any(line.startswith(f"| {EVERYTHING} |") for line in _rows(PAGE))


def test_only_a_window_that_moves_at_every_call_costs_more_than_sending_everything():
    rows = {line.split(" |")[0]: re.findall(r"\((\d\.\d\d)\)", line) for line in _rows(PAGE)}
    assert len(rows) == len(SPECS) + 1
    dear = [name for name, shares in rows.items() if max(map(float, shares)) > 1]
    assert dear == ["| `C.window(steps=8)`"]
