"""What was billed, from each provider's own fields: of dicts, of SDK objects, of streams."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.tokens.usage import Usage, usage_of

CHAT = {
    "prompt_tokens": 1000,
    "completion_tokens": 50,
    "total_tokens": 1050,
    "prompt_tokens_details": {"cached_tokens": 600, "cache_write_tokens": 100},
    "completion_tokens_details": {"reasoning_tokens": 20},
}
RESPONSES = {
    "input_tokens": 1000,
    "input_tokens_details": {
        "cached_tokens": 600,
        "cache_write_tokens": 100,
        "cache_write_tokens_details": {"ttl_30m": 60, "ttl_12h": 40},
    },
    "output_tokens": 50,
    "output_tokens_details": {"reasoning_tokens": 20},
    "total_tokens": 1050,
}
ANTHROPIC = {
    "input_tokens": 300,
    "cache_read_input_tokens": 600,
    "cache_creation_input_tokens": 100,
    "cache_creation": {"ephemeral_5m_input_tokens": 60, "ephemeral_1h_input_tokens": 40},
    "output_tokens": 50,
    "output_tokens_details": {"thinking_tokens": 20},
    "service_tier": "standard",
}
GEMINI = {
    "promptTokenCount": 900,
    "toolUsePromptTokenCount": 100,
    "cachedContentTokenCount": 600,
    "candidatesTokenCount": 30,
    "thoughtsTokenCount": 20,
    "totalTokenCount": 1050,
}
BEDROCK = {
    "inputTokens": 300,
    "cacheReadInputTokens": 600,
    "cacheWriteInputTokens": 100,
    "cacheDetails": [{"ttl": "5m", "inputTokens": 60}, {"ttl": "1h", "inputTokens": 40}],
    "outputTokens": 50,
}
BILLED = Usage(
    input=1000,
    cached=600,
    cache_write=100,
    long_cache_write=40,
    output=50,
    reasoning=20,
    context=1000,
)


def same(usage, **other):
    return Usage(**{**{n: getattr(BILLED, n) for n in BILLED.__struct_fields__}, **other}) == usage


def test_each_providers_fields_say_the_same():
    assert same(usage_of(CHAT), long_cache_write=0)
    assert same(usage_of(RESPONSES))
    assert same(usage_of(ANTHROPIC))
    assert same(usage_of(GEMINI), cache_write=0, long_cache_write=0)
    assert same(usage_of(BEDROCK), reasoning=0)


def test_the_frameworks_fields_are_read_as_what_they_are():
    langchain = {
        "input_tokens": 1000,
        "output_tokens": 50,
        "total_tokens": 1050,
        "input_token_details": {"cache_read": 600, "cache_creation": 100},
        "output_token_details": {"reasoning": 20},
    }
    pydantic_ai = {
        "input_tokens": 1000,
        "cache_write_tokens": 100,
        "cache_read_tokens": 600,
        "output_tokens": 50,
    }
    telemetry = {
        "gen_ai.usage.input_tokens": 1000,
        "gen_ai.usage.cache_read.input_tokens": 600,
        "gen_ai.usage.output_tokens": 50,
    }
    deepseek = {"prompt_tokens": 1000, "prompt_cache_hit_tokens": 600, "completion_tokens": 50}
    assert same(usage_of(langchain), long_cache_write=0)
    assert same(usage_of(pydantic_ai), long_cache_write=0, reasoning=0)
    assert same(usage_of(telemetry), cache_write=0, long_cache_write=0, reasoning=0)
    assert same(usage_of(deepseek), cache_write=0, long_cache_write=0, reasoning=0)


def test_a_response_and_a_streams_event_are_looked_through():
    for wrapped in (
        {"usage": ANTHROPIC, "content": []},
        {"type": "message_start", "message": {"usage": ANTHROPIC}},
        {"type": "response.completed", "response": {"usage": RESPONSES}},
        {"candidates": [], "usageMetadata": GEMINI},
    ):
        assert usage_of(wrapped).input == 1000


def test_the_sdks_own_objects_are_read():
    from anthropic.types import Usage as AnthropicUsage
    from openai.types import CompletionUsage
    from openai.types.responses import ResponseUsage

    details = {"cached_tokens": 600, "cache_write_tokens": 0}
    responses = {**RESPONSES, "input_tokens_details": details}
    assert usage_of(CompletionUsage.model_validate(CHAT)).cached == 600
    assert usage_of(ResponseUsage.model_validate(responses)).reasoning == 20
    assert usage_of(AnthropicUsage.model_validate(ANTHROPIC)).input == 1000


def test_geminis_own_object_is_read():
    types = pytest.importorskip("google.genai.types")
    usage = types.GenerateContentResponseUsageMetadata.model_validate(GEMINI)
    assert usage_of(usage).input == 1000
    assert usage_of(types.GenerateContentResponse(usage_metadata=usage)).output == 50


def test_of_a_servers_loop_all_is_billed_and_the_newest_message_is_the_context():
    loop = {
        "input_tokens": 700,
        "output_tokens": 30,
        "iterations": [
            {"type": "message", "input_tokens": 500, "output_tokens": 10},
            {"type": "compaction", "input_tokens": 900, "output_tokens": 40},
            {
                "type": "message",
                "input_tokens": 150,
                "cache_read_input_tokens": 50,
                "output_tokens": 20,
            },
        ],
    }
    usage = usage_of(loop)
    assert (usage.input, usage.cached, usage.output, usage.context) == (1600, 50, 70, 200)


def test_a_number_is_input_tokens():
    assert usage_of(120) == Usage(input=120, context=120)


@pytest.mark.parametrize(
    "source",
    [None, True, -3, "12", {}, [], {"usage": None}, object(), {"usage": {"input_tokens": None}}],
)
def test_what_says_no_tokens_is_no_usage(source):
    assert usage_of(source) is None


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=9),
        lambda inner: (
            st.dictionaries(
                st.sampled_from(
                    [
                        "usage",
                        "response",
                        "iterations",
                        "cacheDetails",
                        "input_tokens",
                        "inputTokens",
                        "prompt_tokens",
                        "promptTokenCount",
                        "cache_creation",
                        "prompt_tokens_details",
                        "cached_tokens",
                    ]
                ),
                inner,
                max_size=4,
            )
            | st.lists(inner, max_size=2)
        ),
    )
)
def test_whatever_is_given_nothing_breaks_and_parts_are_no_more_than_the_whole(source):
    usage = usage_of(source)
    assert usage is None or min(getattr(usage, name) for name in usage.__struct_fields__) >= 0


def test_usages_add_up_and_the_context_is_the_newer_ones():
    one, other = usage_of(CHAT), usage_of({"prompt_tokens": 70, "completion_tokens": 3})
    assert (one + other).input == 1070
    assert (one + other).context == 70
