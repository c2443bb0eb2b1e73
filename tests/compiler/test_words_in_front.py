"""What a word leaves out, or knows by a table, is not given to those behind it, and nobody can tell."""

import random

import pytest
from tests.compiler.test_horizon import (
    agent,
    every_exchange_counts,  # noqa: F401
    expect_the_same_as_it_grows,
    named,
)
from tests.parameters import few

from contextwright import C
from contextwright.compiler.plan import plan

AGED = (
    C.fresh(1) | C.compaction(500), C.default() | C.fresh(3) | C.fit(400), C.fresh(4) | C.dedup() | C.compaction(600),
    (C.fresh(2) | C.salient(0.3)) + C.window(2) | C.budget(600), C.fresh(2) | C.cool(90) | C.compaction(500),
    (C.default() | C.fresh(1)) + (C.fresh(4) | C.cap(200)) | C.fit(600), C.redact(["here"]) | C.fresh(3) | C.compaction(500),
    C.fresh(3) + C.relevant(top_k=2) | C.compaction(500), C.fresh(9) | C.cap(300) | C.budget(300, overflow="summarize"),
)  # fmt: skip
"""Words that look at all, behind one that leaves nothing too old."""


@pytest.mark.parametrize("seed", few(range(36), 9))
def test_what_is_too_old_is_not_given_whatever_stands_behind(seed):
    """Request and receipt, of short turns and of a long one."""
    dice, spec = random.Random(seed), AGED[seed % len(AGED)]
    assert plan(spec).view == "all"
    expect_the_same_as_it_grows(spec, list(agent(dice).log if seed % 2 else named(dice).log))


GAINS = (
    C.compact(min_gain=60, min_tokens=4, max_tokens=9), C.default() | C.compact("stale", stale_after=2, min_gain=25, min_tokens=4, max_tokens=9),
    C.compact("tool_results", min_gain=150, min_tokens=4, max_tokens=9) | C.truncate(12),
)  # fmt: skip


@pytest.mark.parametrize("seed", few(range(24), 6))
def test_what_is_worth_it_together_is_told_wherever_a_compile_begins(seed):
    """Request and receipt, as what is saved comes to be enough, and some of it is held."""
    dice = random.Random(seed)
    spec = GAINS[seed % 3] | C.budget(dice.randint(60, 260))
    assert plan(spec).view != "all"
    expect_the_same_as_it_grows(spec, list(agent(dice).log if seed % 2 else named(dice).log))


SHORT = C.compact(min_tokens=4, max_tokens=9)
PAST_THEIR_LIMIT = (
    SHORT | C.cool(120), C.default() | C.truncate(12) | C.cool(90), SHORT | C.compress_results(budget=150),
    C.minify() | C.compact("stale", stale_after=2, min_tokens=4, max_tokens=9) | C.cool(150), SHORT | C.cool(100) | C.truncate(9),
    C.redact(["here", "9"]) | SHORT | C.cool(120), C.default() | C.priority(3) | C.truncate(14) | C.compress_results(budget=200),
)  # fmt: skip
"""Words with a limit of their own, behind others that look at each exchange alone."""


@pytest.mark.parametrize("seed", few(range(56), 7))
def test_what_shortens_all_to_the_least_may_stand_behind_others(seed):
    """Request and receipt, of short turns and of a long one."""
    dice = random.Random(seed)
    spec = PAST_THEIR_LIMIT[seed % len(PAST_THEIR_LIMIT)] | C.budget(dice.randint(200, 300))
    assert plan(spec).view == "least"
    expect_the_same_as_it_grows(spec, list(agent(dice).log if seed // 7 % 2 else named(dice).log))
