"""The rules of OpenAI Chat Completions. Those of a message alone are told in one look.

Numbers as in research on rejected requests: U rules hold for all providers, OC for this one.
"""

import re
from typing import Any

from contextwright.formats.fields import Json, list_if, object_if
from contextwright.render.shared_rules import (
    Broken,
    Faults,
    Rule,
    are_objects,
    is_object,
    numbered,
    objects,
    parts_of,
    rule_of_each,
    text_in,
    text_is_encodable,
    tools_are_named_once,
)

_NO_CALLS: list[Json] = []
_NOTHING = (None, "")
"""What a message beside calls may say."""
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
    return _listed(calls) if calls else _NO_CALLS


def _listed(calls: object) -> list[Json]:
    """The calls of a message that has some."""
    return calls if are_objects(calls) else objects(list_if(calls))


def something_is_sent(request: Any) -> Broken:
    """U2: there is a message that is not the system's."""
    for _, message in numbered(request, "messages"):
        if message.get("role") != "system":
            return
    yield "messages", "no message but the system's"


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
        calls = message.get("tool_calls")
        for call in _listed(calls) if calls else ():
            waiting.add(text_in(call, "id"))
    if waiting:
        yield "messages", f"the calls {sorted(waiting)} are not answered"


def faults_alone(message: Json) -> Faults:
    """What is wrong with a message, whatever stands beside it, in one look.

    OC1: its role is known. OC4: its content may be null only beside calls. U2: it says or calls
    something. OC7: pictures and files stand in user messages only. U4, OC5: arguments are a string
    that holds a JSON object; names and ids are short.
    """
    role, content, calls = message.get("role"), message.get("content"), message.get("tool_calls")
    if not isinstance(role, str) or role not in _ROLES:
        yield "OC1", f"the role {role!r}"
    if content is None:
        if not calls:
            yield "OC4", "neither content nor calls"
    elif content == [] or (content == "" and not calls):
        yield "U2", "empty content"  # beside calls an empty text is as good as none
    elif role != "user" and not isinstance(content, str):
        if any(part.get("type") != "text" for part in parts_of(message)):
            yield "OC7", f"a picture or a file in a message of role {role}"
    for call in _listed(calls) if calls else ():
        custom = call.get("type") == "custom"  # its input is any text
        function = object_if(call.get("custom" if custom else "function"))
        name, id = text_in(function, "name"), text_in(call, "id")
        if not custom and not is_object(text_in(function, "arguments")):
            yield "U4", "arguments that are not a JSON object"
        if not _NAME.fullmatch(name):
            yield "U4", f"the tool name {name!r}"
        if not 1 <= len(id) <= 40:
            yield "U4", f"a call id of {len(id)} characters"


def are_plain(messages: list[Json], *, alone: bool = True) -> bool:
    """Whether messages are of the forms that nearly all have, and surely keep the rules of a
    message alone, OC2 and U2.sent, told by one look at each. Of others the rules tell.

    Args:
        alone: whether rules of a message alone are asked for: what its calls say is read.
    """
    waiting: set[str] = set()
    speaks = False
    for message in messages:  # in one loop: a window that moves has all of a request looked at
        if type(message) is not dict:
            return False
        role, content, calls = message.get("role"), message.get("content"), None
        if role == "assistant":
            calls = message.get("tool_calls")
        elif type(role) is not str or role not in _ROLES or "tool_calls" in message:
            return False
        if role == "tool":
            id = message.get("tool_call_id")
            if type(id) is not str or id not in waiting:
                return False
            waiting.remove(id)
        elif waiting:
            return False
        if calls and not _are_plain_calls(calls, waiting, alone=alone):
            return False
        says = type(content) is str and bool(content)
        if not (says or (calls and content in _NOTHING)):
            return False
        speaks = speaks or role != "system"
    return speaks and not waiting


def _are_plain_calls(calls: Any, waiting: set[str], *, alone: bool) -> bool:
    """Whether they are calls of functions, none of which has another one's id: those of all that
    wait."""
    if type(calls) is not list:
        return False
    for call in calls:  # pyright: ignore[reportUnknownVariableType]
        id = call.get("id") if type(call) is dict else None  # pyright: ignore
        if type(id) is not str or id in waiting:  # pyright: ignore[reportUnknownArgumentType]
            return False
        waiting.add(id)
        if alone and not _is_plain_call(call, id):
            return False
    return True


def _is_plain_call(call: Json, id: str) -> bool:
    """Whether it is a function's."""
    function = call.get("function")
    if call.get("type") != "function" or type(function) is not dict:
        return False
    name, arguments = function.get("name"), function.get("arguments")
    return (
        1 <= len(id) <= 40
        and type(name) is str
        and type(arguments) is str
        and bool(_NAME.fullmatch(name))
        and is_object(arguments)
    )


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
    if not isinstance(message, dict):
        return []
    answers, calls = message.get("role") == "tool", message.get("tool_calls")
    ids = [("answer", text_in(message, "tool_call_id"))] if answers else []
    for call in _listed(calls) if calls else ():
        ids.append(("call", text_in(call, "id")))
    return ids


ALONE: dict[str, Rule] = {
    name: rule_of_each("messages", faults_alone, name) for name in ("U2", "U4", "OC1", "OC4", "OC7")
}
"""The rules that `faults_alone` tells of."""
PLAIN = frozenset({*ALONE, "OC2", "U2.sent"})
"""The rules that `are_plain` tells of."""
RULES: dict[str, Rule] = {
    "U1": text_is_encodable,
    "U2": ALONE["U2"],
    "U2.sent": something_is_sent,  # of the whole request: what is new may be the system's alone
    "U3": ids_are_unique,
    "U4": ALONE["U4"],
    "OC1": ALONE["OC1"],
    "OC2": calls_are_answered_next,
    "OC4": ALONE["OC4"],
    "OC6": tools_are_named_once(_functions, _NAME.pattern),
    "OC7": ALONE["OC7"],
}
