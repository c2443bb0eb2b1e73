"""The default costs no more than sending everything, and sends everything while it fits."""

import json

import pytest

from contextwright import C, Engine, Session, compile, default_spec, register_model, replay, target
from contextwright.tokens import models
from contextwright.tokens.model_rules import CacheRules
from contextwright.tokens.models import known_model, model_info


@pytest.fixture(autouse=True)
def registered_models_are_forgotten():
    yield
    models._registered.clear()
    known_model.cache_clear()


def talk(turns, words=200):
    session = Session("s")
    session.add("system", "Answer in short.")
    for n in range(turns):
        session.user(f"Question {n}?")
        session.assistant(f"Answer {n}: " + "word " * words)
    session.user("And now?")
    return session


def test_everything_is_sent_while_it_fits_byte_for_byte():
    session = talk(20)
    default = compile(session, model="gpt-5")
    assert default.body == compile(session, C.default(), model="gpt-5").body
    assert default.body == Engine(model="gpt-5").compile(session).body
    assert replay(default.manifest, session).body == default.body


def test_then_it_goes_down_in_a_step_that_lasts():
    described = target("gpt-5", window=12_000, reserved_output=0)
    session, begins = Session("s"), []
    for n in range(120):
        session.user(f"Question {n}?")
        pack = compile(session, target=described)
        assert pack.tokens <= 12_000
        begins.append(json.dumps(pack.request["messages"][:2]))
        session.assistant(f"Answer {n}: " + "word " * 200)
    assert 2 < len(set(begins)) < 9
    assert "earlier" in begins[-1]


@pytest.mark.parametrize(
    ("model", "limit"),
    [("gpt-5", 0), ("gpt-5.6", 0), ("gemini-2.5-pro", 0), ("claude-sonnet-4-5", 0),
     ("claude-haiku-5-5", 100_000)],
)  # fmt: skip
def test_only_a_length_tier_that_a_step_pays_for_at_once_is_a_reason_before_the_window(
    model, limit
):
    terminal = default_spec(target(model)).steps[-1]
    assert (terminal.max_tokens, terminal.soft, terminal.eager) == (limit, 100, False)
    prices = model_info(model).tiers
    if limit:
        assert terminal.low * prices[0].write <= 100 * prices[1].cached


def test_a_window_below_the_tier_is_the_limit_and_an_unknown_model_has_no_tier():
    assert default_spec(target("claude-haiku-5-5", window=90_000)).steps[-1].max_tokens == 0
    assert default_spec(target("of-ours", window=90_000)).steps[-1].max_tokens == 0
    dear = {150_000: {"input_price": 10, "cached_price": 1}}
    register_model("of-ours", window=400_000, input_price=2, tiers=dear, cache=CacheRules())
    spec = default_spec(target("of-ours"))
    assert (spec.steps[-1].max_tokens, spec.steps[-1].low) == (150_000, 47)
