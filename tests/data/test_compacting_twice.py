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


@pytest.mark.parametrize("name", ["tau_bench_airline", "se_agent", "webdancer"])
def test_a_cascade_shortens_what_a_step_of_it_shortened_no_further(name, read_rows):
    """As in `C.manus_cascade`: stale results are compacted, then all, then what is over a limit."""
    target = target_for("openai-chat", 1_000_000)
    stale = C.default() | C.compact("stale", stale_after=1)
    for row in read_rows(name, limit=2):
        session = session_of_row(row)
        first = results(compile(session, stale, target=target))
        alone = results(compile(session, C.default() | C.compact(), target=target))
        both = compile(session, stale | C.compact(), target=target)
        for id, text in results(both).items():
            assert text in (first[id], alone[id])
        fitted = compile(session, stale | C.compact() | C.fit(both.tokens * 9 // 10), target=target)
        for id, text in results(fitted).items():
            assert text == results(both)[id] or len(text) < len(results(both)[id])


def results(pack):
    """The texts of results in a request, by the ids of their calls."""
    return {
        message["tool_call_id"]: message["content"]
        for message in pack.request["messages"]
        if message["role"] == "tool"
    }
