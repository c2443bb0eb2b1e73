import pytest

from contextwright.tokens.models import reasoning_profile


@pytest.mark.parametrize(
    ("model", "profile"),
    [
        ("claude-3-7-sonnet-20250219", "strip-old"),
        ("claude-sonnet-4-5", "strip-old"),
        ("claude-sonnet-4-20250514", "strip-old"),
        ("claude-opus-4-1-20250805", "strip-old"),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "strip-old"),
        ("claude-opus-4-5-20251101", "keep"),
        ("anthropic/claude-sonnet-4-6", "keep"),
        ("claude-opus-4-8", "keep"),
        ("claude-sonnet-5", "keep"),
        ("claude-fable-5", "keep"),
        ("claude-fable-5-1", "bound"),
        ("anthropic:claude-opus-5-5", "bound"),
        ("claude-haiku-5-5", "bound"),
        ("claude-opus-9", "bound"),
        ("gpt-5", "keep"),
        ("gpt-6", "keep"),
        ("gpt-6.2-mini", "bound"),
        ("openai/gpt-7", "bound"),
        ("gemini-3-pro", "keep"),
        ("a-model-of-mine", "keep"),
    ],
)
def test_profiles_by_name(model, profile):
    assert reasoning_profile(model) == profile
