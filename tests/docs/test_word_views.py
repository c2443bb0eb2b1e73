"""The page of words says how far each looks, as the words themselves do."""

import re
from pathlib import Path

import pytest
from tests.rules.samples import SAMPLES

from contextwright import C
from contextwright.compiler.plan import plan, walk

PAGE = Path(__file__).parents[2] / "docs/reference/words.md"


def named(row: str) -> set[str]:
    line = next(line for line in PAGE.read_text().splitlines() if line.startswith(f"| {row} |"))
    return set(re.findall(r"`(?:C\.)?([a-z_]+)`", line.split("|")[2]))


def viewed() -> dict[str, set[str]]:
    views: dict[str, set[str]] = {}
    for specs in SAMPLES.values():
        for spec in (*specs, C.compress_results(), C.validate("completeness")):
            for atom in walk(spec):
                views.setdefault(atom.traits.view, set()).add(atom.word)
    return views


def test_the_page_names_every_word_that_looks_at_a_block_alone():
    views = viewed()
    options = {"min_gain", "budget", "summarize", "completeness"}
    row = named("a block and its age") - options
    assert row == views["block"]
    assert named("the blocks of a turn") == views["turn"]


def test_the_page_names_every_word_that_maps_the_log():
    specs = (*SAMPLES.values(), (C.compress_results(), C.fresh(3, stale_action="compact")))
    atoms = [atom for some in specs for spec in some for atom in walk(spec)]
    row = named("what its last step does not know") - {"compaction", "min_gain", "budget"}
    assert row == {atom.word for atom in atoms if atom.traits.maps}
    assert all(atom.traits.view == "block" for atom in atoms if atom.traits.maps)


@pytest.mark.parametrize(
    ("spec", "view"),
    [
        (C.default() | C.budget(900), "block"),
        (C.default() | C.isolate() | C.budget(900, overflow="truncate_lowest_priority"), "turn"),
        (C.compact() | C.fit(900, strategy="strict"), "block"),
        (C.default(), "block"),
        (C.default() | C.dedup() | C.budget(900), "block"),
        (C.default() | C.validate("freshness") | C.budget(900), "block"),
        (C.compact() | C.validate("freshness") | C.budget(900), "all"),
        (C.default() | C.validate("contradictions") | C.budget(900), "all"),
        (C.recent(by="salience") | C.budget(900), "log"),
        (C.default() | C.compaction(900), "fold"),
        (C.default() | C.compact() | C.compaction(900), "fold"),
        (C.default() | C.redact(["email"]) | C.compaction(900), "fold"),
        (C.dedup() | C.compaction(900), "all"),
        (C.cool() | C.compaction(900), "fold"),
        (C.compress_results(budget=900) | C.compaction(900), "fold"),
        (C.cool() | C.redact(["email"]) | C.compaction(900), "all"),
        (C.compact() | C.cool() | C.compaction(900), "all"),
        (C.cool() | C.fit(900), "all"),
        (C.default() | C.fit(900), "step"),
        (C.compact() | C.redact(["email"]) | C.fit(900), "step"),
        (C.dedup() | C.fit(900), "all"),
        (C.default() | C.budget(900, overflow="summarize"), "step"),
        (C.default() | C.allocate(), "near"),
    ],
    ids=repr,
)
def test_limits_look_as_far_as_the_page_says(spec, view):
    assert plan(spec).view == view
