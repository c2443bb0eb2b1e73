"""Compacting twice is compacting once, over the excerpts of real sessions (rules.md#twice-is-once)."""

import json

import pytest
from tests.data.test_real_sessions import session_of_row

from contextwright import C, compile
from contextwright.testing import target_for

WORDS = (C.compact(), C.compress_results(min_tokens=100, max_tokens=200), C.cool(3_000), C.decay())


@pytest.mark.parametrize("word", WORDS, ids=repr)
@pytest.mark.parametrize("name", ["tau_bench_airline", "se_agent", "webdancer"])
def test_a_word_over_its_own_excerpts_changes_nothing(name, word, read_rows):
    target = target_for("openai-chat", 1_000_000)
    for row in read_rows(name, limit=2):
        session = session_of_row(row)
        once = compile(session, C.default() | word, target=target)
        twice = compile(session, C.default() | word | word, target=target)
        assert json.loads(twice.body)["messages"] == json.loads(once.body)["messages"]
