"""The rules of Gemini, a function a rule (U rules: all providers; GE: this one)."""

import re
from typing import Any

from contextwright.render.shared_rules import (
    Broken,
    Rule,
    numbered,
    text_is_encodable,
    tools_are_named_once,
    turns_alternate,
)

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
_DATA = ("text", "inline_data", "file_data", "function_call", "function_response")


def _declarations(request: Any) -> list[Any] | None:
    groups = request.get("config", {}).get("tools", ())
    return [tool for group in groups for tool in group["function_declarations"]] if groups else None


def _of(content: Any, kind: str) -> list[Any]:
    return [part[kind] for part in content["parts"] if kind in part]


def calls_are_answered_next(request: Any) -> Broken:
    """GE2 to GE5: one content answers all calls of the one before it, in their order. Ids may be
    left out: then names and order tell."""
    waiting: list[Any] = []
    for where, content in numbered(request, "contents"):
        responses = _of(content, "function_response")
        if len(responses) != len(waiting) or not all(map(_answers, responses, waiting)):
            yield where, f"responses {_labels(responses)} for the calls {_labels(waiting)}"
        waiting = _of(content, "function_call")
    if waiting:
        yield "contents", f"the calls {_labels(waiting)} are not answered"


def _answers(response: Any, call: Any) -> bool:
    ids = {each.get("id") for each in (response, call)} - {None}
    return len(ids) < 2 and response.get("name") == call.get("name")


def _labels(parts: list[Any]) -> list[tuple[Any, Any]]:
    return [(each.get("id"), each.get("name")) for each in parts]


def parts_hold_one_thing(request: Any) -> Broken:
    """GE7: a part has exactly one data field, and says something."""
    for where, content in numbered(request, "contents"):
        if not content["parts"]:
            yield where, "no parts"
        for part in content["parts"]:
            if sum(key in part for key in _DATA) != 1 or part.get("text") == "":
                yield where, f"a part with {sorted(part)}"


def responses_are_objects(request: Any) -> Broken:
    """GE8: responses are objects, names are valid."""
    for where, content in numbered(request, "contents"):
        for each in _of(content, "function_response"):
            if not isinstance(each.get("response"), dict):
                yield where, "a response that is not an object"
        for each in (*_of(content, "function_call"), *_of(content, "function_response")):
            if not _NAME.fullmatch(each.get("name", "")):
                yield where, f"the function name {each.get('name')!r}"


def current_calls_are_signed(request: Any) -> Broken:
    """GE6: Gemini 3 wants the first call of each content of the current turn signed."""
    if not request.get("model", "").rpartition("/")[2].startswith("gemini-3"):
        return
    current: list[tuple[str, Any]] = []
    for where, content in numbered(request, "contents"):
        only_responses = len(_of(content, "function_response")) == len(content["parts"])
        current = [] if content["role"] == "user" and not only_responses else current
        current.append((where, content))
    for where, content in current:
        calls = [part for part in content["parts"] if "function_call" in part]
        if calls and not calls[0].get("thought_signature"):
            yield where, "an unsigned call in the current turn"


RULES: dict[str, Rule] = {
    "U1": text_is_encodable,
    "GE1": turns_alternate("contents", "model"),
    "GE2": calls_are_answered_next,
    "GE6": current_calls_are_signed,
    "GE7": parts_hold_one_thing,
    "GE8": responses_are_objects,
    "U8": tools_are_named_once(_declarations, _NAME.pattern, "config.tools"),
}
