"""What stays in sight of a call once its trace does not: its arguments, and what it gave.

Later calls need the identifiers, amounts and paths of both. JSON stays as rows, so that a value
stays with its row; other texts keep what their kind of content needs.
"""

from contextwright.text.content_router import shorten
from contextwright.text.cut import Count, beginning
from contextwright.text.json_fields import load_json
from contextwright.text.json_rows import json_rows, leaves, loaded
from contextwright.text.page_snapshot import is_handle

ARGUMENT_CHARS = 160
"""Characters up to which an argument is told whole."""
BEGINNING_CHARS = 60
"""Characters that stay of a longer one, or of one of several lines."""
ARGUMENTS = 24
"""Different arguments that are told: values of lists count one by one."""
TEXT_SHARE = 4
"""How many times more tokens rows may have than other texts: all of them are values."""


def argument_values(arguments: str) -> str:
    """The values of a call's arguments; of long ones the beginning.

    Args:
        arguments: JSON of the call.
    """
    listed = different_values(arguments)
    more = [f"… {len(listed) - ARGUMENTS} more"] if len(listed) > ARGUMENTS else []
    return ", ".join([*listed[:ARGUMENTS], *more])


def different_values(arguments: str) -> list[str]:
    """The different values of a call's arguments, a truth value behind its name: without, a call
    that tries something out reads as one that did it."""
    pairs = leaves(load_json(arguments))
    texts = (
        f"{name} {value}".lower() if isinstance(value, bool) else str(value)
        for name, value in pairs
        if not is_handle(name, value)
    )
    return list(dict.fromkeys(map(_beginning, texts)))


def result_values(text: str, max_tokens: int, count: Count) -> str:
    """A result in a line.

    Args:
        text: the result.
        max_tokens: the most that rows of JSON may have; other texts may have a quarter of it.
        count: tokens of a text.
    """
    value = loaded(text)
    rows = json_rows(value) if value is not None else ""
    if not rows or count(rows) > max_tokens:
        most = max_tokens if rows else max(1, max_tokens // TEXT_SHARE)
        rows = shorten(text, most, count).text
    return " ".join(rows.split())


def _beginning(value: str) -> str:
    text = value.strip()
    line = " ".join(text.split()) if "\n" in text else text
    return line if len(line) <= ARGUMENT_CHARS else beginning(line, BEGINNING_CHARS)
