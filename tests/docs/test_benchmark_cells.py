"""The benchmark's own machinery: what is timed, and that a cell ends."""

from benchmarks.generated import generated_session
from benchmarks.golden import differences
from benchmarks.speed_page import exponent, page
from benchmarks.speed_specs import specs, word_specs
from benchmarks.speed_turns import calls_of_model, in_a_fork, measured
from benchmarks.speed_words import WORDS, word_rows

from contextwright import Session
from contextwright.spec import ATOMS

SMALL = tuple(generated_session(25, seed=3).log)


def test_every_word_is_timed():
    for word in ATOMS:
        assert f"C.{word}(" in repr(word_specs()[f"C.{word}"])


def test_a_word_is_timed_by_itself():
    """`make bench` ended here, behind all of its cells, once a compile was put together otherwise."""
    assert next(word_rows())[:2] == WORDS[0][:2]


def cell(name):
    *_, last = measured(name, Session("s", SMALL[:9]), list(SMALL[9:]))
    return last


def test_a_cell_has_every_figure():
    found = cell("the README's")
    assert found["turns"] == len(calls_of_model(list(SMALL[9:]), 1))
    assert {"first", "p50", "limit", "p99", "request", "manifest", "turn_bytes"} <= set(found)


def test_a_cell_over_its_time_says_how_far_it_came():
    def work():
        yield {"first": 1.0}
        while True:
            pass

    assert in_a_fork(work, 1) == {"first": 1.0, "stopped": "over 1 s"}


def test_a_cell_that_fails_says_why():
    def work():
        yield {"first": 1.0}
        raise ValueError("no\nmore")

    assert in_a_fork(work, 5)["stopped"] == "ValueError: no"


def test_a_page_is_written_of_cells_that_are_missing_too():
    figures = {"source": "generated", "events": 100, "p50": 2.0, "limit": 0.1}
    cells = [figures | {"name": name} for name in specs()]
    text = page({"seconds": 60.0, "cells": cells, "starts": [], "words": [], "asking": []})
    assert "`C.window`" in text
    assert "recorded, " not in text


def test_growth_is_that_of_the_turn_and_not_of_a_machine_that_slowed_down():
    figures = {1_000: (0.5, 0.02), 10_000: (0.9, 0.03), 100_000: (1.0, 0.04)}
    cells = {
        ("recorded", "C.window", size): {"p50": turn, "limit": limit}
        for size, (turn, limit) in figures.items()
    }
    assert exponent(cells, "recorded", "C.window") == 0


def test_a_golden_run_names_what_differs():
    before = {"C.none()": {"a": "1", "b": "2"}, "C.default()": {"a": "1"}}
    after = {"C.none()": {"a": "1", "b": "3"}, "C.default()": {}}
    assert [line.split("\n")[0] for line in differences(before, after, whole=True)] == [
        "1 of 2  C.none()",
        "1 of 1  C.default()",
    ]
    assert len(differences(before, after, whole=False)) == 1
