"""A step costs what its model's provider asks, and the reasoning that it takes out."""

import json

import pytest

from contextwright import C, Session, compile, register_model, target
from contextwright.compiler.steps.decide import gain
from contextwright.session.event import Text, Thinking, ToolCall
from contextwright.tokens.model_rules import StepPrices

EAGER = C.compaction(150_000)


def loop(steps, thought="hm " * 40):
    """A task, and steps of reasoning, a call and a result of some 900 tokens."""
    session = Session("s")
    session.user("Find the slow query.")
    for n in range(steps):
        thinking = Thinking(text=f"{n} {thought}", signature=f"sig{n}", provider="anthropic")
        call = ToolCall(id=f"t{n}", name="read", arguments=f'{{"at": {n}}}')
        session.assistant(thinking, Text(text=f"Part {n}."), call)
        rows = [{"id": f"P-{n}-{k}", "price": k * 7 + n, "ok": True} for k in range(40)]
        session.result(f"t{n}", json.dumps({"rows": rows}))
    return session


def prices_of(model):
    return target(model, window=100_000, format="anthropic").step_prices()


def test_prices_are_the_models():
    assert target("gpt-5").step_prices() == StepPrices(10, 100, 0)
    assert target("claude-sonnet-4-5").step_prices() == StepPrices(10, 125, 0)
    bound = target("claude-fable-5-1").step_prices()
    assert (bound.read, bound.write) == (2, 125) and bound.reasoning >= 400
    assert target("nobody-knows", window=9_000, format="openai-chat").step_prices() == StepPrices()


def test_what_is_written_again_is_paid_for_at_the_price_of_writing():
    assert gain(100, 11, StepPrices()) > 0 > gain(100, 9, StepPrices(10, 125))
    assert gain(1_000, 50, StepPrices(2, 125)) < 0 < gain(1_000, 50, StepPrices())


def first_step(model, thought="hm " * 150):
    """The number of steps of the loop at which something is shortened first."""
    for steps in range(6, 60, 3):
        pack = compile(loop(steps, thought), EAGER, target=target(model, cache=False))
        if pack.manifest.changes:
            return steps
    return 60


@pytest.mark.parametrize("profile", ["keep", "bound"])
def test_bound_reasoning_is_a_part_of_the_price_of_the_first_edit(profile):
    prices = {"input_price": 3, "cached_price": 0.3, "output_price": 15}
    kept = register_model(
        "kept-1", window=200_000, provider="anthropic", reasoning="keep", **prices
    )
    register_model(
        f"{profile}-2", window=200_000, provider="anthropic", reasoning=profile, **prices
    )
    early = first_step(kept.name)
    assert early < 40
    if profile == "bound":
        assert first_step("bound-2") > early
        assert first_step("bound-2", "hm " * 200) > first_step("bound-2")
    else:
        assert first_step("keep-2") == early
