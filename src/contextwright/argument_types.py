"""Arguments of another type than a function takes, named before they do anything."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

from contextwright.errors import ContextwrightError, is_number

_KINDS: Mapping[type, tuple[str, str]] = {
    str: ("a text", '"name"'),
    int: ("a whole number", "5"),
    float: ("a number", "0.5"),
    Iterable: ("a list of texts", '["name"]'),
}
"""Types that are said in words, each with an example."""


def expect_types(where: str, fault: type[ContextwrightError], **expected: tuple[Any, type]) -> None:
    """Refuse an argument of another type.

    Args:
        where: the call, as it is written.
        fault: the error.
        expected: by name, each argument and its type; a `float` is any number but `nan`.

    Raises:
        ContextwrightError: the first of them that is something else.
    """
    for name, (value, kind) in expected.items():
        if _is_of(value, kind):
            continue
        words, example = _KINDS.get(kind, (f"a {kind.__name__}", ""))
        raise fault(
            f"expected {words} as {name}, got {type(value).__name__}",
            where=where,
            fix=f"{name}={example}, say" if example else f"give a {kind.__name__}",
        )


def expect_lists(where: str, fault: type[ContextwrightError], **expected: Any) -> None:
    """Refuse an argument that holds nothing one by one.

    Raises:
        ContextwrightError: the first of them, by its name.
    """
    for name, value in expected.items():
        if not isinstance(value, Iterable):
            raise fault(
                f"expected a list as {name}, got {type(value).__name__}",
                where=where,
                fix=f"{name}=[...], or leave it out",
            )


def refuse_stream(source: Any, fault: type[ContextwrightError], where: str) -> None:
    """Refuse what is read once and gone, such as a generator, where a list is wanted.

    Raises:
        ContextwrightError: it is one.
    """
    if isinstance(source, Iterator | AsyncIterator):
        raise fault(
            f"expected a list of messages, got {type(source).__name__}: what it gives is gone then",
            where=where,
            fix="make a list of it first: list(messages)",
        )


def _is_of(value: Any, kind: type) -> bool:
    if kind is float:
        return is_number(value)
    if kind is int and isinstance(value, bool):
        return False
    return isinstance(value, kind) and not (kind is Iterable and isinstance(value, bytes | Mapping))
