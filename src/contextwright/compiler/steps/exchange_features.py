"""What an exchange says: its calls and results, what identifies in them, what they are about."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from contextwright.blocks.block import Block
from contextwright.blocks.provider_runs import provider_runs
from contextwright.blocks.todo_states import todo_updates
from contextwright.memo.ownership import cached_in_passing, cached_text
from contextwright.session.call_kind import kind_of
from contextwright.session.failure import outcome_fails
from contextwright.session.harness_text import user_words
from contextwright.session.inline_thinking import agent_words
from contextwright.text.json_rows import leaves, loaded, scalars
from contextwright.text.numbered_lines import numbered
from contextwright.text.page_snapshot import is_handle
from contextwright.text.search_terms import blanks_for
from contextwright.text.todo_lists import is_todo_tool
from contextwright.text.unspaced_scripts import word_flags

NEW = ("newText", "new_str", "new_string", "file_text", "content", "replacement", "insert_text")
OLD = ("oldText", "old_str", "old_string", "search")
"""Names of arguments that hold what is written, and what it replaces."""
_WORD = r"[\w./@#-]{3,}"
_MARKED = (
    r"[A-Z]?[a-z]+\.?(?![\w./@#-])"
    r"|((?<![\w.,/@#-])\d{1,3}(?:,\d{3})++(?:\.\d+)?(?![\w,])|[\w./@#-]{3,})"
)
"""As `_WORD`, without what nothing can be inside of: a word of small letters, its first perhaps a
capital, which most are. It gives an empty one in their place. A number with its thousands apart is
one word: `062` of `3,062` would be another number."""
_word_runs, _marked = (
    {flag: re.compile(one, flag).findall for flag in (re.NOFLAG, re.ASCII)}
    for one in (_WORD, _MARKED)
)
_GAPS = blanks_for(lambda sign: not (sign.isalnum() or sign in "_./@#-"))
_JSON = frozenset("{[")
_ESCAPED = re.compile(r"\\(?:u([\da-fA-F]{4})|.)", re.DOTALL)
"""What a sign of JSON's text stands for: `\\nThis` names nothing, `\\u017b` begins a name."""
_is_name = re.compile(r"(?!.{41})[^\W\d_]{3,}(?: [^\W\d_]+){0,2}").fullmatch
"""Up to three words of letters: `Mia`, `Ana de Vries`; longer ones are no names, but prose."""
_is_field = re.compile(r"[A-Za-z_]+\d?").fullmatch
_has_mark = re.compile(r"[\d_/.A-Z-]").search


class Called(msgspec.Struct, frozen=True):
    """A call and the text that it gave."""

    name: str
    arguments: str
    result: str
    status: str = "ok"

    @property
    def argument_values(self) -> dict[str, Any]:
        """Its arguments, as far as they can be read."""
        value = loaded(self.arguments)
        return value if isinstance(value, dict) else {}

    @property
    def is_failure(self) -> bool:
        """Whether its tool failed."""
        reads = kind_of(self.name, self.arguments).reads
        return outcome_fails(self.status, self.result, reads)

    @property
    def output(self) -> str:
        """The result of the call; of a write, what it wrote."""
        written = [v for k, v in self.argument_values.items() if k in NEW and isinstance(v, str)]
        return "\n".join(written) if written else self.result


def calls_of(block: Block) -> tuple[Called, ...]:
    """The calls of an exchange with their results."""
    return _calls_of(block) if block.has_calls else ()  # most have none


@cached_text
def _calls_of(block: Block) -> tuple[Called, ...]:
    results = {result.call_id: (result.text, result.status) for result in block.results}
    return tuple(
        [Called(call.name, call.arguments, *results.get(call.id, ("",))) for call in block.calls]
    )


def ran_of(block: Block) -> tuple[Called, ...]:
    """The calls of an exchange that its provider ran itself, with what they gave."""
    if block.role != "assistant" or not block.messages:
        return ()
    runs = provider_runs(block.messages[0].parts)
    gave = [("",) if result is None else (result.text, result.status) for _, result in runs]
    return tuple(
        Called(call.name, call.arguments, *each) for (call, _), each in zip(runs, gave, strict=True)
    )


def words_of(block: Block) -> str:
    """What its first message says, beside calls."""
    return text_of(block.role, block.messages[0].parts) if block.messages else ""


def says_nothing(block: Block) -> bool:
    """Whether a harness alone speaks in it: that told how things were then."""
    return block.role == "user" and not block.by_user and not words_of(block)


def text_of(role: str, parts: Sequence[object]) -> str:
    """What a message says, beside calls; of a user's without what a harness says in their name, of
    an agent's without its thoughts."""
    if role == "user":
        return user_words(parts, stops=True)
    return agent_words(parts)


def said_by(block: Block) -> tuple[str, str]:
    """Who said what its first message says."""
    return block.role, words_of(block)


@cached_text
def identifiers(text: str) -> tuple[str, ...]:
    """Words that identify: with a digit, a mark, or a capital inside."""
    if text[:1] in _JSON and "\\" in text:
        text = _ESCAPED.sub(_unescaped, text)
    if text.isascii() and text[:1] in _JSON:  # hardly a word of it is plain
        runs = dict.fromkeys(text.encode().translate(_GAPS).decode().split())
        words = [word for word in runs if len(word) > 2]
    else:
        words = dict.fromkeys(_marked[word_flags(text)](text))  # each once: most stand there often
    words = dict.fromkeys([word.strip(".-/") for word in words])
    return tuple([one for one in words if one.isupper() or _has_mark(one, 1)])


def _unescaped(sign: re.Match[str]) -> str:
    return chr(int(sign[1], 16)) if sign[1] else " "


@cached_in_passing
def result_identifiers(text: str) -> tuple[str, ...]:
    """Words that identify in a result: of JSON all but names of fields that are no values, of a
    file's lines all but their numbers."""
    if lines := numbered(text):
        return identifiers("\n".join([line for _, line in lines]))
    words, value = identifiers(text), loaded(text)
    fields = _fields(value)
    if fields.isdisjoint(words):
        return words
    values = "\n".join(map(str, scalars(text)))
    if any(word in values for word in fields.intersection(words)):
        fields = fields.difference(identifiers(values))
    return tuple([word for word in words if word not in fields])


@cached_text
def record_names(text: str) -> tuple[str, ...]:
    """What the records of a JSON result are called: what fields such as `first_name` say. A call
    repeats it, though nothing marks it as an identifier. Of a list none, which has many."""
    names: list[str] = []
    level: list[Any] = [loaded(text)]
    while level:
        records: list[dict[str, Any]] = [one for one in level if isinstance(one, dict)]
        pairs = [pair for record in records for pair in record.items()]
        named = [value for field, value in pairs if field.lower().endswith("name")]
        names += [one for one in named if isinstance(one, str) and _is_name(one)]
        level = [value for _, value in pairs]
    return tuple(dict.fromkeys(names))


def _fields(value: Any) -> set[str]:
    """Names in JSON that name no thing: letters, with a digit at most (`first_name`, `address1`),
    unless all are capitals (`JFK`)."""
    fields: set[str] = set()
    level: list[Any] = [value]
    while level:
        objects: list[dict[str, Any]] = [one for one in level if isinstance(one, dict)]
        lists: list[list[Any]] = [one for one in level if isinstance(one, list)]
        fields.update(*objects)
        level = [item for one in (*(one.values() for one in objects), *lists) for item in one]
    return {name for name in fields if not name.isupper() and _is_field(name)}


def _words(text: str) -> list[str]:
    return [word.strip(".-/") for word in _word_runs[word_flags(text)](text)]


def _identifies(word: str) -> bool:
    return word.isupper() or _has_mark(word, 1) is not None


@cached_in_passing
def units(text: str) -> frozenset[str]:
    """What a text tells: its scalars if it is JSON, its lines if not."""
    if loaded(text) is not None:
        return frozenset([str(item) for item in scalars(text) if not isinstance(item, bool)])
    lines = (line.strip() for line in text.splitlines())
    return frozenset(line for line in lines if len(line) >= 3)


@cached_text
def ids_in(text: str) -> tuple[str, ...]:
    """Values of JSON that identify."""
    strings = dict.fromkeys([item for item in scalars(text) if isinstance(item, str)])
    return tuple([one for one in strings if " " not in one and _has_identifier(one)])


def _has_identifier(text: str) -> bool:
    """Whether it has a word that identifies."""
    if text.isalnum() and text.isascii():  # one word, as most are
        return len(text) > 2 and _identifies(text)
    return any(map(_identifies, _words(text)))


def about(block: Block) -> tuple[str, ...]:
    """What an exchange is about: the values of its calls' arguments; of one that writes a to-do
    list nothing, which would be about all that there is to do each time."""
    return _about(block) if block.has_calls else ()


@cached_text
def _about(block: Block) -> tuple[str, ...]:
    topics: list[str] = []
    for number, call in enumerate(calls_of(block)):
        update = todo_updates(block)[number] if is_todo_tool(call.name) else None
        if update is not None and update.is_all:
            continue
        for key, value in leaves(call.argument_values):
            if key in NEW or key in OLD or not isinstance(value, str) or is_handle(key, value):
                continue
            plain = " " not in value and len(value) >= 3
            topics += [value] if plain else identifiers(value)
    return tuple(topics)
