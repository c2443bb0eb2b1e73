"""How large a request may be: `max_input` beside the window, room for a reasoning model's thoughts,
models that a user describes, names as providers and gateways write them."""

import pytest

from contextwright import C, Session, compile, register_model, replay, target
from contextwright.errors import BudgetError, ContextwrightError, ModelError
from contextwright.tokens import models
from contextwright.tokens.model_rules import CacheRules
from contextwright.tokens.models import (
    REASONING_RESERVE,
    known_model,
    model_info,
    reasoning_profile,
)


@pytest.fixture(autouse=True)
def registered_models_are_forgotten():
    yield
    models._registered.clear()
    known_model.cache_clear()


@pytest.mark.parametrize(
    ("model", "window", "max_input"),
    [("gpt-5", 400_000, 272_000), ("gpt-5-mini", 400_000, 272_000), ("gpt-5.1", 400_000, 272_000),
     ("gpt-5.4", 1_050_000, 922_000), ("gpt-6-sol", 1_050_000, 922_000),
     ("gpt-4o", 128_000, 128_000 - 4096), ("o3", 200_000, 200_000 - REASONING_RESERVE),
     ("gpt-5-chat-latest", 128_000, 128_000 - 4096),
     ("claude-opus-4-5", 200_000, 200_000 - 4096)],
)  # fmt: skip
def test_no_request_is_larger_than_the_provider_takes(model, window, max_input):
    made = target(model)
    assert (made.window, made.max_input) == (window, max_input)


def test_what_the_provider_keeps_from_the_input_can_not_be_taken_back():
    assert target("gpt-5", reserved_output=0).max_input == 272_000
    assert target("gpt-5", window=100_000, reserved_output=0).max_input == 100_000


def test_a_gemini_that_thinks_has_room_to_think():
    session = Session()
    session.user("hi")
    config = compile(session, model="gemini-2.5-flash").request["config"]
    assert config["max_output_tokens"] == REASONING_RESERVE


@pytest.mark.parametrize(
    ("name", "known"),
    [("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929"),
     ("anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5-20251101"),
     ("openrouter/anthropic/claude-opus-4.5", "claude-opus-4-5"), ("azure/gpt-5", "gpt-5"),
     ("openai/gpt-5:free", "gpt-5"), ("claude-opus-4-5@20251101", "claude-opus-4-5"),
     ("vertex_ai/gemini-2.5-pro", "gemini-2.5-pro"), ("google-gla:gemini-2.5-pro", "gemini-2.5-pro")],
)  # fmt: skip
def test_names_as_gateways_write_them(name, known):
    assert model_info(name).window == model_info(known).window


def test_a_model_of_ones_own():
    with pytest.raises(ModelError, match="unknown model") as caught:
        target("my-llama")
    assert "register_model" in caught.value.fix
    info = register_model("My-Llama", window=32_000, max_input=20_000, input_price=0.5)
    assert (info.input_price, info.cached_price) == (500_000, 500_000)
    assert target("my-llama").max_input == 20_000
    assert target("my-llama").format == "openai-chat"
    register_model("claude-of-ours", window=9_000, provider="anthropic")
    assert target("claude-of-ours").format == "anthropic"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: register_model("", window=5),
        lambda: register_model(None, window=5),
        lambda: register_model("m", window="8k"),
        lambda: register_model("m", window=0),
        lambda: register_model("m", window=100, max_input=200),
        lambda: register_model("m", window=8000, max_output=-1),
    ],
)
def test_numbers_that_can_not_be(wrong):
    with pytest.raises(ContextwrightError) as caught:
        wrong()
    assert caught.value.where and caught.value.fix


def test_a_budget_above_the_window_is_noted():
    session = Session()
    session.user("hi")
    pack = compile(session, C.budget(10_000_000), model="gpt-5")
    assert any("272,000" in note and "10,000,000" in note for note in pack.manifest.notes)
    assert not compile(session, C.budget(10_000), model="gpt-5").manifest.notes
    assert not compile(session, C.compaction(), model="gpt-5").manifest.notes
    assert replay(pack.manifest, session).body == pack.body


def test_a_session_above_the_largest_input_is_cut_to_it():
    session = Session()
    for n in range(60):
        session.user(f"question {n}")
        session.assistant("word " * 6000)
    session.user("now")
    register_model("narrow", window=400_000, max_input=100_000)
    pack = compile(session, C.default(), model="narrow")
    # a step goes down to half of it (ADR 0044), to within what did not fit any more
    largest = max(block.tokens for block in pack.manifest.kept)
    assert 50_000 - 2 * largest < pack.tokens <= 50_000
    with pytest.raises(BudgetError):
        compile(session, C.budget(90_000_000, overflow="error"), model="narrow")


def test_a_row_says_prices_by_length_cache_rules_and_reasoning():
    haiku = model_info("claude-haiku-5-5")
    assert (haiku.prices(100_000).input, haiku.prices(100_001).input) == (100_000, 500_000)
    assert (haiku.prices(1).write, haiku.prices(1).long_write) == (125_000, 200_000)
    assert (haiku.cache.minimum, haiku.cache.look_back, haiku.cache.breakpoints) == (512, 20, 4)
    assert (haiku.cache.ttl_s, haiku.cache.long_ttl_s) == (300, 3600)
    assert model_info("claude-fable-5-1").cached_price * 40 == 10_000_000
    assert model_info("gpt-5").cache.readable(1_300) == 1_280
    assert model_info("gpt-5").cache.readable(1_000) == 0
    assert model_info("gpt-5.6").prices(300_000).cached == 800_000
    assert (haiku.reasoning, model_info("gpt-5").reasoning) == ("bound", "keep")


def test_every_row_costs_less_from_a_cache_and_no_less_where_it_is_longer():
    for name in models._table().models:
        tiers = model_info(name).tiers
        assert tiers[0].above == 0
        for tier in tiers:
            assert tier.cached <= tier.input <= tier.write <= tier.long_write
        assert [tier.above for tier in tiers] == sorted({tier.above for tier in tiers})
        assert [tier.input for tier in tiers] == sorted(tier.input for tier in tiers)


def test_a_model_of_ones_own_has_prices_by_length_a_cache_and_a_profile():
    info = register_model(
        "ours", window=1_000_000, input_price=1, cached_price=0.1, cache_write_price=1.25,
        tiers={200_000: {"input_price": 2, "cached_price": 0.2}},
        cache=CacheRules(minimum=64, grain=16), reasoning="strip-old",
    )  # fmt: skip
    assert (info.prices(200_000).cached, info.prices(200_001).cached) == (100_000, 200_000)
    assert info.prices(200_001).write == 1_250_000 == info.prices(1).long_write
    assert target("ours").cache_rules.minimum == 64
    assert reasoning_profile("ours") == "strip-old" == target("ours", format="anthropic").reasoning
    with pytest.raises(ModelError, match="no price is called 'input'"):
        register_model("ours", window=10, tiers={5: {"input": 2}})


def test_a_model_of_no_table_is_looked_up_once_and_its_neighbours_only_for_an_error(monkeypatch):
    compared = []
    monkeypatch.setattr(
        "difflib.get_close_matches", lambda *args, **kwargs: compared.append(args) or []
    )
    receiver = target("nobody-knows-this-1", window=8_000)
    assert known_model("nobody-knows-this-1") is None
    before = known_model.cache_info().misses
    assert all((receiver.reasoning, receiver.cache_rules, receiver.step_prices()))
    assert known_model.cache_info().misses == before
    assert not compared
    with pytest.raises(ModelError, match="unknown model"):
        target("nobody-knows-this-1")
    assert compared


def test_a_tuned_model_has_its_own_prices_and_its_bases_window():
    tuned, base = model_info("ft:gpt-4o-2024-08-06:org:name:id"), model_info("gpt-4o-2024-08-06")
    assert (tuned.window, tuned.name) == (base.window, "ft:gpt-4o-2024-08-06")
    assert tuned.input_price > base.input_price
    undated = model_info("openai/ft:gpt-4.1-mini:org::id")
    assert undated.window == model_info("gpt-4.1-mini").window


@pytest.mark.parametrize("name", ["gpt-oss-120b", "groq/openai/gpt-oss-20b"])
def test_open_models_have_a_window(name):
    assert model_info(name).window == 131_072
