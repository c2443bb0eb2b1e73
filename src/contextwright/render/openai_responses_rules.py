"""The rules of OpenAI Responses, a function a rule (U rules: all providers; OR: this one)."""

import re
from typing import Any

from contextwright.formats.fields import Json, list_if, object_if
from contextwright.render.shared_rules import (
    Broken,
    Rule,
    is_object,
    numbered,
    parts_of,
    text_in,
    text_is_encodable,
    tools_are_named_once,
)

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_REASONING_ID = re.compile(r"rs_[A-Za-z0-9_-]{1,61}")
_PLAIN = re.compile(r"(?:ft:)?(?:gpt-3|gpt-4|chatgpt-4|gpt-5(?:\.\d+)?-chat)")
_USER_PARTS = {"input_text", "input_image", "input_file"}
_SAID_PARTS = {"output_text", "refusal"}
_PAIRED = ("function_call", "function_call_output")


def reasons(model: str) -> bool:
    """Whether a model reasons: all do but the families known not to."""
    return _PLAIN.match(model.rpartition("/")[2]) is None


def _kind(item: Json) -> Any:
    """The type of an item; a message may leave it out."""
    return item.get("type", "message")


def _tools(request: Any) -> list[Any] | None:
    """OpenAI Agents sends an empty list for an agent without tools, and the provider takes it."""
    tools = request.get("tools")
    return list_if(tools) if tools is not None and tools != [] else None


def something_is_sent(request: Any) -> Broken:
    """U2: there is an item that is not the system's, and no message is empty."""
    text = request.get("input")
    if isinstance(text, str) and text:
        return
    if all(item.get("role") == "system" for _, item in numbered(request, "input")):
        yield "input", "no message but the system's"
    for where, item in numbered(request, "input"):
        if _kind(item) == "message" and not item.get("content"):
            yield where, "empty content"


def messages_are_typed(request: Any) -> Broken:
    """OR1: users' parts are input_text, input_image or input_file; an assistant's are said."""
    for where, item in numbered(request, "input"):
        if _kind(item) != "message":
            continue
        role = text_in(item, "role")
        if role not in {"user", "system", "developer", "assistant"}:
            yield where, f"the role {role!r}"
        if isinstance(item.get("content"), str):
            continue
        known = _SAID_PARTS if role == "assistant" else _USER_PARTS
        if any(text_in(part, "type") not in known for part in parts_of(item)):
            yield where, f"a part that no message of the role {role!r} can have"


def calls_meet_outputs(request: Any) -> Broken:
    """U3, OR2 to OR4: each call has one output behind it, each output its call before it."""
    called: set[str] = set()
    answered: set[str] = set()
    for where, item in numbered(request, "input"):
        id = text_in(item, "call_id")
        if _kind(item) == "function_call":
            if id in called or not 1 <= len(id) <= 64:
                yield where, f"the call id {id!r}"
            called.add(id)
        elif _kind(item) == "function_call_output":
            if id not in called or id in answered:
                yield where, f"an output for {id!r}, which nobody waits for"
            answered.add(id)
    if called - answered:
        yield "input", f"the calls {sorted(called - answered)} have no output"


def ids_of(item: Any) -> list[tuple[str, str]]:
    """The ids of an item that no other one may have (U3, OR4)."""
    item = object_if(item)
    kind, own = _kind(item), item.get("id")
    ids = [(str(kind), text_in(item, "call_id"))] if kind in _PAIRED else []
    if own is not None and kind != "item_reference":
        ids.append(("item", str(own)))
    return ids


def arguments_are_objects(request: Any) -> Broken:
    """U4: arguments are a string that holds a JSON object, names are valid."""
    for where, item in numbered(request, "input"):
        if _kind(item) != "function_call":
            continue
        if not is_object(text_in(item, "arguments")) or not _NAME.fullmatch(text_in(item, "name")):
            yield where, "arguments that are not a JSON object, or a bad name"


def reasoning_is_followed(request: Any) -> Broken:
    """OR5, OR6: reasoning is encrypted and stands before what it produced."""
    items = [item for _, item in numbered(request, "input")]
    for place, item in enumerate(items):
        if _kind(item) != "reasoning":
            continue
        after = next((each for each in items[place:] if _kind(each) != "reasoning"), None)
        # calls of tools that run at the provider are items without a role
        produced = (
            after is not None
            and after.get("role", "assistant") == "assistant"
            and not str(_kind(after)).endswith("_output")
        )
        if not produced or not item.get("encrypted_content"):
            yield f"input[{place}]", "reasoning without what it produced, or not encrypted"


def item_ids_are_unique(request: Any) -> Broken:
    """OR4: an item's id occurs once; that of reasoning has its prefix."""
    seen: set[str] = set()
    for where, item in numbered(request, "input"):
        id = item.get("id")
        if id is None or _kind(item) == "item_reference":
            continue
        form = _REASONING_ID.fullmatch(str(id)) or _kind(item) != "reasoning"
        if str(id) in seen or not form:
            yield where, f"the item id {id!r}"
        seen.add(str(id))


def reasoning_is_read(request: Any) -> Broken:
    """OR7: a model that does not reason gets no reasoning."""
    for where, item in numbered(request, "input"):
        if _kind(item) == "reasoning" and not reasons(text_in(request, "model")):
            yield where, f"reasoning for {request.get('model')}, which takes none"


RULES: dict[str, Rule] = {
    "U1": text_is_encodable,
    "U2": something_is_sent,
    "U4": arguments_are_objects,
    "OR1": messages_are_typed,
    "OR2": calls_meet_outputs,
    "OR4": item_ids_are_unique,
    "OR5": reasoning_is_followed,
    "OR7": reasoning_is_read,
    "U8": tools_are_named_once(_tools, _NAME.pattern),
}
