"""Labelled trajectories: what is compared with what, and that labels that say nothing give nothing."""

import random

import pytest
from benchmarks.labelled import (
    STRATA,
    Call,
    Trajectory,
    calls,
    compared,
    difference,
    is_resolved,
    shuffled,
    tallied,
)


def runs_of(*rows):
    """`task, resolved, whole calls, missed calls, depth` each."""
    return [
        Trajectory(task, resolved, (Call(True, depth),) * whole + (Call(False, depth),) * missed)
        for task, resolved, whole, missed, depth in rows
    ]


def measured(runs, strata):
    tallies = tallied(runs, STRATA[strata])
    return difference(tallies, [run.resolved for run in runs], range(len(runs)))


def test_longer_histories_of_failed_runs_make_no_difference_at_one_length():
    runs = runs_of(
        ("a", True, 8, 0, 1), ("b", True, 1, 1, 5), ("c", False, 2, 0, 1), ("d", False, 4, 4, 5)
    )
    assert measured(runs, "all calls") == pytest.approx(0.9 - 0.6)
    assert measured(runs, "at one length of history") == 0
    assert measured(runs, "of one task") is None
    assert compared(runs, "of one task") is None


def test_trials_of_one_task_are_compared_with_one_another():
    runs = runs_of(("a", True, 4, 0, 1), ("a", False, 2, 2, 1), ("easy", True, 9, 0, 1))
    assert measured(runs, "of one task") == 0.5


def test_a_difference_that_is_there_is_outside_of_what_shuffled_labels_give():
    there = [(f"t{n}", n % 2 == 0, 9 - 4 * (n % 2), 1 + 4 * (n % 2), 1) for n in range(40)]
    row = compared(runs_of(*there), "all calls")
    assert row.difference == pytest.approx(0.4)
    assert row.interval[0] > 0 and row.chance[1] < 0.4
    assert row.false_alarms <= 0.12


def test_shuffled_labels_stay_in_their_task_or_go_from_task_to_task():
    labels, tasks = [True, True, False, True, False], [[0, 1], [2, 3], [4]]
    ends = {tuple(shuffled(labels, tasks, False, random.Random(n))) for n in range(50)}
    assert {end[4] for end in ends} == {False} and {sum(end) for end in ends} == {3}
    assert {end[:2] for end in ends} == {(True, True), (True, False), (False, True)}
    ends = {tuple(shuffled(labels, tasks, True, random.Random(n))) for n in range(50)}
    assert {end[:2] for end in ends} == {(True, True)}


def test_labels_are_read_from_either_field():
    assert is_resolved({"resolved": True}) and not is_resolved({"resolved": False, "reward": 1})
    assert is_resolved({"reward": 1.0}) and not is_resolved({"reward": 0.5})


def test_a_call_is_whole_where_its_values_are_in_sight():
    plan = {
        "id": "c1",
        "type": "function",
        "function": {"name": "f", "arguments": '{"u": "mia_3668"}'},
    }
    messages = [
        {"role": "user", "content": "I am mia_3668."},
        {"role": "assistant", "content": "", "tool_calls": [plan]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
        {"role": "assistant", "content": "Done."},
    ]
    assert list(calls(messages, 400)) == [Call(True, 0)]
