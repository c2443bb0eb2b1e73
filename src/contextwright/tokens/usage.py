"""What a provider says it billed for a call, in one form, from the fields that each of them has."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

import msgspec

from contextwright.tokens.models import is_other_model


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of a call, as they were billed.

    Args:
        input: of the request, those included that were read from a cache or written to it.
        cached: of these, read from the provider's cache.
        cache_write: of these, written to it.
        long_cache_write: of those written, the ones that are kept for an hour or longer.
        output: of the answer, its reasoning included.
        reasoning: of these, the ones thought.
        context: of the newest request alone, where the provider made several in one call; else
            `input`. By it a counter is calibrated.
        response_id: of the answer, where the provider may go on from it.
        model: who answered, where a response says it: it may be another one than was asked.
    """

    input: int
    cached: int = 0
    cache_write: int = 0
    long_cache_write: int = 0
    output: int = 0
    reasoning: int = 0
    context: int = 0
    response_id: str = ""
    model: str = ""

    def context_of(self, model: str) -> int:
        """The context as a model billed it that was asked; 0 where another one answered."""
        return 0 if is_other_model(self.model, model) else self.context

    def __add__(self, other: "Usage") -> "Usage":
        """What both were billed; the context, the id and the model are the newer one's."""
        sums = {
            name: getattr(self, name) + getattr(other, name)
            for name in self.__struct_fields__
            if name not in _NEWER
        }
        newer = {name: getattr(other, name) for name in _NEWER}
        return Usage(**sums, **newer)


_NEWER = ("context", "response_id", "model")


_PLACES = ("usage", "usage_metadata", "usageMetadata", "response", "message")
"""Where a response, or an event of a stream, holds its usage."""
_INPUTS = (
    "prompt_tokens",
    "input_tokens",
    "promptTokenCount",
    "prompt_token_count",
    "inputTokens",
    "gen_ai.usage.input_tokens",
)
"""Fields that hold tokens of a request, by which a usage is known."""
_MODELS = ("model", "model_name", "modelVersion", "model_version")
_DEPTH = 3
"""Levels that are looked through: an event of a stream holds a response, and that its usage."""


def usage_of(source: object) -> Usage | None:
    """What was billed, of a response, an event of a stream or the usage itself: a dict or an SDK's
    object of OpenAI, Anthropic, Gemini, Bedrock, LangChain, pydantic-ai, LiteLLM or OpenTelemetry.

    Args:
        source: a plain number is input tokens, cached ones included.

    Returns:
        The usage; None where nothing says how many tokens the request had.
    """
    if isinstance(source, Usage):
        return source
    if isinstance(source, int) and not isinstance(source, bool):
        return Usage(input=source, context=source) if source >= 0 else None
    value: object = source
    id = model = ""
    for _ in range(_DEPTH):
        fields = _fields(value)
        id, model = _response_id(fields) or id, _model(fields) or model
        if any(_is_count(fields.get(name)) for name in _INPUTS):
            usage = _of_fields(fields)
            if usage is None or not (id or model):
                return usage
            return msgspec.structs.replace(usage, response_id=id, model=model)
        inner = (fields.get(place) for place in _PLACES)
        value = next((each for each in inner if each is not None), None)
        if value is None:
            return None
    return None


def _response_id(fields: Mapping[str, Any]) -> str:
    """The id of an answer of OpenAI Responses, or of what OpenAI Agents has of one."""
    id = fields.get("id") if fields.get("object") == "response" else fields.get("response_id")
    return id if isinstance(id, str) else ""


def _model(fields: Mapping[str, Any]) -> str:
    names = (fields.get(key) for key in _MODELS)
    return next((name for name in names if name and isinstance(name, str)), "")


def _of_fields(fields: Mapping[str, Any]) -> Usage | None:
    if "promptTokenCount" in fields or "prompt_token_count" in fields:
        return _gemini(fields)
    if "inputTokens" in fields:
        return _bedrock(fields)
    if "prompt_tokens" in fields or "gen_ai.usage.input_tokens" in fields or _is_inclusive(fields):
        return _openai(fields)
    return _anthropic(fields)


def _is_inclusive(fields: Mapping[str, Any]) -> bool:
    """Whether input tokens hold the cached ones: Anthropic's own alone do not, and it names no
    total."""
    names = (
        "input_tokens_details",
        "input_token_details",
        "total_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
    )
    return any(name in fields for name in names)


def _openai(fields: Mapping[str, Any]) -> Usage:
    details = _first_fields(
        fields, "prompt_tokens_details", "input_tokens_details", "input_token_details"
    )
    thought = _first_fields(
        fields, "completion_tokens_details", "output_tokens_details", "output_token_details"
    )
    cached = _count(details, "cached_tokens", "cache_read") or _count(
        fields,
        "cache_read_input_tokens",
        "cache_read_tokens",
        "prompt_cache_hit_tokens",
        "gen_ai.usage.cache_read.input_tokens",
    )
    written = _count(details, "cache_write_tokens", "cache_creation_tokens", "cache_creation")
    written = written or _count(
        fields,
        "cache_creation_input_tokens",
        "cache_write_tokens",
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_write.input_tokens",
    )
    whole = _count(fields, "prompt_tokens", "input_tokens", "gen_ai.usage.input_tokens")
    return Usage(
        input=whole,
        cached=min(cached, whole),
        cache_write=min(written, whole - min(cached, whole)),
        long_cache_write=_count(
            _first_fields(details, "cache_write_tokens_details"), "ttl_12h", "ephemeral_1h"
        ),
        output=_count(fields, "completion_tokens", "output_tokens", "gen_ai.usage.output_tokens"),
        reasoning=_count(thought, "reasoning_tokens", "reasoning"),
        context=whole,
    )


def _anthropic(fields: Mapping[str, Any]) -> Usage:
    """Cached tokens stand beside `input_tokens`. A server's loop lists its requests, and the newest
    message is the context; what compacted it is billed beside."""
    listed: Any = fields.get("iterations")
    steps = [_anthropic_step(_fields(each)) for each in _items(listed)]
    if not steps:
        return _anthropic_step(fields)
    kinds = [str(_fields(each).get("type", "message")) for each in _items(listed)]
    messages = [step for step, kind in zip(steps, kinds, strict=True) if kind == "message"]
    whole = steps[0]
    for step in steps[1:]:
        whole += step
    context = messages[-1].context if messages else _anthropic_step(fields).context
    return msgspec.structs.replace(whole, context=context)


def _anthropic_step(fields: Mapping[str, Any]) -> Usage:
    cached = _count(fields, "cache_read_input_tokens")
    lifetimes = _first_fields(fields, "cache_creation")
    long = _count(lifetimes, "ephemeral_1h_input_tokens")
    short = _count(lifetimes, "ephemeral_5m_input_tokens")
    written = max(_count(fields, "cache_creation_input_tokens"), long + short)
    whole = _count(fields, "input_tokens") + cached + written
    return Usage(
        input=whole,
        cached=cached,
        cache_write=written,
        long_cache_write=long,
        output=_count(fields, "output_tokens"),
        reasoning=_count(_first_fields(fields, "output_tokens_details"), "thinking_tokens"),
        context=whole,
    )


def _gemini(fields: Mapping[str, Any]) -> Usage:
    """Thoughts are counted beside the answer, and what tools gave beside the prompt."""
    thought = _count(fields, "thoughtsTokenCount", "thoughts_token_count")
    whole = _count(fields, "promptTokenCount", "prompt_token_count") + _count(
        fields, "toolUsePromptTokenCount", "tool_use_prompt_token_count"
    )
    return Usage(
        input=whole,
        cached=_count(fields, "cachedContentTokenCount", "cached_content_token_count"),
        output=_count(fields, "candidatesTokenCount", "candidates_token_count") + thought,
        reasoning=thought,
        context=whole,
    )


def _bedrock(fields: Mapping[str, Any]) -> Usage:
    """Cached tokens stand beside `inputTokens`."""
    cached, written = (
        _count(fields, "cacheReadInputTokens"),
        _count(fields, "cacheWriteInputTokens"),
    )
    whole = _count(fields, "inputTokens") + cached + written
    long = 0
    for each in _items(fields.get("cacheDetails")):
        entry = _fields(each)
        long += _count(entry, "inputTokens") if entry.get("ttl") == "1h" else 0
    return Usage(
        input=whole,
        cached=cached,
        cache_write=written,
        long_cache_write=long,
        output=_count(fields, "outputTokens"),
        context=whole,
    )


def _fields(value: object) -> Mapping[str, Any]:
    """What an object says of itself; nothing for one that says nothing."""
    if isinstance(value, Mapping):
        return cast(Mapping[str, Any], value)
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.asdict(value)
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        try:
            dumped: object = dump()
        except Exception:  # noqa: BLE001 -- an SDK's object may raise anything
            dumped = None
        if isinstance(dumped, Mapping):
            return cast(Mapping[str, Any], dumped)
    return getattr(value, "__dict__", {})


def _first_fields(fields: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """The object under the first of these names that is there."""
    inner = (fields.get(name) for name in names)
    return _fields(next((each for each in inner if each is not None), None))


def _items(value: object) -> Iterable[object]:
    return cast("list[object]", value) if isinstance(value, (list, tuple)) else ()


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _count(fields: Mapping[str, Any], *names: str) -> int:
    """The first number under these names; 0 where there is none."""
    return next((fields[name] for name in names if _is_count(fields.get(name))), 0)
