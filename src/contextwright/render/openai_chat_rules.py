"""The rules of OpenAI Chat Completions, a function a rule.

Numbers as in research on rejected requests: U rules hold for all providers, OC for this one.
"""

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

_ROLES = {"system", "developer", "user", "assistant", "tool"}
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _functions(request: Any) -> list[Any] | None:
    """The functions of the tools. OpenAI's own limit of 128 is not checked: what is compatible
    with it has others."""
    return [tool.get("function", {}) for tool in request["tools"]] if "tools" in request else None


def something_is_sent(request: Any) -> Broken:
    """U2: there is a message that is not the system's, and none is empty."""
    if all(message["role"] == "system" for message in request["messages"]):
        yield "messages", "no message but the system's"
    for where, message in numbered(request, "messages"):
        if message.get("content") in ("", []):
            yield where, "empty content"


def ids_are_unique(request: Any) -> Broken:
    """U3: an id is called once and answered once."""
    called: set[str] = set()
    answered: set[str] = set()
    for where, message in numbered(request, "messages"):
        for call in message.get("tool_calls", ()):
            if call["id"] in called:
                yield where, f"the id {call['id']!r} is called twice"
            called.add(call["id"])
        if message["role"] == "tool":
            if message["tool_call_id"] in answered:
                yield where, f"the id {message['tool_call_id']!r} is answered twice"
            answered.add(message["tool_call_id"])


def arguments_are_objects(request: Any) -> Broken:
    """U4, OC5: arguments are a string that holds a JSON object; names and ids are short."""
    for where, message in numbered(request, "messages"):
        for call in message.get("tool_calls", ()):
            if not is_object(call["function"]["arguments"]):
                yield where, "arguments that are not a JSON object"
            if not _NAME.fullmatch(call["function"]["name"]):
                yield where, f"the tool name {call['function']['name']!r}"
            if not 1 <= len(call["id"]) <= 40:
                yield where, f"a call id of {len(call['id'])} characters"


def roles_are_known(request: Any) -> Broken:
    """OC1: system, developer, user, assistant, tool."""
    for where, message in numbered(request, "messages"):
        if message["role"] not in _ROLES:
            yield where, f"the role {message['role']!r}"


def calls_are_answered_next(request: Any) -> Broken:
    """OC2, OC3: calls are followed by a tool message each and nothing else; no other tool
    message stands anywhere."""
    waiting: set[str] = set()
    for where, message in numbered(request, "messages"):
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                yield where, f"a result for {message['tool_call_id']!r}, which nobody waits for"
            waiting.discard(message["tool_call_id"])
            continue
        if waiting:
            yield where, f"the calls {sorted(waiting)} are not answered before it"
        waiting = {call["id"] for call in message.get("tool_calls", ())}
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
        if message["role"] != "user" and isinstance(message.get("content"), list):
            if any(part["type"] != "text" for part in message["content"]):
                yield where, f"a picture or a file in a message of role {message['role']}"


RULES: dict[str, Rule] = {
    "U1": text_is_encodable,
    "U2": something_is_sent,
    "U3": ids_are_unique,
    "U4": arguments_are_objects,
    "OC1": roles_are_known,
    "OC2": calls_are_answered_next,
    "OC4": only_calls_excuse_silence,
    "OC6": tools_are_named_once(_functions, _NAME.pattern),
    "OC7": pictures_are_the_users,
}
