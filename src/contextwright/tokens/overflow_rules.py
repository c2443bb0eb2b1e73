"""How providers, gateways and servers say that a request is too long: one table.

A text is matched in lower case. `limit`, `requested`, `output` and `over` are the numbers in it;
what it does not say is not guessed. The first rule that fits counts, so numbers stand first.
"""

import re

import msgspec

NUMBER = r"(\d[\d,]*)"
"""A number, perhaps with commas."""


class OverflowRule(msgspec.Struct, frozen=True):
    """A way to say it.

    Args:
        name: who says so.
        pattern: of the text; `{limit}`, `{requested}`, `{output}` and `{over}` stand for numbers.
        whole: whether the limit is of the request and its answer together.
        unit: what is counted.
    """

    name: str
    pattern: str
    whole: bool = False
    unit: str = "tokens"

    @property
    def regex(self) -> re.Pattern[str]:
        """The pattern with its numbers; Python keeps what it compiled."""
        pattern = self.pattern
        for number in ("limit", "requested", "output", "over"):
            pattern = pattern.replace(f"{{{number}}}", NUMBER.replace("(", f"(?P<{number}>", 1))
        return re.compile(pattern, re.DOTALL)


RULES = (
    OverflowRule(
        "openai",
        r"(?:maximum context|maximum model|context) length (?:is|of) {limit} tokens.{0,40}?"
        r"you requested (?:about |at least )?{requested} tokens \(",
        whole=True,
    ),
    OverflowRule(
        "vllm",
        r"maximum context length is {limit} tokens.{0,40}?you requested {output} output tokens "
        r"(?:and your|but the) prompt contains (?:at least )?{requested} input tokens",
        whole=True,
    ),
    OverflowRule(
        "openai",
        r"maximum context length is {limit} tokens.{0,40}?"
        r"(?:messages|prompt|input|request) (?:resulted in|contains?|has) (?:at least )?"
        r"{requested} (?:input )?tokens",
        whole=True,
    ),
    OverflowRule(
        "vllm",
        r"maximum context length is {limit} tokens.{0,40}?you requested {output} output tokens and "
        r"your prompt contains (?:at least )?\d+ characters",
        whole=True,
    ),
    OverflowRule("openai", r"maximum context length is {limit} tokens\W{1,3}however", whole=True),
    OverflowRule(
        "openai",
        r"configured limit of {limit} tokens.{0,20}?(?:messages|input) resulted in "
        r"{requested} tokens",
    ),
    OverflowRule(
        "anthropic",
        r"input length and `?max_tokens`? exceed context limit: {requested} \+ {output} > {limit}",
        whole=True,
    ),
    OverflowRule("anthropic", r"prompt is too long: {requested} tokens > {limit} maximum"),
    OverflowRule(
        "gemini",
        r"input token count (?:is )?\(?{requested}\)? "
        r"(?:exceeds the maximum number of tokens allowed|but model only supports up to) "
        r"\(?{limit}",
    ),
    OverflowRule(
        "gemini", r"input token count exceeds the maximum number of tokens allowed \(?{limit}"
    ),
    OverflowRule(
        "mistral",
        r"prompt contains {requested} tokens.{0,60}?too large for model with "
        r"{limit} maximum context",
        whole=True,
    ),
    OverflowRule(
        "vllm",
        r"prompt \((?:total )?length {requested}\) is (?:too long to fit into the model "
        r"\(context length|longer than the maximum model length of) {limit}",
        whole=True,
    ),
    OverflowRule("vllm", r"exceeds? the max_model_len(?:\D{0,12}{limit})?", whole=True),
    OverflowRule(
        "llama.cpp",
        r"request \({requested} tokens\) exceeds the available context size \({limit} tokens\)",
        whole=True,
    ),
    OverflowRule("llama.cpp", r"exceeds the available context size", whole=True),
    OverflowRule(
        "llama-cpp-python",
        r"requested tokens \({requested}\) exceed context window of {limit}",
        whole=True,
    ),
    OverflowRule(
        "xai", r"maximum prompt length is {limit} but the request contains {requested} tokens"
    ),
    OverflowRule("cerebras", r"current length is {requested} while limit is {limit}"),
    OverflowRule(
        "github-copilot", r"prompt token count of {requested} exceeds the limit of {limit}"
    ),
    OverflowRule(
        "kimi", r"exceeded model token limit: {limit} \(requested: {requested}\)", whole=True
    ),
    OverflowRule("ollama", r"exceeded max context length by {over} tokens", whole=True),
    OverflowRule("ollama", r"input length exceeds (?:the |maximum )*context length", whole=True),
    OverflowRule(
        "tgi",
        r"`inputs` tokens \+ `max_new_tokens` must be <= {limit}\. given: {requested} "
        r"`inputs` tokens and {output} `max_new_tokens`",
        whole=True,
    ),
    OverflowRule("tgi", r"`inputs` tokens \+ `max_new_tokens` must be <=", whole=True),
    OverflowRule("tgi", r"`inputs` must have less than {limit} tokens\. given: {requested}"),
    OverflowRule("dashscope", r"range of input length should be \[\d+, ?{limit}\]"),
    OverflowRule(
        "cohere", r"too many tokens: (?:total|the total).{0,80}?cannot exceed {limit}", whole=True
    ),
    OverflowRule(
        "sglang",
        r"maximum context length of {limit} tokens\. you requested a total of {requested} tokens",
        whole=True,
    ),
    OverflowRule(
        "watsonx",
        r"number of input tokens {requested} cannot exceed the total tokens limit {limit}",
        whole=True,
    ),
    OverflowRule("github", r"request body too large for .{1,60}? max size: {limit} tokens"),
    OverflowRule("zhipu", r"prompt exceeds max(?:imum)? length"),
    OverflowRule("bedrock", r"input is too long for (?:the )?requested model"),
    OverflowRule("bedrock", r"too many total text bytes", unit="bytes"),
    OverflowRule("bedrock", r"too many input tokens"),
    OverflowRule("bedrock", r"exceeds? (?:customer )?model maximum"),
    OverflowRule(
        "bedrock",
        r"malformed input request:.{0,40}expected maxlength: (?P<limit>\d{4,}), "
        r"actual: {requested}",
        unit="characters",
    ),
    OverflowRule("openai", r"exceeds the context window of this model"),
    OverflowRule("groq", r"reduce the length of the messages or completion", whole=True),
    OverflowRule("together", r"longer than the model's context length", whole=True),
    OverflowRule(
        "lm-studio", r"tokens to keep from the initial prompt is greater than the context length"
    ),
    OverflowRule("minimax", r"context window exceeds limit"),
    OverflowRule("ai21", r"prompt has too many tokens"),
    OverflowRule("anthropic", r"request exceeds the maximum size", unit="bytes"),
    OverflowRule(
        "gemini", r"request payload size exceeds the limit(?:: {limit} bytes)?", unit="bytes"
    ),
    OverflowRule("", r"\bprompt (?:is )?too long\b"),
    OverflowRule("", r"^\W*too many tokens\b"),
)

CODES = {
    "context_length_exceeded": "openai",
    "context_window_exceeded": "openai",
    "exceed_context_size_error": "llama.cpp",
    "model_max_prompt_tokens_exceeded": "github-copilot",
    "tokens_limit_reached": "github",
    "contextwindowexceedederror": "litellm",
    "contextoverflowerror": "langchain",
    "contextwindowoverflowexception": "strands",
}
"""Codes and names of errors that say it, in lower case, and whose they are."""
BYTE_CODES = {
    "request_too_large": "anthropic",
    "request_body_too_large_after_decoding": "anthropic",
}
"""Codes that say that the body has too many bytes."""
LIMIT_FIELDS = {"n_ctx": "limit", "n_prompt_tokens": "requested"}
"""Numbers that stand in fields of their own (llama.cpp)."""

NOT_OVERFLOW = re.compile(
    r"rate.?limit|too many requests|throttl|please (?:wait|slow down)"
    r"|tokens? per (?:min|day|hour|sec)|per minute|\btpm\b|\btpd\b|quota|overloaded|billing"
    r"|max_(?:completion_|output_|new_)?tokens\W.{0,80}?\bis too large"
    r"|at most \d+ completion tokens|allowed number of output tokens|length limit was reached"
    r"|string too long|string_above_max_length|image (?:dimensions|exceeds)|image_dimensions"
    r"|signature in thinking",
    re.DOTALL,
)
"""What is no overflow, whatever else is said: a rate, a quota, the length of an answer or of a
field, a picture's size. The same request may be sent later, or another field is to be mended."""
REFUSALS = frozenset({200, 400, 413, 422, 500, 502, 503})
"""Statuses with which a request is refused for its length; 200 where a stream had begun."""
