"""Counting: exact where it can be, never low where it can not."""

from base64 import b64encode, urlsafe_b64encode
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.errors import ModelError
from contextwright.tokens.calibrate import Calibrator
from contextwright.tokens.counter import CHUNK, counter_for, named_counter, scaled
from contextwright.tokens.images import image_size, image_tokens
from contextwright.tokens.models import model_info
from contextwright.tokens.vocabulary import encoding

O200K = named_counter("o200k_base")


@pytest.mark.parametrize(
    ("model", "text", "tokens"),
    [("gpt-4o", "hello world", 2), ("gpt-5", "tiktoken is great!", 6), ("gpt-4", "tiktoken is great!", 6),
     ("gpt-4o", "antidisestablishmentarianism", 6), ("gpt-4", "お誕生日おめでとう", 9), ("gpt-4o", "", 0)],
)  # fmt: skip
def test_known_counts(model, text, tokens):
    assert counter_for(model).count(text) == tokens
    assert counter_for(model).exact


@pytest.mark.parametrize(
    "text", ["<|endoftext|>", "<|im_start|>system", "a \ud83d b", "\0", "x" * 200_000]
)
def test_any_text_counts_as_text(text):
    assert O200K.count(text) > 0


@given(st.text(max_size=300), st.text(max_size=300))
def test_estimates_are_never_below_the_exact_count(a, b):
    for model in ("claude-sonnet-4-5", "claude-opus-4-7", "gemini-3-pro", "llama-4", "unheard-of"):
        assert counter_for(model).count(a) >= O200K.count(a)


@given(st.lists(st.text(max_size=80), max_size=6))
def test_lines_counted_apart_are_not_less_than_together_by_more_than_one_a_join(lines):
    whole = O200K.count("\n".join(lines))
    assert whole <= sum(O200K.count(line) + 1 for line in lines)


def test_long_texts_are_counted_in_pieces_and_never_low():
    text = "word and number 12345, " * 20_000
    assert len(text) > CHUNK
    exact = len(encoding("o200k_base").encode_ordinary(text))
    assert exact <= O200K.count(text) <= exact * 1.01


@pytest.mark.parametrize(
    ("model", "id"),
    [("gpt-4-turbo", "cl100k_base"), ("gpt-3.5-turbo", "cl100k_base"), ("o3-mini", "o200k_base"),
     ("gpt-4.1", "o200k_base"), ("claude-3-5-sonnet-latest", "o200k_base*135"),
     ("claude-opus-4-20250514", "o200k_base*135"), ("claude-opus-4-6", "o200k_base*135"),
     ("claude-opus-4-7", "o200k_base*175"), ("claude-sonnet-5", "o200k_base*175"),
     ("gemini-3-pro", "o200k_base+digits*118"), (None, "o200k_base*175"),
     ("anthropic/claude-haiku-4-5", "o200k_base*135"), ("openai/gpt-4o:free", "o200k_base"),
     ("ft:gpt-4o:org::id", "o200k_base"), ("gpt-oss-120b", "o200k_base")],
)  # fmt: skip
def test_each_model_has_its_way_of_counting(model, id):
    assert counter_for(model).id == id
    assert named_counter(id) is counter_for(model)


def test_an_unknown_counter_is_refused():
    with pytest.raises(ModelError, match="counter"):
        named_counter("chars/4")


def test_calibration_waits_then_follows_the_bill_upwards_only():
    calibrator = Calibrator()
    for _ in range(19):
        assert calibrator.observe("anthropic", "claude", 130, 100)
    assert calibrator.factor("anthropic", "claude") == 100
    calibrator.observe("anthropic", "claude", 130, 100)
    assert calibrator.factor("anthropic", "claude") == 130
    assert calibrator.counter("anthropic", "claude", O200K).id == "o200k_base*130"
    low = Calibrator({"a m": [60] * 50})
    assert low.factor("a", "m") == 100


@pytest.mark.parametrize(("billed", "estimated"), [(0, 5), (-3, 5), (5, 0), (1000, 10), (1, 100)])
def test_absurd_bills_are_not_believed(billed, estimated):
    assert not Calibrator().observe("a", "m", billed, estimated)


@given(
    st.integers(70, 200),
    st.lists(st.integers(-5, 5), min_size=20, max_size=300),
    st.lists(st.integers(50, 250), max_size=2),
)
def test_the_factor_covers_most_bills_and_outliers_do_not_move_it(center, around, outliers):
    calibrator = Calibrator()
    ratios = [center + distance for distance in around]
    for ratio in [*ratios, *outliers]:
        calibrator.observe("a", "m", ratio, 100)
    factor = calibrator.factor("a", "m")
    assert factor + 3 > max(100, sorted(ratios)[len(ratios) // 2])
    assert factor - 3 < max(100, max(ratios))
    again = Calibrator.from_data(calibrator.to_data())
    assert abs(again.factor("a", "m") - factor) < 3


@pytest.mark.parametrize("place", range(20))
@pytest.mark.parametrize("outlier", [50, 101, 250])
def test_one_outlier_among_the_first_twenty_bills_is_none(place, outlier):
    ratios = [118] * 19
    ratios.insert(place, outlier)
    assert Calibrator({"a m": ratios}).factor("a", "m") == 118


BILLS = (
    (21527, 23577), (42202, 48408), (50526, 55352), (57788, 61036), (63001, 64016), (67525, 66375),
    (75345, 70331), (86278, 76243), (93016, 83885), (98950, 87312), (105709, 92742), (108689, 94485),
    (111079, 95850), (115589, 99241), (119580, 100391), (125542, 103807), (131707, 107685),
    (135375, 109560), (142249, 115853), (146801, 117972), (152511, 120901), (157821, 125924),
    (162953, 126917), (168698, 131723), (176585, 138578),
)  # fmt: skip
"""What was billed in a recorded coding session of 439 calls, and what is counted of them."""


def test_recorded_bills_give_a_factor_that_covers_them():
    calibrator = Calibrator()
    assert all(calibrator.observe("anthropic", "m", *bill) for bill in BILLS)
    factor = calibrator.factor("anthropic", "m")
    covered = sum(billed <= estimated * factor // 100 for billed, estimated in BILLS)
    assert 115 <= factor <= 130 and covered >= len(BILLS) * 9 // 10
    for wild in (2343, 311, 243, 172):  # what a bill of more than was measured looks like
        calibrator.observe("anthropic", "m", wild, 100)
    assert abs(calibrator.factor("anthropic", "m") - factor) <= 3


def test_scaling_rounds_up():
    assert scaled(O200K, 101).count("hello world") == 3


@pytest.mark.parametrize(
    ("name", "provider", "window"),
    [("gpt-4o", "openai", 128_000), ("openai/gpt-4o-2024-08-06", "openai", 128_000),
     ("claude-sonnet-4-5-20250929", "anthropic", 200_000), ("anthropic:claude-sonnet-4-5", "anthropic", 200_000),
     ("gemini-2.5-flash", "google", 1_048_576)],
)  # fmt: skip
def test_models_are_known_by_their_names(name, provider, window):
    info = model_info(name)
    assert (info.provider, info.window) == (provider, window)
    assert 0 < info.cached_price < info.input_price < info.output_price


def test_an_unknown_model_names_its_neighbours():
    with pytest.raises(ModelError, match="unknown model") as caught:
        model_info("gpt-4oo")
    assert "gpt-4o" in caught.value.fix


def test_the_snapshot_names_its_source():
    data = (files("contextwright.tokens") / "data" / "models.json").read_text()
    assert '"source": "litellm ' in data


@pytest.mark.parametrize(
    ("provider", "size", "tokens"),
    [("openai", (1024, 1024), 1024), ("google", (384, 384), 258), ("google", (1536, 1536), 1032),
     ("anthropic", (1000, 1000), 1335), ("openai", (0, 0), 1536)],
)  # fmt: skip
def test_images_cost_what_the_providers_say_or_more(provider, size, tokens):
    assert image_tokens(provider, *size) == tokens


def test_low_detail_is_cheap():
    assert image_tokens("openai", 2000, 2000, "low") == 85


def test_the_size_is_read_from_the_header():
    png = (
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
        + (640).to_bytes(4, "big")
        + (480).to_bytes(4, "big")
        + b"\x08"
    )
    gif = b"GIF89a" + (640).to_bytes(2, "little") + (480).to_bytes(2, "little")
    jpeg = (
        b"\xff\xd8\xff\xc0\x00\x11\x08"
        + (480).to_bytes(2, "big")
        + (640).to_bytes(2, "big")
        + b"\0" * 9
    )
    for data in (png, gif, jpeg):
        for rest in (b"", b"\xff\xfe\xfb~~??>>" * 9):
            for encoded in (b64encode, urlsafe_b64encode):
                assert image_size(encoded(data + rest).decode()) == (640, 480)
    assert image_size("not base64 !") is None
    assert image_size("") is None
