"""The rules of Gemini, a function a rule (U rules: all providers; GE: this one)."""

import re
from collections.abc import Iterator
from typing import Any

from contextwright.formats.fields import Json, object_if
from contextwright.render.gemini_body import config_of, declarations, either, spellings
from contextwright.render.shared_rules import (
    Broken,
    Rule,
    parts_of,
    text_in,
    text_is_encodable,
    tools_are_named_once,
    turns_alternate,
)

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
_DATA = {"text"}.union(
    *map(spellings, ("inline_data", "file_data", "function_call", "function_response"))
)
_OTHER_FIELDS = {"thought"}.union(
    *map(spellings, ("thought_signature", "video_metadata", "media_resolution", "part_metadata"))
)


def _declarations(request: Any) -> list[Any] | None:
    groups = config_of(request).get("tools")
    return declarations(groups) if groups else None


def _contents(request: Any, key: str = "contents") -> Iterator[tuple[str, Json]]:
    """The contents, each with its place: a caller may have written one alone, a text, or a part."""
    value = request.get(key)
    for place, item in enumerate(value if isinstance(value, list) else [value] if value else []):  # pyright: ignore
        content = {"text": item} if isinstance(item, str) else object_if(item)
        yield f"{key}[{place}]", content if "parts" in content else {"parts": [content]}


def _parts(content: Json) -> list[Json]:
    return parts_of(content, "parts")


def _of(content: Json, kind: str) -> list[Json]:
    """The objects of a kind in the parts, under its name in snake_case or camelCase."""
    values = (part.get(name) for part in _parts(content) for name in spellings(kind))
    return [each for each in values if isinstance(each, dict)]


def calls_are_answered_next(request: Any) -> Broken:
    """GE2 to GE5: one content answers all calls of the one before it, in their order. Ids may be
    left out: then names and order tell."""
    waiting: list[Any] = []
    for where, content in _contents(request):
        responses = _of(content, "function_response")
        if len(responses) != len(waiting) or not all(map(_answers, responses, waiting)):
            yield where, f"responses {_labels(responses)} for the calls {_labels(waiting)}"
        waiting = _of(content, "function_call")
    if waiting:
        yield "contents", f"the calls {_labels(waiting)} are not answered"


def _answers(response: Any, call: Any) -> bool:
    ids = {str(each["id"]) for each in (response, call) if each.get("id") is not None}
    return len(ids) < 2 and response.get("name") == call.get("name")


def _labels(parts: list[Any]) -> list[tuple[Any, Any]]:
    return [(each.get("id"), each.get("name")) for each in parts]


_SIGNATURES = {"thought_signature", "thoughtSignature"}
"""What a part without a text may hold: it has to come back as it is."""


def parts_hold_one_thing(request: Any) -> Broken:
    """GE7: a part has exactly one data field, and says something."""
    for where, content in _contents(request):
        if not content["parts"]:
            yield where, "no parts"
        for part in _parts(content):
            fields = {key for key in part.keys() - _OTHER_FIELDS if part[key] is not None}
            known = fields.intersection(_DATA)
            # data of a kind that came after this was written is data
            is_empty = part.get("text") == "" and not _SIGNATURES & part.keys()
            if len(known) > 1 or not fields or is_empty:
                yield where, f"a part with {sorted(part)}"


def responses_are_objects(request: Any) -> Broken:
    """GE8: responses are objects, names are valid."""
    for where, content in _contents(request):
        for each in _of(content, "function_response"):
            if not isinstance(each.get("response"), dict):
                yield where, "a response that is not an object"
        for each in (*_of(content, "function_call"), *_of(content, "function_response")):
            if not _NAME.fullmatch(text_in(each, "name")):
                yield where, f"the function name {each.get('name')!r}"


def current_calls_are_signed(request: Any) -> Broken:
    """GE6: Gemini 3 wants the first call of each content of the current turn signed."""
    if not text_in(request, "model").rpartition("/")[2].startswith("gemini-3"):
        return
    current: list[tuple[str, Any]] = []
    for where, content in _contents(request):
        only_responses = len(_of(content, "function_response")) == len(_parts(content))
        current = [] if content.get("role", "user") == "user" and not only_responses else current
        current.append((where, content))
    for where, content in current:
        calls = [part for part in _parts(content) if either(part, "function_call")]
        if calls and not any(calls[0].get(key) for key in spellings("thought_signature")):
            yield where, "an unsigned call in the current turn"


RULES: dict[str, Rule] = {
    "U1": text_is_encodable,
    "GE1": turns_alternate("contents", "model", _contents),
    "GE2": calls_are_answered_next,
    "GE6": current_calls_are_signed,
    "GE7": parts_hold_one_thing,
    "GE8": responses_are_objects,
    "U8": tools_are_named_once(_declarations, _NAME.pattern, "config.tools"),
}
