"""Rules that all providers have (U rules), and the walks that their own rules share."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from contextwright.render.wire import encodable, parse_json

Broken = Iterator[tuple[str, str]]
"""The places where a rule is broken, and what is wrong there."""
Rule = Callable[[Any], Broken]
"""A rule of a provider: a request to the places where it is broken."""


def text_is_encodable(request: Any) -> Broken:
    """U1: every string is strict UTF-8."""
    try:
        msgspec.json.encode(request)
    except UnicodeEncodeError:
        yield from encodable(request)


def numbered(request: Any, key: str) -> Iterator[tuple[str, Any]]:
    """The items of a list in the request, each with its place."""
    for place, item in enumerate(request[key]):
        yield f"{key}[{place}]", item


def turns_alternate(key: str, assistant: str) -> Rule:
    """The rule that user and assistant take turns, a user first and last.

    Args:
        key: where the request holds its messages.
        assistant: the assistant's role.
    """

    def rule(request: Any) -> Broken:
        expected = "user"
        for where, message in numbered(request, key):
            if message["role"] != expected:
                yield where, f"the role {message['role']!r} where {expected!r} is due"
            expected = assistant if message["role"] == "user" else "user"
        if expected == "user" or not request[key]:
            yield key, "the last message is not the user's"

    return rule


def tools_are_named_once(
    tools_of: Callable[[Any], list[Any] | None], pattern: str, where: str = "tools"
) -> Rule:
    """U8: tools are absent or a list of different, valid names.

    Args:
        tools_of: the parts of a request that hold the names, or None where it has no tools.
        pattern: a valid name.
        where: the place of the tools in the request.
    """
    valid = re.compile(pattern)

    def rule(request: Any) -> Broken:
        tools = tools_of(request)
        if tools is None:
            return
        # a hosted tool may have a type and no name
        names = {place: tool["name"] for place, tool in enumerate(tools) if "name" in tool}
        if not tools or len(names) != len(set(names.values())):
            yield where, "no tools, or two of one name"
        for place, name in names.items():
            if not valid.fullmatch(name):
                yield f"{where}[{place}]", f"the tool name {name!r}"

    return rule


def is_object(text: str) -> bool:
    """Whether a text is a JSON object."""
    try:
        return isinstance(parse_json(text), dict)
    except (ValueError, RecursionError):
        return False
