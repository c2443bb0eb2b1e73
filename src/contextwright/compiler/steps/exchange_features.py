"""What an exchange says: its calls and results, what identifies in them, what they are about."""

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from contextwright.blocks.block import Block
from contextwright.session.event import Text, ToolCall
from contextwright.text_cache import cached_text

REMEMBERED = 50_000
NEW = ("newText", "new_str", "new_string", "file_text", "content", "replacement", "insert_text")
OLD = ("oldText", "old_str", "old_string", "search")
"""Names of arguments that hold what is written, and what it replaces."""
DEEP = 100
"""Levels of JSON that are read."""
_WORDS = re.compile(r"[\w./@#-]{3,}")
_MARK = re.compile(r"[\d_/.A-Z-]")
_GAPS = re.compile(r'"(?:[^"\\]|\\.)*"|\s+', re.DOTALL)


class Called(msgspec.Struct, frozen=True):
    """A call and the text that it gave."""

    name: str
    arguments: str
    result: str

    @property
    def given(self) -> dict[str, Any]:
        """Its arguments, as far as they can be read."""
        value = loaded(self.arguments)
        return value if isinstance(value, dict) else {}

    @property
    def told(self) -> str:
        """What is worth keeping of it: its result; of a write, what it wrote."""
        written = [v for k, v in self.given.items() if k in NEW and isinstance(v, str)]
        return "\n".join(written) if written else self.result


@cached_text(REMEMBERED)
def calls_of(block: Block) -> tuple[Called, ...]:
    """The calls of an exchange with their results."""
    results = {result.call_id: result.text for result in block.results}
    return tuple(
        Called(part.name, part.arguments, results.get(part.id, ""))
        for message in block.messages
        for part in message.parts
        if isinstance(part, ToolCall)
    )


def words_of(block: Block) -> str:
    """What its first message says, beside calls."""
    parts = block.messages[0].parts if block.messages else ()
    return "\n".join(part.text for part in parts if isinstance(part, Text))


@cached_text(REMEMBERED)
def loaded(text: str) -> Any:
    """The JSON that a text is; None for other texts. What is spread over lines is read as a
    file's text: its lines count; what is nested too deep is a text too."""
    stripped = text.strip()
    if not stripped or stripped[0] not in "{[" or "\n" in stripped:
        return None
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    return value if _is_shallow(value) else None


def _is_shallow(value: Any) -> bool:
    """Whether it can be walked on any stack, whoever called."""
    level: list[Any] = [value]
    for _ in range(DEEP):
        items = (one.values() if isinstance(one, dict) else one for one in level)
        level = [item for many in items for item in many if isinstance(item, (dict, list))]
        if not level:
            return True
    return False


@cached_text(REMEMBERED)
def minimal(text: str) -> str:
    """JSON without the blanks that mean nothing: the same value in fewer tokens."""
    if loaded(text) is None:
        return text
    return _GAPS.sub(lambda found: found[0] if found[0][0] == '"' else "", text)


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every scalar of a JSON value, with its path of names."""
    if isinstance(value, dict):
        pairs: dict[str, Any] = value
        for key, item in pairs.items():
            yield from leaves(item, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        items: list[Any] = value
        for item in items:
            yield from leaves(item, name)
    elif value is not None and value != "":
        yield name, value


@cached_text(REMEMBERED)
def identifiers(text: str) -> tuple[str, ...]:
    """Words that identify: with a digit, a mark, or a capital inside."""
    found = (word.strip(".-/") for word in _WORDS.findall(text))
    return tuple(dict.fromkeys(word for word in found if word.isupper() or _MARK.search(word[1:])))


@cached_text(REMEMBERED)
def units(text: str) -> frozenset[str]:
    """What a text tells: its scalars if it is JSON, its lines if not."""
    value = loaded(text)
    if value is not None:
        return frozenset(str(item) for _, item in leaves(value) if not isinstance(item, bool))
    lines = (line.strip() for line in text.splitlines())
    return frozenset(line for line in lines if len(line) >= 3)


@cached_text(REMEMBERED)
def ids_in(text: str) -> tuple[str, ...]:
    """Values of JSON that identify."""
    value = loaded(text)
    if value is None:
        return ()
    found = (str(item) for _, item in leaves(value) if isinstance(item, str))
    return tuple(dict.fromkeys(word for word in found if " " not in word and identifiers(word)))


@cached_text(REMEMBERED)
def about(block: Block) -> tuple[str, ...]:
    """What an exchange is about: the values of its calls' arguments."""
    found: list[str] = []
    for call in calls_of(block):
        for key, value in leaves(call.given):
            if key in NEW or key in OLD or not isinstance(value, str):
                continue
            plain = " " not in value and len(value) >= 3
            found += [value] if plain else identifiers(value)
    return tuple(found)
