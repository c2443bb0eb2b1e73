"""The rules of OpenAI Chat Completions, a function a rule.

Numbers as in research on rejected requests: U rules hold for all providers, OC for this one.
"""

import re
from typing import Any

from contextwright.formats.fields import Json, list_if, object_if
from contextwright.render.shared_rules import (
    Broken,
    Rule,
    is_object,
    numbered,
    objects,
    parts_of,
    text_in,
    text_is_encodable,
    tools_are_named_once,
)

_NO_CALLS: list[Json] = []
_ROLES = {"system", "developer", "user", "assistant", "tool"}
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _functions(request: Any) -> list[Any] | None:
    """The functions of the tools. OpenAI's own limit of 128 is not checked: what is compatible
    with it has others."""
    if request.get("tools") is None:
        return None
    return [object_if(object_if(tool).get("function")) for tool in list_if(request["tools"])]


def _calls(message: Json) -> list[Json]:
    calls = message.get("tool_calls")
    return objects(list_if(calls)) if calls else _NO_CALLS


def something_is_sent(request: Any) -> Broken:
    """U2: there is a message that is not the system's."""
    for _, message in numbered(request, "messages"):
        if message.get("role") != "system":
            return
    yield "messages", "no message but the system's"


def no_message_is_empty(request: Any) -> Broken:
    """U2: a message says or calls something."""
    for where, message in numbered(request, "messages"):
        content = message.get("content")
        # beside calls an empty text is as good as none
        if content == [] or (content == "" and not message.get("tool_calls")):
            yield where, "empty content"


def ids_are_unique(request: Any) -> Broken:
    """U3: an id is called once and answered once."""
    called: set[str] = set()
    answered: set[str] = set()
    for where, message in numbered(request, "messages"):
        for call in _calls(message):
            id = text_in(call, "id")
            if id in called:
                yield where, f"the id {id!r} is called twice"
            called.add(id)
        if message.get("role") == "tool":
            id = text_in(message, "tool_call_id")
            if id in answered:
                yield where, f"the id {id!r} is answered twice"
            answered.add(id)


def ids_of(message: Any) -> list[tuple[str, str]]:
    """The ids of a message that no other one may have (U3)."""
    message = object_if(message)
    if message.get("role") == "tool":
        ids = [("answer", text_in(message, "tool_call_id"))]
    else:
        ids = list[tuple[str, str]]()
    for call in _calls(message):
        ids.append(("call", text_in(call, "id")))
    return ids


def arguments_are_objects(request: Any) -> Broken:
    """U4, OC5: arguments are a string that holds a JSON object; names and ids are short."""
    for where, message in numbered(request, "messages"):
        for call in _calls(message):
            custom = call.get("type") == "custom"  # its input is any text
            function = object_if(call.get("custom" if custom else "function"))
            name, id = text_in(function, "name"), text_in(call, "id")
            if not custom and not is_object(text_in(function, "arguments")):
                yield where, "arguments that are not a JSON object"
            if not _NAME.fullmatch(name):
                yield where, f"the tool name {name!r}"
            if not 1 <= len(id) <= 40:
                yield where, f"a call id of {len(id)} characters"


def roles_are_known(request: Any) -> Broken:
    """OC1: system, developer, user, assistant, tool."""
    for where, message in numbered(request, "messages"):
        if text_in(message, "role") not in _ROLES:
            yield where, f"the role {message.get('role')!r}"


def calls_are_answered_next(request: Any) -> Broken:
    """OC2, OC3: calls are followed by a tool message each and nothing else; no other tool
    message stands anywhere."""
    waiting: set[str] = set()
    for where, message in numbered(request, "messages"):
        if message.get("role") == "tool":
            id = text_in(message, "tool_call_id")
            if id not in waiting:
                yield where, f"a result for {id!r}, which nobody waits for"
            waiting.discard(id)
            continue
        if waiting:
            yield where, f"the calls {sorted(waiting)} are not answered before it"
            waiting = set()
        if message.get("tool_calls"):
            waiting = {text_in(call, "id") for call in _calls(message)}
    if waiting:
        yield "messages", f"the calls {sorted(waiting)} are not answered"


def only_calls_excuse_silence(request: Any) -> Broken:
    """OC4: content may be null only beside calls."""
    for where, message in numbered(request, "messages"):
        if message.get("content") is None and not message.get("tool_calls"):
            yield where, "neither content nor calls"


def pictures_are_the_users(request: Any) -> Broken:
    """OC7: pictures and files stand in user messages only."""
    for where, message in numbered(request, "messages"):
        role, content = message.get("role"), message.get("content")
        if role == "user" or content is None or isinstance(content, str):
            continue
        if any(part.get("type") != "text" for part in parts_of(message)):
            yield where, f"a picture or a file in a message of role {role}"


RULES: dict[str, Rule] = {
    "U1": text_is_encodable,
    "U2": no_message_is_empty,
    "U2.sent": something_is_sent,  # of the whole request: what is new may be the system's alone
    "U3": ids_are_unique,
    "U4": arguments_are_objects,
    "OC1": roles_are_known,
    "OC2": calls_are_answered_next,
    "OC4": only_calls_excuse_silence,
    "OC6": tools_are_named_once(_functions, _NAME.pattern),
    "OC7": pictures_are_the_users,
}
