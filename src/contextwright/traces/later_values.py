"""Values that a call of a tool uses, and whether a text shows them."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from contextwright.formats.fields import object_if
from contextwright.session.event import Event, Text, Thinking, ToolCall, ToolResult
from contextwright.text.unspaced_scripts import has_unspaced, word_flags

SHORTEST = 3
"""Characters of a value at least: shorter ones stand everywhere."""
_WORDS = {flag: re.compile(r"[\w./@#-]{3,}", flag) for flag in (re.NOFLAG, re.ASCII)}
_MARKED = re.compile(r"[\d_/.A-Z-]")


def argument_terms(arguments: str) -> tuple[str, ...]:
    """What a call's arguments can be told by in another text, each once: names, numbers and ids; of
    words in a row those that look like one, of several lines the lines."""
    try:
        value = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, UnicodeError):
        value = arguments
    terms: dict[str, None] = {}
    for leaf in _leaves(value):
        text = str(leaf).strip()
        if "\n" in text:
            pieces = [line.strip() for line in text.splitlines()]
        else:
            pieces = _marked_words(text) if " " in text else [text]
        terms.update((p, None) for p in pieces if len(p) >= SHORTEST and re.search(r"\w", p))
    return tuple(terms)


def _leaves(value: Any) -> Iterator[str | int | float]:
    if isinstance(value, dict | list):
        for item in object_if(value).values() if isinstance(value, dict) else value:  # pyright: ignore
            yield from _leaves(item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield value


def _marked_words(text: str) -> list[str]:
    words = (word.strip(".-/") for word in _WORDS[word_flags(text)].findall(text))
    return [word for word in words if word.isupper() or _MARKED.search(word[1:])]


def _are_one_word(before: str, after: str) -> bool:
    """Whether two signs side by side are of one word: not where one is of a script that sets no
    blanks."""
    return before.isalnum() and after.isalnum() and not has_unspaced(before + after)


def shows(text: str, value: str) -> bool:
    """Whether a text has a value between the borders of words."""
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        before = at == 0 or not _are_one_word(text[at - 1], value[0])
        after = end == len(text) or not _are_one_word(value[-1], text[end])
        if before and after:
            return True
        at = text.find(value, at + 1)
    return False


def event_text(event: Event) -> str:
    """All that a model reads in a message."""
    return "\n".join(_part_texts(event))


def _part_texts(event: Event) -> Iterator[str]:
    for part in event.parts:
        match part:
            case Text() | Thinking() | ToolResult():
                yield part.text
            case ToolCall():
                yield f"{part.name}\n{part.arguments}"
            case _:
                pass


def request_text(value: Any) -> str:
    """All texts of a request, a line each."""
    return "\n".join(str(leaf) for leaf in _leaves(value) if isinstance(leaf, str))
