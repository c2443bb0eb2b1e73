"""What stands behind a word that leaves nothing too old is not given the rest, and nobody can tell."""

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
