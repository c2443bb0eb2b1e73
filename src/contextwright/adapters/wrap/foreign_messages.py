"""A list of messages of any framework as a conversation: events, and where their texts stand."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from contextwright.adapters.wrap.agent_names import ROLES
from contextwright.adapters.wrap.live_renderer import FORMAT, strings, words
from contextwright.adapters.wrap.tree import field, is_record
from contextwright.errors import SessionError
from contextwright.formats.objects import ParsedMessages, parse_messages
from contextwright.formats.record_copies import is_list
from contextwright.session.event import AnyPart, Event, Opaque, Text, Thinking, ToolResult

HELD = frozenset({"user", "system"})
"""Whose words stay, word for word."""
_CONTENTS = (
    "content", "parts", "tool_calls", "function_call", "refusal", "arguments", "output", "summary",
    "encrypted_content", "data", "kwargs", "action", "input", "results",
)  # fmt: skip
"""Fields of which each message of any framework has one: what it says stands there."""

_PREAMBLE = "For context:"
_QUOTATION = re.compile(
    r"(\[[^\]\n]*\][^\n]*\n<<<BEGIN_QUOTED_AGENT_CONTENT>>>\n)(.*)(\n<<<END_QUOTED_AGENT_CONTENT>>>)"
    r"|(\[[^\]\n]*\] [^\n:]*: ?)(.*)()",
    re.DOTALL,
)
_TRANSCRIPT = f"{_PREAMBLE} below is a transcript of what another agent did"
"""What google-adk tells an agent of another one's words, in a content of the user's role: a plain
line, or the words between marks."""

PartKey = tuple[str, int]
"""An event's id and the place of a part in it."""


class ForeignMessages(msgspec.Struct, frozen=True, eq=False):
    """Messages and the events that they are.

    Args:
        messages: the caller's.
        parsed: where each part of an event stands in them.
        events: in order; the user's and the system's are pinned.
        quotes: what stands before and behind the words of another agent, and stays.
    """

    messages: Sequence[Any]
    parsed: ParsedMessages
    events: tuple[Event, ...]
    quotes: Mapping[PartKey, tuple[str, str]]


def conversation_of(messages: Sequence[Any]) -> ForeignMessages | None:
    """The messages as a conversation; None where they are none."""
    if not messages or not all(map(_may_be_message, messages)):
        return None
    try:
        parsed = parse_messages(messages)
    except SessionError:
        return None
    quotes: dict[PartKey, tuple[str, str]] = {}
    texts: dict[int, list[str]] = {}
    for event in parsed.session.log:
        for place in parsed.messages[event.id]:
            texts.setdefault(place, []).extend(map(words, event.parts))
    events = tuple(_readable(event, parsed, quotes, texts) for event in parsed.session.log)
    return ForeignMessages(messages, parsed, events, quotes)


def conversation_in(value: Any) -> ForeignMessages | None:
    """A list of messages, or a single one, as a conversation; None for anything else. Texts alone
    are any texts."""
    if not is_list(value):
        return None if isinstance(value, str) else conversation_of([value])
    if all(isinstance(item, str) for item in value):
        return None
    return conversation_of(value)


def _may_be_message(value: Any) -> bool:
    """A cheap look: nothing is dumped, and so nothing of the caller's is run, without it."""
    if isinstance(value, str):
        return True
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        pair: tuple[Any, ...] = value
        return len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], str)
    if not is_record(value):
        return False
    role = field(value, "role")
    if role is not None and not (isinstance(role, str) and role in ROLES):
        return False
    return any(field(value, name) is not None for name in _CONTENTS)


def _readable(
    event: Event,
    parsed: ParsedMessages,
    quotes: dict[PartKey, tuple[str, str]],
    message_texts: Mapping[int, list[str]],
) -> Event:
    """An event with its place in the rules: the user's words pinned, another agent's words not
    taken for them, and no text offered for shortening that could not be written back."""
    parts, role = event.parts, event.role
    texts = [part.text for part in parts if isinstance(part, Text)]
    if role == "user" and len(texts) == len(parts) and _is_quoted(texts):
        role = "assistant"
        split = [_unquoted(text) for text in texts]
        quotes.update({(event.id, n): (one[0], one[2]) for n, one in enumerate(split)})
        around = "\n".join(before + after for before, _, after in split)
        parts = (*(Text(text=words) for _, words, _ in split), Thinking(text=around))
    sources = parsed.sources[event.id]
    parts = tuple(
        part if n >= len(sources) or sources[n] is not None else _fixed(part)
        for n, part in enumerate(parts)
    )
    counted = "\n".join(t for place in parsed.messages[event.id] for t in message_texts[place])
    rest = [text for text in strings(event.extra) if " " in text and text not in counted]
    if rest:  # fields that nobody here knows are sent, and count, as well
        parts = (*parts, Opaque(format=FORMAT, kind="fields", value={"texts": rest}))
    return msgspec.structs.replace(event, role=role, parts=parts, pinned=role in HELD)


def _fixed(part: AnyPart) -> AnyPart:
    """A part that counts and can not be shortened."""
    if isinstance(part, Text):
        return Opaque(format=FORMAT, kind="text", value={"text": part.text})
    if isinstance(part, ToolResult):
        content = tuple(_fixed(one) for one in part.content)
        return msgspec.structs.replace(part, content=content)
    return part


def _is_quoted(texts: Sequence[str]) -> bool:
    """Whether the texts of a content are another agent's, as google-adk quotes them; a user who
    begins with the same words is not taken for one."""
    if len(texts) < 2 or not (texts[0] == _PREAMBLE or texts[0].startswith(_TRANSCRIPT)):
        return False
    return all(_QUOTATION.fullmatch(text) for text in texts[1:])


def _unquoted(text: str) -> tuple[str, str, str]:
    """What stands around the words, and the words: before, words, after."""
    match = _QUOTATION.fullmatch(text)
    if match is None:
        return "", text, ""
    before, words, after = match.groups()[:3] if match[1] is not None else match.groups()[3:]
    return before, words, after
