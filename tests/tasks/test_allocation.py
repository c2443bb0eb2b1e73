"""The window shared out: sums, floors, and weights that only grow with their signals."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.errors import StepError
from contextwright.tasks.allocation import (
    FIXED,
    FLOORS,
    ONE,
    PROFILES,
    SHARED,
    SIGNALS,
    allocate,
    shared_out,
)

windows = st.integers(100, 2_000_000)
signals = st.fixed_dictionaries({name: st.integers(0, ONE) for name in SIGNALS})
profiles = st.sampled_from(sorted(PROFILES))
presets = st.sampled_from(sorted(FLOORS))
needs = st.fixed_dictionaries({name: st.integers(0, 20) for name in FIXED})


@given(windows, signals, profiles, presets, needs)
def test_the_allocations_sum_to_the_window_and_the_floors_hold(
    window, given_, profile, preset, need
):
    found = allocate(window, given_, profile=profile, preset=preset, needs=need)
    assert sum(found.budgets.values()) == window
    assert set(found.budgets) == {*FIXED, *SHARED}
    for name in FIXED:
        if window >= 2000:
            assert found.budgets[name] >= window * FLOORS[preset][name] // 100
        assert found.budgets[name] >= need[name]


@given(windows, signals, profiles, st.sampled_from(sorted(SIGNALS)), st.integers(0, ONE))
def test_more_of_a_signal_never_means_less_for_its_layer(window, given_, profile, name, more):
    low, high = sorted((given_[name], more))
    layer = SIGNALS[name]
    one = allocate(window, {**given_, name: low}, profile=profile)
    other = allocate(window, {**given_, name: high}, profile=profile)
    assert other.budgets[layer] >= one.budgets[layer]


@pytest.mark.parametrize("profile", [name for name in PROFILES if name != "balanced"])
def test_without_signals_the_shares_are_the_documents(profile):
    ranges = {
        "research": {"evidence": (55, 65), "memory": (20, 25), "conversation": (10, 15)},
        "requirements": {"evidence": (45, 55), "memory": (25, 30), "conversation": (15, 20)},
        "tests": {"evidence": (50, 60), "memory": (20, 25), "conversation": (10, 15)},
    }[profile]
    found = allocate(100_000, {}, profile=profile)
    rest = sum(found.budgets[name] for name in SHARED)
    for name, (low, high) in ranges.items():
        assert low <= round(100 * found.budgets[name] / rest) <= high


@pytest.mark.parametrize("preset", list(FLOORS))
def test_the_floors_are_within_the_documents_ranges(preset):
    floors = FLOORS[preset]
    assert 6 <= floors["system"] <= 8 and 6 <= floors["task"] <= 10
    assert 4 <= floors["tools"] <= 6 and 10 <= floors["slack"] <= 15


def test_cost_first_leaves_half_of_the_rest_free():
    cheap, rich = (allocate(10_000, {}, preset=preset) for preset in ("cost", "quality"))
    assert cheap.limit < 0.7 * rich.limit


def test_a_window_below_its_floors_says_to_split_the_step_with_the_numbers():
    with pytest.raises(StepError) as error:
        allocate(1000, {}, needs={"system": 500, "tools": 600})
    assert "split the step" in error.value.what
    assert "system 500" in error.value.what and "tools 600" in error.value.what
    assert "1,000" in error.value.what


@given(windows, signals, st.fixed_dictionaries({n: st.integers(0, 300_000) for n in SHARED}))
def test_unused_tokens_flow_to_the_layers_that_need_them(window, given_, need):
    allocation = allocate(window, given_)
    have = shared_out(allocation, need)
    free = allocation.limit - sum(have.values())
    for name in SHARED:
        assert have[name] <= need[name]
        assert have[name] >= min(need[name], allocation.budgets[name])
    assert free >= 0
    wanting = [name for name in SHARED if have[name] < need[name]]
    assert not wanting or free <= len(SHARED)


SHARED_OUT = """
from contextwright.tasks.allocation import allocate, shared_out
allocation = allocate(1400, {}, profile="tests", preset="quality")
needs = {"system": 10, "task": 5, "tools": 3, "evidence": 900, "memory": 800, "conversation": 700}
print(shared_out(allocation, needs))
"""


def test_what_is_shared_out_is_the_same_in_every_process():
    """Whole tokens are rounded layer by layer: the order of the layers must not be a set's."""

    def printed(seed):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        command = [sys.executable, "-c", SHARED_OUT]
        return subprocess.run(command, env=environment, capture_output=True, check=True).stdout

    assert len({printed(seed) for seed in range(4)}) == 1
