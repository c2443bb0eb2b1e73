"""The rules of OpenAI Responses, a function a rule (U rules: all providers; OR: this one)."""

import re
from typing import Any

from contextwright.render.shared_rules import (
    Broken,
    Rule,
    is_object,
    numbered,
    text_is_encodable,
    tools_are_named_once,
)

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_REASONING_ID = re.compile(r"rs_[A-Za-z0-9_-]{1,61}")
_PLAIN = re.compile(r"(?:ft:)?(?:gpt-3|gpt-4|chatgpt-4|gpt-5(?:\.\d+)?-chat)")
_USER_PARTS = {"input_text", "input_image", "input_file"}


def reasons(model: str) -> bool:
    """Whether a model reasons: all do but the families known not to."""
    return _PLAIN.match(model.rpartition("/")[2]) is None


def something_is_sent(request: Any) -> Broken:
    """U2: there is an item that is not the system's, and no message is empty."""
    if all(item.get("role") == "system" for item in request["input"]):
        yield "input", "no message but the system's"
    for where, item in numbered(request, "input"):
        if item["type"] == "message" and not item["content"]:
            yield where, "empty content"


def messages_are_typed(request: Any) -> Broken:
    """OR1: users' parts are input_text, input_image or input_file; an assistant's is text."""
    for where, item in numbered(request, "input"):
        if item["type"] != "message":
            continue
        if item["role"] not in {"user", "system", "developer", "assistant"}:
            yield where, f"the role {item['role']!r}"
        if item["role"] == "assistant":
            if not isinstance(item["content"], str):
                yield where, "an assistant's content that is not text"
        elif any(part["type"] not in _USER_PARTS for part in item["content"]):
            yield where, "a part that an input can not have"


def calls_meet_outputs(request: Any) -> Broken:
    """U3, OR2 to OR4: each call has one output behind it, each output its call before it."""
    called: set[str] = set()
    answered: set[str] = set()
    for where, item in numbered(request, "input"):
        if item["type"] == "function_call":
            if item["call_id"] in called or not 1 <= len(item["call_id"]) <= 64:
                yield where, f"the call id {item['call_id']!r}"
            called.add(item["call_id"])
        elif item["type"] == "function_call_output":
            if item["call_id"] not in called or item["call_id"] in answered:
                yield where, f"an output for {item['call_id']!r}, which nobody waits for"
            answered.add(item["call_id"])
    if called - answered:
        yield "input", f"the calls {sorted(called - answered)} have no output"


def arguments_are_objects(request: Any) -> Broken:
    """U4: arguments are a string that holds a JSON object, names are valid."""
    for where, item in numbered(request, "input"):
        if item["type"] != "function_call":
            continue
        if not is_object(item["arguments"]) or not _NAME.fullmatch(item["name"]):
            yield where, "arguments that are not a JSON object, or a bad name"


def reasoning_is_followed(request: Any) -> Broken:
    """OR5, OR6: reasoning is encrypted and stands before what it produced."""
    items = request["input"]
    for place, item in enumerate(items):
        if item["type"] != "reasoning":
            continue
        after = next((each for each in items[place:] if each["type"] != "reasoning"), None)
        produced = after is not None and (
            after["type"] == "function_call" or after.get("role") == "assistant"
        )
        if not produced or not item.get("encrypted_content"):
            yield f"input[{place}]", "reasoning without what it produced, or not encrypted"


def item_ids_are_unique(request: Any) -> Broken:
    """OR4: an item's id has the prefix of reasoning, and occurs once."""
    seen: set[str] = set()
    for where, item in numbered(request, "input"):
        if "id" in item:
            if item["id"] in seen or not _REASONING_ID.fullmatch(item["id"]):
                yield where, f"the item id {item['id']!r}"
            seen.add(item["id"])


def reasoning_is_read(request: Any) -> Broken:
    """OR7: a model that does not reason gets no reasoning."""
    for where, item in numbered(request, "input"):
        if item["type"] == "reasoning" and not reasons(request["model"]):
            yield where, f"reasoning for {request['model']}, which takes none"


RULES: dict[str, Rule] = {
    "U1": text_is_encodable,
    "U2": something_is_sent,
    "U4": arguments_are_objects,
    "OR1": messages_are_typed,
    "OR2": calls_meet_outputs,
    "OR4": item_ids_are_unique,
    "OR5": reasoning_is_followed,
    "OR7": reasoning_is_read,
    "U8": tools_are_named_once(lambda request: request.get("tools"), _NAME.pattern),
}
