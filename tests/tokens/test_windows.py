"""How large a request may be: `max_input` beside the window, room for a reasoning model's thoughts,
models that a user describes, names as providers and gateways write them."""

import pytest

from contextwright import C, Session, compile, register_model, replay, target
from contextwright.errors import BudgetError, ContextwrightError, ModelError
from contextwright.tokens import models
from contextwright.tokens.models import REASONING_RESERVE, model_info


@pytest.fixture(autouse=True)
def registered_models_are_forgotten():
    yield
    models._registered.clear()
    model_info.cache_clear()


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
    pack = compile(session, model="narrow")
    assert 80_000 < pack.tokens <= 100_000
    with pytest.raises(BudgetError):
        compile(session, C.budget(90_000_000, overflow="error"), model="narrow")
