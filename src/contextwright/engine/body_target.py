"""What a provider's body says of its receiver: the model, the form of the request, the room for the
answer. What the call says wins."""

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from contextwright.engine.door import target_of
from contextwright.engine.own_receiver import request_format
from contextwright.formats.fields import object_if
from contextwright.formats.part_places import FORMS
from contextwright.formats.request_body import RequestBody, body_of_session
from contextwright.render.target import DEFAULT_RESERVE, Target, expect_tokens, read_tools
from contextwright.session.event import Tool
from contextwright.session.snapshot import Snapshot

_ROOM = (
    "max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "maxTokens",
)  # fmt: skip
"""Where a body says how long the answer may be."""
_CONFIGS = ("config", "generationConfig", "generation_config", "inferenceConfig")
"""Where Gemini's bodies say so, and Bedrock's."""


def target_of_call(
    source: object,
    snapshot: Snapshot | None,
    model: str | None,
    explicit: Target | None,
    options: Mapping[str, Any],
) -> Target:
    """The target of `compile`; what neither target nor options say is as a provider's body has
    it.

    Args:
        source: what the caller gave. snapshot: what it was read as, if it was.
    """
    if explicit is not None:
        return target_of(model, explicit, options, "compile(...)")
    body = request_of(snapshot) if snapshot is not None else None
    fields: Mapping[str, Any] = body.fields if body is not None else {}
    if body is None and isinstance(source, Mapping):
        fields = cast("Mapping[str, Any]", source)
    named = _text(body.model) if body is not None else _named_model(fields)
    whom = model or named
    choices: dict[str, Any] = {**_answer_room(fields), **options}
    if snapshot is not None and whom and isinstance(whom, str):
        choices = {"format": request_format(snapshot, whom), **choices}
    made = target_of(whom, None, choices, "compile(...)")
    if "reserved_output" in options:
        return made
    return msgspec.structs.replace(made, overrides=made.overrides - {"reserved_output"})


def target_for_call(
    target: Target,
    reserved_system: int | None,
    tools: tuple[Tool, ...] | None,
    *,
    counted: bool = False,
) -> Target:
    """The target of an engine, for one call.

    Args:
        reserved_system: tokens of what the caller adds itself this time.
        tools: what may be called this time.
        counted: whether these tokens count within a limit that the spec names.

    Raises:
        ModelError: no number of tokens, or no tools.
    """
    if reserved_system is not None:
        expect_tokens("reserved_system", reserved_system)
        overrides = target.overrides | {"reserved_system"} if counted else target.overrides
        target = msgspec.structs.replace(
            target, reserved_system=reserved_system, overrides=overrides
        )
    return target if tools is None else msgspec.structs.replace(target, tools=read_tools(tools))


def request_of(snapshot: Snapshot) -> RequestBody | None:
    """The request that a session was read from; None where it was none."""
    for format in FORMS:
        body = body_of_session(format, snapshot.metadata, snapshot.tools)
        if body is not None and body.is_request:
            return body
    return None


def _named_model(fields: Mapping[str, Any]) -> str | None:
    """The model that a body names, Bedrock's as `modelId`."""
    return _text(fields.get("model")) or _text(fields.get("modelId"))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _answer_room(body: Mapping[str, Any]) -> dict[str, Any]:
    """The room that a provider's body leaves for its answer: what it says itself, and more than
    its thinking may take (Anthropic: `budget_tokens` is below `max_tokens`)."""
    places = [body, *(object_if(body.get(key)) for key in _CONFIGS)]
    limits = (place[key] for place in places for key in _ROOM if type(place.get(key)) is int)
    room = next(limits, 0)
    budget = object_if(body.get("thinking")).get("budget_tokens", 0)
    if type(budget) is int and budget >= max(room, 1):
        room = budget + DEFAULT_RESERVE
    return {"reserved_output": room} if room > 0 else {}
