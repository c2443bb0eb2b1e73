"""What Gemini accepts, a function a rule (U rules: all providers; GE: this one)."""

import re
from collections.abc import Iterator
from typing import Any

from contextwright.render.renderer import Rule
from contextwright.render.wire import encodable

Found = Iterator[tuple[str, str]]
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
_DATA = ("text", "inline_data", "file_data", "function_call", "function_response")


def _contents(request: Any) -> Iterator[tuple[str, Any]]:
    for place, content in enumerate(request["contents"]):
        yield f"contents[{place}]", content


def _of(content: Any, kind: str) -> list[Any]:
    return [part[kind] for part in content["parts"] if kind in part]


def text_is_encodable(request: Any) -> Found:
    """U1: every string is strict UTF-8."""
    yield from encodable(request)


def turns_alternate(request: Any) -> Found:
    """GE1: user and model in turn, a user first and last."""
    expected = "user"
    for where, content in _contents(request):
        if content["role"] != expected:
            yield where, f"the role {content['role']!r} where {expected!r} is due"
        expected = "model" if content["role"] == "user" else "user"
    if expected == "user" or not request["contents"]:
        yield "contents", "the last content is not the user's"


def calls_are_answered_next(request: Any) -> Found:
    """GE2 to GE5: one content answers all calls of the one before it, in their order."""
    waiting: list[tuple[str, str]] = []
    for where, content in _contents(request):
        found = [(each["id"], each["name"]) for each in _of(content, "function_response")]
        if found != waiting:
            yield where, f"responses {found} for the calls {waiting}"
        waiting = [(each["id"], each["name"]) for each in _of(content, "function_call")]
    if waiting:
        yield "contents", f"the calls {waiting} are not answered"


def parts_hold_one_thing(request: Any) -> Found:
    """GE7: a part has exactly one data field, and says something."""
    for where, content in _contents(request):
        if not content["parts"]:
            yield where, "no parts"
        for part in content["parts"]:
            if sum(key in part for key in _DATA) != 1 or part.get("text") == "":
                yield where, f"a part with {sorted(part)}"


def responses_are_objects(request: Any) -> Found:
    """GE8: responses are objects, names are valid."""
    for where, content in _contents(request):
        for each in _of(content, "function_response"):
            if not isinstance(each["response"], dict):
                yield where, "a response that is not an object"
        for each in (*_of(content, "function_call"), *_of(content, "function_response")):
            if not _NAME.fullmatch(each["name"]):
                yield where, f"the function name {each['name']!r}"


def current_calls_are_signed(request: Any) -> Found:
    """GE6: Gemini 3 wants the first call of each content of the current turn signed."""
    if not request["model"].rpartition("/")[2].startswith("gemini-3"):
        return
    current: list[tuple[str, Any]] = []
    for where, content in _contents(request):
        only_responses = len(_of(content, "function_response")) == len(content["parts"])
        current = [] if content["role"] == "user" and not only_responses else current
        current.append((where, content))
    for where, content in current:
        calls = [part for part in content["parts"] if "function_call" in part]
        if calls and not calls[0].get("thought_signature"):
            yield where, "an unsigned call in the current turn"


def tools_are_named_once(request: Any) -> Found:
    """U8: tools are absent or a list of different, valid names."""
    for group in request["config"].get("tools", ()):
        names = [tool["name"] for tool in group["function_declarations"]]
        if not names or len(names) != len(set(names)):
            yield "config.tools", "no tools, or two of one name"
        for name in names:
            if not _NAME.fullmatch(name):
                yield "config.tools", f"the tool name {name!r}"


RULES: dict[str, Rule] = {
    "U1": text_is_encodable,
    "GE1": turns_alternate,
    "GE2": calls_are_answered_next,
    "GE6": current_calls_are_signed,
    "GE7": parts_hold_one_thing,
    "GE8": responses_are_objects,
    "U8": tools_are_named_once,
}
