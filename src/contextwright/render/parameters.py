"""What a body asks for beside its context, for another provider: what both know is said in the
other's words, the rest is named (rules.md#left-as-it-came)."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from contextwright.errors import ModelError
from contextwright.formats.fields import Json, list_if, object_if
from contextwright.formats.request_body import RequestBody
from contextwright.render.efforts import (
    effort_for_claude,
    effort_for_gemini,
    effort_for_openai,
    effort_of_claude,
    effort_of_gemini,
)
from contextwright.render.openai_responses_rules import reasons
from contextwright.render.response_format import ResponseFormat, read_response_format
from contextwright.tokens.models import reasoning_profile

CONTEXT = frozenset(
    {"model", "messages", "input", "contents", "system", "instructions", "tools", "config",
     "systemInstruction", "system_instruction", "generationConfig", "generation_config",
     "modelId", "inferenceConfig"}
)  # fmt: skip
_SAMPLING = ("temperature", "top_p", "top_k")
_PLAIN = (*_SAMPLING, "seed", "presence_penalty", "frequency_penalty")
_CHOICES = {"auto": "auto", "none": "none", "any": "required", "required": "required"}

_OF_OPENAI = {
    "temperature", "top_p", "tool_choice", "parallel_tool_calls", "stream", "store",
    "service_tier", "top_logprobs", "prompt_cache_key",
}  # fmt: skip
OWN: dict[str, frozenset[str]] = {
    "openai-chat": frozenset(
        {*_OF_OPENAI, "stop", "seed", "presence_penalty", "frequency_penalty", "max_tokens",
         "max_completion_tokens", "reasoning_effort", "verbosity", "response_format", "n",
         "logit_bias", "logprobs", "modalities", "prediction", "stream_options"}
    ),
    "openai-responses": frozenset(
        {*_OF_OPENAI, "max_output_tokens", "reasoning", "text", "include", "truncation",
         "max_tool_calls", "previous_response_id", "conversation", "context_management"}
    ),
    "anthropic": frozenset(
        {"max_tokens", "temperature", "top_p", "top_k", "stop_sequences", "thinking", "stream",
         "tool_choice", "output_config", "context_management", "service_tier"}
    ),
    "gemini": frozenset(
        {*_PLAIN, "max_output_tokens", "stop_sequences", "candidate_count", "response_mime_type",
         "response_schema", "response_json_schema", "response_modalities", "thinking_config",
         "tool_config", "safety_settings", "cached_content", "media_resolution", "service_tier"}
    ),
}  # fmt: skip
"""Fields that can be nothing but parameters, also in a record that names no model."""


class Parameters(msgspec.Struct):
    """What bodies ask for, in no provider's words.

    Args:
        plain: numbers that all call alike.
        tool_choice: `auto`, `none`, `required`; tool: the one that must be called.
        effort: how much the model is to think; room: tokens of the answer where nothing is said.
        known: the source's keys that are said here.
        rest: what stands within such a key and is not said.
    """

    plain: Json = {}
    stop: list[str] = []
    max_tokens: int | None = None
    stream: bool | None = None
    user: str = ""
    tool_choice: str = ""
    tool: str = ""
    parallel: bool | None = None
    effort: str = ""
    room: int = 0
    response_format: ResponseFormat | None = None
    known: dict[str, set[str]] = {}
    rest: list[str] = []

    def take_effort(self, effort: str, key: str, value: Json, *known: str) -> None:
        """Set the effort that an object asks for; what else is in it goes by name."""
        self.take("effort", key, effort)
        self.rest = [*self.rest, *(f"{key}.{name}" for name in value if name not in known)]

    def take(self, field: str, key: str, value: Any) -> None:
        """Set a field, and remember the source's key that said so."""
        setattr(self, field, value)
        self.known.setdefault(field, set()).add(key)


class Translation(msgspec.Struct, frozen=True):
    """Parameters in another provider's words.

    Args:
        fields: of the request, those of a field that holds others within it.
        response_format: the shape of the answer.
        lost: the source's keys that have no equivalent.
    """

    fields: Json
    response_format: ResponseFormat | None
    lost: tuple[str, ...]


def translation(
    body: RequestBody, format: str, model: str, max_tokens: int | None = None, room: int = 0
) -> Translation:
    """A body's parameters for another provider's format; of a record of a conversation in the
    same one, the fields that are parameters.

    Args:
        model: whom the request is for: some take no temperature, and each knows its own efforts.
        max_tokens: of the answer, where the call said so; room: where nobody did.
    """
    if body.format == format:
        own = OWN.get(format, frozenset())
        return Translation({k: v for k, v in body.fields.items() if k in own}, None, ())
    parameters, fields = Parameters(room=room), dict(body.fields)
    for key in ("config", "generationConfig", "generation_config", "inferenceConfig"):
        fields.update(object_if(body.fields.get(key)))
    in_camels = body.format not in ("openai-chat", "openai-responses", "anthropic")
    READERS[body.format](_snake(fields) if in_camels else fields, parameters)
    if parameters.max_tokens is not None and max_tokens is not None:
        parameters.max_tokens = max_tokens
    made: Json = {}
    write = _WRITERS.get(format)
    fields_made = write(parameters, made, model) if write is not None else set[str]()
    if not parameters.effort:  # the model's own
        fields_made.add("effort")
    answer = parameters.response_format if "response_format" in fields_made else None
    done = {key for field in fields_made for key in parameters.known.get(field, ())} | CONTEXT
    lost = tuple(
        key for key, value in fields.items()
        if snake_case(key) not in done and key not in done and value is not None
    )  # fmt: skip
    return Translation(made, answer, (*lost, *parameters.rest))


def _snake(fields: Json) -> Json:
    return {snake_case(key): value for key, value in fields.items()}


def snake_case(key: str) -> str:
    """A parameter's name as Python's SDKs spell it."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)


def _read_plain(fields: Mapping[str, Any], parameters: Parameters) -> None:
    for key in _PLAIN:
        if isinstance(fields.get(key), int | float):
            parameters.plain = {**parameters.plain, key: fields[key]}
            parameters.known[key] = {key}
    for key in ("stop", "stop_sequences"):
        stop = fields.get(key)
        if stop and isinstance(stop, str | list):
            parameters.take("stop", key, [stop] if isinstance(stop, str) else list_if(stop))
    for key in ("max_completion_tokens", "max_tokens", "max_output_tokens"):
        if type(fields.get(key)) is int:
            parameters.take("max_tokens", key, fields[key])
    if isinstance(fields.get("stream"), bool):
        parameters.take("stream", "stream", fields["stream"])


def _read_format(value: Any, key: str, parameters: Parameters) -> None:
    try:
        made = read_response_format(value)
    except (ModelError, KeyError, TypeError):
        return
    parameters.take("response_format", key, made)


def _read_openai(fields: Json, parameters: Parameters) -> None:
    _read_plain(fields, parameters)
    if isinstance(fields.get("user"), str):
        parameters.take("user", "user", fields["user"])
    choice = fields.get("tool_choice")
    named = object_if(choice).get("function", choice)
    if isinstance(choice, str) and choice in _CHOICES:
        parameters.take("tool_choice", "tool_choice", choice)
    elif object_if(choice).get("type") == "function" and object_if(named).get("name"):
        parameters.take("tool", "tool_choice", object_if(named)["name"])
    if isinstance(fields.get("parallel_tool_calls"), bool):
        parameters.take("parallel", "parallel_tool_calls", fields["parallel_tool_calls"])
    reasoning, text = object_if(fields.get("reasoning")), object_if(fields.get("text"))
    effort = fields.get("reasoning_effort")
    if isinstance(effort, str):
        parameters.take("effort", "reasoning_effort", effort)
    elif isinstance(reasoning.get("effort"), str):
        parameters.take_effort(reasoning["effort"], "reasoning", reasoning, "effort")
    if fields.get("response_format"):
        _read_format(fields["response_format"], "response_format", parameters)
    if text.get("format") and len(text) == 1:
        _read_format(text["format"], "text", parameters)


def _read_claude(fields: Json, parameters: Parameters) -> None:
    _read_plain(fields, parameters)
    metadata = object_if(fields.get("metadata"))
    if isinstance(metadata.get("user_id"), str) and len(metadata) == 1:
        parameters.take("user", "metadata", metadata["user_id"])
    choice = object_if(fields.get("tool_choice"))
    if choice.get("type") in _CHOICES:
        parameters.take("tool_choice", "tool_choice", _CHOICES[choice["type"]])
    elif choice.get("type") == "tool":
        parameters.take("tool", "tool_choice", str(choice.get("name")))
    if isinstance(choice.get("disable_parallel_tool_use"), bool):
        parameters.take("parallel", "tool_choice", not choice["disable_parallel_tool_use"])
    config = object_if(fields.get("output_config"))
    if config.keys() <= {"effort", "format"}:
        if isinstance(config.get("effort"), str):
            parameters.take("effort", "output_config", config["effort"])
        if config.get("format"):
            _read_format(config["format"], "output_config", parameters)

    thinking = object_if(fields.get("thinking"))
    if thinking:
        effort = parameters.effort or effort_of_claude(thinking)
        parameters.take_effort(effort, "thinking", thinking, "type", "budget_tokens")


def _read_gemini(fields: Json, parameters: Parameters) -> None:
    _read_plain(fields, parameters)
    config = object_if(fields.get("tool_config"))
    calling = _snake(object_if(_snake(config).get("function_calling_config")))
    names = list_if(calling.get("allowed_function_names"))
    mode = str(calling.get("mode", "")).lower()
    if mode == "any" and len(names) == 1:
        parameters.take("tool", "tool_config", names[0])
    elif mode in _CHOICES and not names:
        parameters.take("tool_choice", "tool_config", _CHOICES[mode])
    thinking = _snake(object_if(fields.get("thinking_config")))
    if thinking:
        levels = ("thinking_level", "thinking_budget")
        parameters.take_effort(effort_of_gemini(thinking), "thinking_config", thinking, *levels)
    schema = fields.get("response_json_schema") or fields.get("response_schema")
    if fields.get("response_mime_type") == "application/json":
        _read_format(schema or {"type": "json_object"}, "response_mime_type", parameters)
        parameters.known.setdefault("response_format", set()).update(
            {"response_json_schema", "response_schema"}
        )


def _read_bedrock(fields: Json, parameters: Parameters) -> None:
    _read_plain(fields, parameters)
    config = object_if(fields.get("tool_config"))
    choice = object_if(config.get("toolChoice"))
    marks = {next(iter(object_if(tool)), "") for tool in list_if(config.get("tools"))}
    marks -= {"toolSpec", "systemTool", ""}
    parameters.rest = [*parameters.rest, *(f"toolConfig.tools.{mark}" for mark in sorted(marks))]
    kind = next(iter(choice), "")
    parameters.known["tool_choice"] = {"tool_config"}  # the tools in it are context
    if kind == "tool":
        parameters.take("tool", "tool_config", str(object_if(choice[kind]).get("name")))
    elif kind in _CHOICES:
        parameters.take("tool_choice", "tool_config", _CHOICES[kind])
    elif kind:
        parameters.rest = [*parameters.rest, "toolConfig.toolChoice"]


def _read_vercel(fields: Json, parameters: Parameters) -> None:
    _read_plain(fields, parameters)
    choice = fields.get("tool_choice")
    if isinstance(choice, str) and choice in _CHOICES:
        parameters.take("tool_choice", "tool_choice", choice)
    elif object_if(choice).get("type") == "tool":
        parameters.take("tool", "tool_choice", str(object_if(choice).get("toolName")))


def _write_openai(parameters: Parameters, made: Json, model: str) -> set[str]:
    """What Chat and Responses call alike."""
    keys = [key for key in parameters.plain if key != "top_k"]
    if reasons(model):
        keys = [key for key in keys if key not in _SAMPLING]
    made.update({key: parameters.plain[key] for key in keys})
    if parameters.stream is not None:
        made["stream"] = parameters.stream
    if parameters.user:
        made["user"] = parameters.user
    if parameters.parallel is not None:
        made["parallel_tool_calls"] = parameters.parallel
    if parameters.tool_choice:
        made["tool_choice"] = parameters.tool_choice
    done = {"stream", "user", "parallel", "tool_choice", "tool", "response_format", "max_tokens"}
    return done | set(keys)


def _write_chat(parameters: Parameters, made: Json, model: str) -> set[str]:
    done = _write_openai(parameters, made, model)
    if parameters.stop:
        made["stop"] = parameters.stop
    if parameters.tool:
        made["tool_choice"] = {"type": "function", "function": {"name": parameters.tool}}
    if parameters.max_tokens is not None:
        made["max_completion_tokens"] = parameters.max_tokens
    if reasons(model) and (effort := effort_for_openai(parameters.effort, model)):
        made["reasoning_effort"] = effort
        done.add("effort")
    return {*done, "stop"}


def _write_responses(parameters: Parameters, made: Json, model: str) -> set[str]:
    done = _write_openai(parameters, made, model) - {
        "seed",
        "presence_penalty",
        "frequency_penalty",
    }
    for key in ("seed", "presence_penalty", "frequency_penalty"):
        made.pop(key, None)
    if parameters.tool:
        made["tool_choice"] = {"type": "function", "name": parameters.tool}
    if parameters.max_tokens is not None:
        made["max_output_tokens"] = parameters.max_tokens
    if reasons(model) and (effort := effort_for_openai(parameters.effort, model)):
        made["reasoning"] = {"effort": effort}
        done.add("effort")
    return done


def _write_claude(parameters: Parameters, made: Json, model: str) -> set[str]:
    done = {"stream", "stop", "user", "max_tokens", "tool_choice", "tool", "parallel"}
    profile = reasoning_profile(model)
    if parameters.max_tokens is not None:
        made["max_tokens"] = parameters.max_tokens
    forced = bool(parameters.tool) or parameters.tool_choice == "required"
    room = parameters.max_tokens or parameters.room
    thinking = effort_for_claude(parameters.effort, model, room, forced=forced)
    made.update(thinking)
    if thinking:
        done.add("effort")
    if profile == "strip-old" and "budget_tokens" not in object_if(thinking.get("thinking")):
        # newer ones refuse them, and so do all that think
        made.update({key: parameters.plain[key] for key in _SAMPLING if key in parameters.plain})
        done.update(_SAMPLING)
    if parameters.stream is not None:
        made["stream"] = parameters.stream
    if parameters.stop:
        made["stop_sequences"] = parameters.stop
    if parameters.user:
        made["metadata"] = {"user_id": parameters.user}
    choice: Json = {}
    if parameters.tool:
        choice = {"type": "tool", "name": parameters.tool}
    elif parameters.tool_choice:
        choice = {"type": "any" if parameters.tool_choice == "required" else parameters.tool_choice}
    if parameters.parallel is False and choice.get("type") != "none":
        choice = {"type": "auto", **choice, "disable_parallel_tool_use": True}
    if choice:
        made["tool_choice"] = choice
    if parameters.response_format is not None and parameters.response_format.schema:
        done.add("response_format")
    return done


def _write_gemini(parameters: Parameters, made: Json, model: str) -> set[str]:
    done = {"stop", "max_tokens", "tool_choice", "tool", "response_format", *parameters.plain}
    config: Json = dict(parameters.plain)
    if parameters.max_tokens is not None:
        config["max_output_tokens"] = parameters.max_tokens
    if parameters.stop:
        config["stop_sequences"] = parameters.stop
    calling: Json = {}
    if parameters.tool:
        calling = {"mode": "ANY", "allowed_function_names": [parameters.tool]}
    elif parameters.tool_choice:
        calling = {
            "mode": {"required": "ANY"}.get(parameters.tool_choice, parameters.tool_choice.upper())
        }
    if calling:
        config["tool_config"] = {"function_calling_config": calling}
    if thinking := effort_for_gemini(parameters.effort, model):
        config["thinking_config"] = thinking
        done.add("effort")
    if config:
        made["config"] = config
    return done


READERS: dict[str, Callable[[Json, Parameters], None]] = {
    "openai-chat": _read_openai,
    "openai-responses": _read_openai,
    "anthropic": _read_claude,
    "gemini": _read_gemini,
    "bedrock": _read_bedrock,
    "vercel-ai-model": _read_vercel,
}
"""By the format of a body."""
_WRITERS: dict[str, Callable[[Parameters, Json, str], set[str]]] = {
    "openai-chat": _write_chat,
    "openai-responses": _write_responses,
    "anthropic": _write_claude,
    "gemini": _write_gemini,
}
