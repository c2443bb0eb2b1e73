"""The numbers and texts that an option of any word may hold: those that JSON gives back as they
are, and that sums and exponents of a word stay finite with."""

from collections.abc import Iterable, Mapping
from typing import Any

LARGEST = 2**53
"""Whole numbers up to here are the same in every reader of JSON."""


def limit_fault(name: str, value: Any) -> tuple[str, str] | None:
    """What is wrong with the value of an option whatever the word, and the fix; None where
    nothing is.

    Args:
        name: the option.
        value: what was given; of a list or an object what is in it, its keys as well.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        if abs(value) <= LARGEST:  # no `nan` is
            return None
        shown = repr(value) if isinstance(value, float) else "a number of too many digits"
        return (
            f"expected a finite number of at most 2**53 as {name}, got {shown}",
            "give a finite number, or leave the option out",
        )
    if isinstance(value, str):
        return None if _is_unicode(value) else _broken_text(name, value)
    for part in _parts(value):
        fault = limit_fault(name, part)
        if fault is not None:
            return fault
    return None


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        items: Mapping[Any, Any] = value
        return (part for pair in items.items() for part in pair)
    return value if isinstance(value, list | tuple | set | frozenset) else ()


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _broken_text(name: str, text: str) -> tuple[str, str]:
    what = f"expected a text that can be written as UTF-8 as {name}, got {text!r}"[:200]
    return what, "take out what is half of a character (U+D800 to U+DFFF)"
