"""rules.md, word by word: alone, in pairs, over generated sessions and over recorded ones.

No word is sampled: the 48th is checked as the first is.
"""

import gzip
import json

import pytest
from hypothesis import Phase, given, settings
from tests.conftest import DATA
from tests.parameters import few
from tests.rules.samples import SAMPLES

from contextwright import C, compile, read_session
from contextwright.errors import BudgetError, StepError
from contextwright.render.providers import provider_named
from contextwright.session import Session
from contextwright.testing import (
    FORMATS,
    RULES,
    WORD_RULES,
    check_pack,
    check_rule,
    paired,
    sessions,
    specs,
    standing,
    target_for,
)
from contextwright.testing.rule_sessions import SESSIONS

WORDS = sorted(SAMPLES)
DEAR = {"deterministic"}
"""Rules that compile again: checked for each word alone, not for each pair."""
CHEAP = [name for name in RULES if name not in DEAR]
RECORDED = ("tau_bench_airline", "swe_agent", "pi_coding", "locomo", "who_when", "tooltalk")
MOST_EVENTS = 120
"""Of a recorded session, so that forty-eight words take seconds."""


@pytest.mark.parametrize(
    "formats", few([["openai-chat", "anthropic"], list(FORMATS)], 1), ids=["two", "all"]
)
@pytest.mark.parametrize(
    ("word", "rule"), [(word, rule) for word in WORDS for rule in WORD_RULES], ids=lambda v: v
)
def test_a_word_keeps_the_rule(word, rule, formats):
    check_rule(rule, *SAMPLES[word], formats=formats)


@pytest.mark.parametrize("word", few(WORDS, 5))
def test_a_word_keeps_every_rule_beside_every_other(word):
    for place, other in enumerate(WORDS):
        spec = paired(SAMPLES[word][0], SAMPLES[other][-1])
        if spec is None:
            continue
        for number, build in enumerate(SESSIONS.values()):
            check_pack(build(), spec, FORMATS[(place + number) % 4], CHEAP)


@pytest.mark.parametrize("word", few(WORDS, 10))
def test_a_word_keeps_every_rule_over_any_session(word):
    @settings(max_examples=8, phases=[Phase.explicit, Phase.reuse, Phase.generate])
    @given(sessions())
    def check(session):
        for place, sample in enumerate(SAMPLES[word]):
            check_pack(session, standing(sample), FORMATS[place % 4])

    check()


@pytest.mark.parametrize("format", FORMATS)
@settings(phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(sessions(), specs())
def test_specs_of_any_shape_keep_every_rule(format, session, spec):
    check_pack(session, spec, format, STANDING_ASIDE)


STANDING_ASIDE = [name for name in RULES if name != "task-framing-stays"]
"""A spec of any shape need not stand on the conversation."""


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("name", few(RECORDED))
def test_a_word_keeps_every_rule_over_recorded_sessions(word, name):
    session = recorded(name)
    for place, sample in enumerate(SAMPLES[word][:2]):
        check_pack(session, standing(sample), FORMATS[(place + len(word)) % 4], CHEAP)


_RECORDED = {}


def recorded(name):
    """The first session of a data file, its first events only; skips where there is none."""
    if not DATA.is_dir():
        pytest.skip(f"no recorded sessions in {DATA}; set CONTEXTWRIGHT_DATA")
    if name not in _RECORDED:
        with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            row = json.loads(next(file))
        if "speakers" in row:
            turns = [turn for part in row["sessions"] for turn in part["turns"]]
            messages = [{"speaker": turn["speaker"], "content": turn["text"]} for turn in turns]
            row = {"id": row["id"], "messages": messages}
        whole = read_session(row)
        _RECORDED[name] = Session(name, list(whole.log)[:MOST_EVENTS], tools=whole.tools)
    return _RECORDED[name]


@given(sessions(), specs())
def test_changing_a_request_does_not_reach_the_next_one(session, spec):
    target = target_for("openai-chat")
    try:
        pack = compile(session, spec, target=target)
    except (BudgetError, StepError):
        return
    pack.request["messages"].clear()
    assert compile(session, spec, target=target).body == pack.body


def test_tier_one_over_the_budget_is_an_error_that_names_it():
    session = Session(state={"policy": "never refund " * 400})
    session.user("hi")
    with pytest.raises(BudgetError, match=r"state:policy"):
        compile(session, C.from_state("policy") | C.priority(1) | C.budget(300), model="gpt-5")


@pytest.mark.parametrize("format", FORMATS)
def test_renderers_are_stateless(format):
    assert provider_named(format).renderer is provider_named(format).renderer
