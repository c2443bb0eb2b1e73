"""One user turn of 34 calls under every word: what `docs/reference/agent-loop.md` shows."""

import pytest
from benchmarks.agent_loop import (
    CALLS,
    LIMIT,
    MODEL,
    PAGE,
    SAMPLES,
    Effect,
    Held,
    grow,
    measure,
    row,
)
from tests.parameters import few

from contextwright import C, compile
from contextwright.spec import ATOMS
from contextwright.spec.expr import Expr
from contextwright.words import words

ALL = [held for samples in SAMPLES.values() for held in samples]
STRIDE = 4
"""Of words without a limit, and of `C.cool`, which asks a model at every call, only so many calls
apart are compiled here; the page has all."""
NOTHING_TO_DO = {
    # what they look for is not in this loop
    "redact", "validate", "premise", "clock_last", "vary", "summary_constraint",
    # they add, tag or write; the conversation is not theirs
    "from_state", "template", "notes", "memory", "within", "evidence", "failures", "recite",
    "step", "tools",
    "expand_refs", "layer", "phase", "capture", "write_notes", "extract", "distill", "offload",
    # the loop is one turn and one execution, which is not finished
    "isolate", "from_compaction", "default", "none", "silent",
}  # fmt: skip
"""Words that change nothing of the conversation here, and why."""


@pytest.fixture(scope="module")
def effect_of():
    """The effect of a sample, measured once."""
    effects: dict[Held, Effect] = {}

    def effect(held: Held) -> Effect:
        if held not in effects:
            often = held.limits and held not in SAMPLES["cool"]
            effects[held] = measure(held, 1 if often else STRIDE)
        return effects[held]

    return effect


def held_by(spec: Expr) -> Held:
    """The sample of a spec."""
    return next(held for held in ALL if held.spec == spec)


def test_every_word_is_in_the_table():
    words()
    assert set(SAMPLES) == set(ATOMS)


@pytest.mark.parametrize("held", few(ALL, 6), ids=lambda held: repr(held.spec))
def test_the_newest_result_is_whole_at_every_call(held, effect_of):
    """No result of this loop is as large as the limit: something older could go."""
    assert effect_of(held).cut_newest == ()


NOT_COUNTED = C.relevant(max_tokens=LIMIT)
LIMITED = [held.spec for held in ALL if held.limits and held.spec != NOT_COUNTED]


@pytest.mark.parametrize(
    "spec",
    [
        *LIMITED,
        NOT_COUNTED,
    ],
    ids=repr,
)
def test_a_limit_holds_at_every_call(spec, effect_of):
    effect = effect_of(held_by(spec))
    assert effect.limited <= LIMIT, f"{effect.limited} tokens"
    assert bool(effect.error) == ("error" in repr(spec))


@pytest.mark.parametrize("word", sorted(set(SAMPLES) - NOTHING_TO_DO))
def test_a_word_that_has_something_to_do_does_it(word, effect_of):
    assert any(any(effect_of(held).changes.values()) for held in SAMPLES[word])


@pytest.mark.parametrize(
    "spec",
    [
        C.rolling(n=5),
        C.window(steps=5) + C.summarize(scope="before_window"),
        C.summarize(),
        C.summarize(scope="tool_results"),
    ],
    ids=repr,
)
def test_no_exchange_is_lost_between_a_summary_and_the_live_edge(spec, effect_of):
    assert effect_of(held_by(spec)).changes["not selected"] == 0


@pytest.mark.parametrize(
    "spec",
    [
        C.relevant(),
        C.relevant(max_tokens=LIMIT),
    ],
    ids=repr,
)
def test_what_has_not_settled_is_not_left_out_by_relevance(spec):
    """As `C.salient` and `C.sliding` keep it: the step before the last is never a candidate."""
    *_, (session, _) = grow()
    kept = {block.id for block in compile(session, spec, model=MODEL).manifest.kept}
    snapshot = session.snapshot()
    fresh = {exchange.ids[0] for exchange in snapshot.exchanges(snapshot.settled)}
    assert fresh <= kept


@pytest.mark.parametrize(
    "spec",
    [
        C.budget(LIMIT, overflow="summarize"),
        C.fit(LIMIT),
        C.fit(LIMIT, strategy="summarize_only"),
        C.fit(LIMIT, strategy="compact_then_summarize"),
    ],
    ids=repr,
)
def test_a_limit_that_summarizes_does_so_in_the_running_turn(spec, effect_of):
    """What lies behind the live edge is history, in the running turn as in finished ones."""
    assert effect_of(held_by(spec)).changes.get("summarized", 0) > 0


def test_strategies_are_told_apart_in_one_long_turn(effect_of):
    effects = [effect_of(held) for held in SAMPLES["budget"][:4]]
    assert len({effect.last for effect in effects}) > 1


@pytest.mark.parametrize("spec", [C.compact(), C.decay(summary=False), C.truncate(150)], ids=repr)
def test_shortening_behind_the_live_edge_is_worth_it(spec, effect_of):
    whole = effect_of(held_by(C.default()))
    assert whole.whole == CALLS
    assert effect_of(held_by(spec)).last < whole.last * 2 // 5


def test_the_page_has_a_row_for_every_sample():
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    specs = [row(Effect(spec=held.spec, limits="")).split(" | ")[0] for held in ALL]
    assert [line.split(" | ")[0] for line in rows] == specs
