"""What providers say when a request is too long, as their own SDKs raise it, and what is none of it."""

import json

import anthropic
import httpx2
import msgspec
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.tokens.context_overflow import Overflow, overflow_of

OPENAI = "This model's maximum context length is 128000 tokens. However, your messages resulted in 192041 tokens. Please reduce the length of the messages."
# (who, text, limit, requested, output, unit)
TEXTS = [
    ("openai", OPENAI, 128000, 192041, 0),
    ("openai", "This model's maximum context length is 32768 tokens. However, you requested 35969 tokens (9969 in the messages, 26000 in the completion). Please reduce the length of the messages or completion.", 32768, 35969, 26000),
    ("openai", "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages.", 272000, 289650, 0),
    ("openai", "Your input exceeds the context window of this model. Please adjust your input and try again.", 0, 0, 0),
    ("bedrock", "The request would exceed customer model maximum.", 0, 0, 0),
    ("anthropic", "prompt is too long: 213462 tokens > 200000 maximum", 200000, 213462, 0),
    ("anthropic", "input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000, decrease input length or `max_tokens` and try again", 200000, 203192, 8192),
    ("gemini", "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).", 1048576, 1200293, 0),
    ("gemini", "The input token count exceeds the maximum number of tokens allowed (1048576).", 1048576, 0, 0),
    ("bedrock", "An error occurred (ValidationException) when calling the Converse operation: Input is too long for requested model.", 0, 0, 0),
    ("bedrock", "Too many input tokens", 0, 0, 0),
    ("bedrock", "Input would exceed model maximum", 0, 0, 0),
    ("", "prompt is too long", 0, 0, 0),
    ("mistral", "Prompt contains 300000 tokens and 0 draft tokens, too large for model with 131072 maximum context length", 131072, 300000, 0),
    ("openai", "This model's maximum context length is 120000 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion).", 120000, 122946, 10000),
    ("vllm", "This model's maximum context length is 4096 tokens. However, you requested 100 output tokens and your prompt contains 25000 characters (more than 15984 characters, which is the upper bound for 3996 input tokens).", 4096, 0, 100),
    ("vllm", "This model's maximum context length is 4096 tokens. However, you requested 100 output tokens and your prompt contains at least 4097 input tokens, for a total of at least 4197 tokens.", 4096, 4197, 100),
    ("vllm", "This model's maximum context length is 4096 tokens. However, you requested 0 output tokens but the prompt contains 5000 input tokens", 4096, 5000, 0),
    ("vllm", "The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure that `max_model_len` is no smaller than the number of text tokens", 4096, 25938, 0),
    ("vllm", "prompt length exceeds the max_model_len", 0, 0, 0),
    ("openai", "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - " + OPENAI, 128000, 192041, 0),
    ("openai", "This endpoint's maximum context length is 32768 tokens. However, you requested about 42832 tokens (42832 of text input). Please reduce the length of either one, or use the \"middle-out\" transform to compress your prompt automatically.", 32768, 42832, 0),
    ("openai", "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (132000 of text input, 8000 in the output).", 131072, 140000, 8000),
    ("ollama", "prompt too long; exceeded max context length by 812 tokens", 0, 0, 0),
    ("ollama", "the input length exceeds the context length", 0, 0, 0),
    ("llama.cpp", "the request exceeds the available context size, try increasing it", 0, 0, 0),
    ("llama.cpp", "request (5023 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096, 5023, 0),
    ("llama-cpp-python", "Requested tokens (2285) exceed context window of 2048", 2048, 2285, 0),
    ("lm-studio", "The number of tokens to keep from the initial prompt is greater than the context length", 0, 0, 0),
    ("xai", "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131072, 537812, 0),
    ("groq", "Please reduce the length of the messages or completion.", 0, 0, 0),
    ("cerebras", "Please reduce the length of the messages or completion. Current length is 9100 while limit is 8192", 8192, 9100, 0),
    ("tgi", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 7000 `inputs` tokens and 2048 `max_new_tokens`", 8193, 9048, 2048),
    ("together", "The input is longer than the model's context length", 0, 0, 0),
    ("github-copilot", "prompt token count of 135000 exceeds the limit of 128000", 128000, 135000, 0),
    ("kimi", "Invalid request: Your request exceeded model token limit: 131072 (requested: 150,000)", 131072, 150000, 0),
    ("sglang", "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5096 tokens: 5000 tokens from the input messages and 96 tokens for the completion.", 4096, 5096, 96),
    ("watsonx", "the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model", 8192, 9000, 0),
    ("github", "Request body too large for gpt-4o model. Max size: 8000 tokens.", 8000, 0, 0),
    ("zhipu", "Prompt exceeds max length", 0, 0, 0),
    ("minimax", "invalid params, context window exceeds limit (2013)", 0, 0, 0),
    ("dashscope", "Range of input length should be [1, 129024]", 129024, 0, 0),
    ("ai21", "Prompt has too many tokens", 0, 0, 0),
    ("", "too many tokens", 0, 0, 0),
]  # fmt: skip
NONE = [
    (429, "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 42000."),
    (413, "Request too large for model `llama-3.3-70b` on tokens per minute (TPM): Limit 6000, Requested 9000"),
    (429, "Too many tokens, please wait before trying again."),
    (0, "An error occurred (ThrottlingException) when calling the Converse operation: Too many tokens, please wait before trying again."),
    (429, "This request would exceed your organization's rate limit of 40,000 input tokens per minute"),
    (400, "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000."),
    (400, "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 100 input tokens (5000 > 4096 - 100)."),
    (400, "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5"),
    (0, "Could not parse response content as the length limit was reached - CompletionUsage(...)"),
    (400, "Invalid 'messages[0].content': string too long. Expected a string with maximum length 1048576, but got a string with length 2000000 instead."),
    (400, "messages.1.content.0: Invalid `signature` in `thinking` block"),
    (400, "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 9000000 bytes > 5242880 bytes"),
    (400, "tool_use ids were found without tool_result blocks immediately after"),
    (401, "Incorrect API key provided; the maximum context length is 128000 tokens"),
    (404, "The model `gpt-9` does not exist"),
    (529, "Overloaded"),
    (400, "Malformed input request: #/toolConfig/name: expected maxLength: 64, actual: 80, please reformat your input and try again."),
    (429, "You exceeded your current quota, please check your plan and billing details."),
]  # fmt: skip


def as_openai(status, body):
    client = openai.OpenAI(
        api_key="-",
        max_retries=0,
        http_client=httpx2.Client(
            transport=httpx2.MockTransport(lambda _: httpx2.Response(status, json=body))
        ),
    )
    with pytest.raises(openai.APIStatusError) as caught:
        client.chat.completions.create(model="gpt-5", messages=[])
    return caught.value


def as_anthropic(status, body):
    transport = httpx2.MockTransport(
        lambda _: (
            httpx2.Response(status, json=body)
            if isinstance(body, dict)
            else httpx2.Response(status, text=body)
        )
    )
    client = anthropic.Anthropic(
        api_key="-", max_retries=0, http_client=httpx2.Client(transport=transport)
    )
    with pytest.raises(anthropic.APIStatusError) as caught:
        client.messages.create(model="claude-sonnet-4-5", messages=[], max_tokens=5)
    return caught.value


@pytest.mark.parametrize(("who", "text", "limit", "requested", "output"), TEXTS)
def test_a_text_says_who_refused_and_the_numbers_that_are_in_it(
    who, text, limit, requested, output
):
    said = overflow_of(text)
    assert (said.provider, said.limit, said.requested, said.output) == (
        who,
        limit,
        requested,
        output,
    )
    for body in (
        {"error": {"message": text, "type": "invalid_request_error"}},
        [{"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}],
        {"object": "error", "message": text, "code": 400},
        {
            "error": {
                "message": "Provider returned error",
                "metadata": {"raw": json.dumps({"error": {"message": text}})},
            }
        },
        json.dumps({"error": text}),
        ValueError(text),
    ):
        assert overflow_of(body) == said


@pytest.mark.parametrize(("who", "text", "limit", "requested", "output"), TEXTS)
def test_the_sdks_own_exceptions_say_the_same(who, text, limit, requested, output):
    wanted = overflow_of(text)
    assert (
        overflow_of(as_openai(400, {"error": {"message": text, "type": "invalid_request_error"}}))
        == wanted
    )
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": text}}
    assert overflow_of(as_anthropic(400, body)) == wanted
    errors = pytest.importorskip("google.genai.errors")
    body = {"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}
    assert overflow_of(errors.ClientError(400, body)) == wanted
    assert overflow_of(errors.ClientError(400, [body])) == wanted


@pytest.mark.parametrize(("status", "text"), NONE)
def test_a_rate_an_answers_length_and_a_field_are_no_overflow(status, text):
    assert (
        overflow_of(
            {"error": {"message": text, "code": "rate_limit_exceeded" if status == 429 else None}}
        )
        is None
    )
    assert overflow_of(text) is None
    if status:
        body = {"type": "error", "error": {"message": text, "type": "invalid_request_error"}}
        assert overflow_of(as_openai(status, body)) is None
        assert overflow_of(as_anthropic(status, body)) is None


def test_a_code_says_it_without_a_text():
    body = {"error": {"message": "no", "code": "context_length_exceeded", "param": "messages"}}
    assert overflow_of(as_openai(400, body)) == Overflow(provider="openai")
    event = {"type": "response.failed", "response": {"error": body["error"], "output": []}}
    assert overflow_of(event) == Overflow(provider="openai")
    llama = {
        "error": {
            "code": 400,
            "type": "exceed_context_size_error",
            "message": "no",
            "n_prompt_tokens": 5023,
            "n_ctx": 4096,
        }
    }
    assert (overflow_of(llama).limit, overflow_of(llama).requested) == (4096, 5023)
    router = {
        "error": {"code": "invalid_prompt", "metadata": {"error_type": "context_length_exceeded"}}
    }
    assert overflow_of(router).provider == "openai"


def test_a_body_of_too_many_bytes_is_one_with_json_or_without():
    body = {
        "type": "error",
        "error": {"type": "request_too_large", "message": "Request exceeds the maximum size"},
    }
    assert overflow_of(as_anthropic(413, body)) == Overflow(provider="anthropic", unit="bytes")
    page = "<html><title>413 Request Entity Too Large</title></html>"
    assert overflow_of(as_anthropic(413, page)).unit == "bytes"
    assert overflow_of(httpx2.Response(413, text=page)).unit == "bytes"
    assert overflow_of(httpx2.Response(429, text=page)) is None


def test_errors_of_frameworks_are_known_by_their_names_and_by_what_they_wrap():
    class ContextWindowExceededError(Exception):
        status_code = 400

    class ModelHTTPError(Exception):
        def __init__(self):
            super().__init__("status_code: 400, model_name: gpt-5")
            self.status_code, self.body = (
                400,
                {"message": OPENAI, "code": "context_length_exceeded"},
            )

    class ClientError(Exception):
        response = {
            "Error": {
                "Code": "ValidationException",
                "Message": "Input is too long for requested model.",
            },
            "ResponseMetadata": {"HTTPStatusCode": 400},
        }

    assert overflow_of(ContextWindowExceededError("no")).provider == "litellm"
    assert overflow_of(ModelHTTPError()).requested == 192041
    assert overflow_of(ClientError("no")).provider == "bedrock"
    try:
        try:
            raise ValueError(OPENAI)
        except ValueError as error:
            raise RuntimeError("the model failed") from error
    except RuntimeError as error:
        assert overflow_of(error).limit == 128000


def test_what_the_request_itself_may_have():
    said = overflow_of(TEXTS[1][1])
    assert (said.input, said.max_input) == (9969, 6768)
    assert overflow_of("prompt is too long: 213462 tokens > 200000 maximum").max_input == 200000
    assert str(said) == "openai refused 35969 tokens where 32768 may be"


def test_a_conversation_about_it_is_no_error():
    talk = {"role": "assistant", "content": OPENAI}
    for body in (
        {"model": "gpt-5", "messages": [talk]},
        {"choices": [{"message": talk, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}},
        {
            "type": "message",
            "content": [{"type": "text", "text": OPENAI}],
            "stop_reason": "end_turn",
        },
        {"candidates": [{"content": {"parts": [{"text": OPENAI}]}}]},
    ):
        assert overflow_of(body) is None


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(max_size=20)
        | st.binary(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["error", "message", "code", "status", "detail", "raw", "n_ctx", "type"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_whatever_is_given_nothing_breaks(value):
    said = overflow_of(value)
    assert said is None or msgspec.json.encode(said)


def test_of_tasks_that_ran_together_the_one_that_was_too_long_is_found():
    body = {"error": {"message": OPENAI, "code": "context_length_exceeded"}}
    inner = ExceptionGroup("tasks", [ValueError("another"), as_openai(400, body)])
    found = overflow_of(ExceptionGroup("run", [inner]))
    assert found is not None and (found.limit, found.requested) == (128000, 192041)
    limited = as_openai(429, {"error": {"message": "Rate limit reached", "code": None}})
    assert overflow_of(ExceptionGroup("run", [limited])) is None
    # one model is busy, and the one that stands in for it has a smaller window
    busy = overflow_of(ExceptionGroup("all models failed", [limited, as_openai(400, body)]))
    assert busy == found


def test_a_limit_in_tokens_of_a_body_is_one_of_tokens():
    text = "Request body too large for gpt-4o model. Max size: 8000 tokens."
    refused = as_openai(413, {"error": {"code": "tokens_limit_reached", "message": text}})
    found = overflow_of(refused)
    assert found is not None and (found.limit, found.unit) == (8000, "tokens")
