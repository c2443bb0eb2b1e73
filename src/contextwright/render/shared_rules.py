"""Rules that all providers have (U rules), and the walks that their own rules share."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeGuard

import msgspec

from contextwright.formats.fields import Json, list_if, object_if
from contextwright.render.wire import encodable, parse_json

Broken = Iterator[tuple[str, str]]
"""The places where a rule is broken, and what is wrong there."""
Rule = Callable[[Any], Broken]
"""A rule of a provider: a request to the places where it is broken."""
Faults = Iterator[tuple[str, str]]
"""The rules that a message breaks, each with what is wrong."""


class Violation(msgspec.Struct, frozen=True):
    """A rule of the provider that a request breaks.

    Args:
        rule: the rule's name, such as `AN2`.
        where: place in the request, such as `messages[3].content[0]`.
        what: what is wrong, in a sentence.
    """

    rule: str
    where: str
    what: str


AskRules = Callable[[Mapping[str, Rule], Any], list[Violation]]
"""Asks rules of a request: where it breaks them."""


def broken_rules(rules: Mapping[str, Rule], request: Any) -> list[Violation]:
    """Where a request breaks rules."""
    violations: list[Violation] = []
    for name, rule in rules.items():
        for where, what in rule(request):
            violations.append(Violation(name, where, what))
    return violations


def text_is_encodable(request: Any) -> Broken:
    """U1: every string is strict UTF-8."""
    try:
        msgspec.json.encode(request)
    except UnicodeEncodeError:
        yield from encodable(request)


def rule_of_each(key: str, faults: Callable[[Json], Faults], name: str) -> Rule:
    """One of several rules that one look at a message tells of.

    Args:
        key: where the request holds its messages.
    """

    def rule(request: Any) -> Broken:
        for where, message in numbered(request, key):
            for broken, what in faults(message):
                if broken == name:
                    yield where, what

    return rule


def numbered(request: Any, key: str) -> Iterator[tuple[str, Json]]:
    """The items of a list in the request, each with its place; one that is no object is empty."""
    value: Any = request.get(key)
    items: list[Json] = value if type(value) is list else list_if(value)
    if not _DICTS.issuperset(map(type, items)):
        items = objects(items)
    places = _PLACES.get(key)
    if places is None or len(places) < len(items):
        places = _places(key, 2 * len(items))
    return zip(places, items, strict=False)


def are_objects(value: Any) -> TypeGuard[list[Json]]:
    """Whether it is a list of objects."""
    return type(value) is list and _DICTS.issuperset(map(type, value))


def objects(items: list[Any]) -> list[Json]:
    """The items of a list; one that is no object is empty."""
    if _DICTS.issuperset(map(type, items)):
        return items
    return [item if isinstance(item, dict) else {} for item in items]


def _places(key: str, count: int) -> list[str]:
    """Names of so many places. Each is written once: every rule walks all messages of
    every request, and only what is broken is ever named."""
    names = _PLACES[key] = [f"{key}[{place}]" for place in range(count)]
    return names


_DICTS = frozenset({dict})
_PLACES: dict[str, list[str]] = {}


def parts_of(message: Json, key: str = "content") -> list[Json]:
    """The parts of a message, whose caller may have written a text in their stead."""
    value = message.get(key)
    if isinstance(value, list) and _DICTS.issuperset(map(type, value)):  # pyright: ignore[reportUnknownArgumentType]
        return value  # pyright: ignore[reportUnknownVariableType]
    parts = [value] if isinstance(value, str) else list_if(value)
    return [{"type": "text", "text": p} if isinstance(p, str) else object_if(p) for p in parts]


def text_in(part: Json, key: str) -> str:
    """The text in a field; empty where there is none."""
    value = part.get(key)
    return value if type(value) is str or isinstance(value, str) else ""


def turns_alternate(
    key: str, assistant: str, messages: Callable[[Any, str], Iterator[tuple[str, Json]]] = numbered
) -> Rule:
    """The rule that user and assistant take turns, a user first and last.

    Args:
        key: where the request holds its messages.
        assistant: the assistant's role.
        messages: those of a request, each with its place.
    """

    def rule(request: Any) -> Broken:
        expected = "user"
        for where, message in messages(request, key):
            role = message.get("role", "user")
            if role != expected:
                yield where, f"the role {role!r} where {expected!r} is due"
            expected = assistant if role == "user" else "user"
        if expected == "user":
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
        objects = enumerate(map(object_if, tools))
        names = {place: str(tool["name"]) for place, tool in objects if "name" in tool}
        if not tools or len(names) != len(set(names.values())):
            yield where, "no tools, or two of one name"
        for place, name in names.items():
            if not valid.fullmatch(name):
                yield f"{where}[{place}]", f"the tool name {name!r}"

    return rule


def is_object(text: str) -> bool:
    """Whether a text is a JSON object."""
    try:
        return type(parse_json(text)) is dict
    except (ValueError, RecursionError):
        return False
