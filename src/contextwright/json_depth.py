"""How deep JSON may nest that a model or a tool wrote. Pythons differ in what they read, and what a
request says must not."""

from typing import Any

DEEP = 100
"""Levels of what a walk of ours may go through, whoever called."""
DEEPEST = 500
"""Levels of what is read at all: Python 3.11 reads some 970 on an empty stack, 3.14 some 50,000."""


def is_shallow(value: Any, levels: int = DEEP) -> bool:
    """Whether a value can be walked on any stack, whoever called."""
    level: list[Any] = [value]
    for _ in range(levels):
        items = [one.values() if isinstance(one, dict) else one for one in level]
        level = [item for many in items for item in many if isinstance(item, (dict, list))]
        if not level:
            return True
    return False


def is_shallow_json(text: str, value: Any) -> bool:
    """The same of the value of a text: most texts have not that many brackets."""
    return text.count("[") + text.count("{") < DEEP or is_shallow(value)


def is_too_deep(text: str, value: Any) -> bool:
    """Whether the value of a text nests so deep that it counts as no JSON, on every Python."""
    if len(text) <= DEEPEST or text.count("[") + text.count("{") <= DEEPEST:
        return False
    return isinstance(value, (dict, list)) and not is_shallow(value, DEEPEST)
