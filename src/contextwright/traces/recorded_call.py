"""One call of a model, as an export of a tracing tool has it."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from contextwright.formats.fields import Json, object_if
from contextwright.tokens.usage import Usage

_CUT = re.compile(
    r"(?:[\[(<]\s*truncated[^\])>]{0,80}[\])>]|\.\.\.\s*truncated)\s*\Z", re.IGNORECASE
)
"""How a text ends that a tracing tool, or the tool that gave it, cut off."""
_HIDDEN = re.compile(
    r"\A\s*(?:__REDACTED__|[\[<](?:redacted|fully masked)[^\]>]{0,80}[\]>])\s*\Z", re.IGNORECASE
)
"""A text that a tracing tool put in the place of another."""


_NOT_READ = re.compile(r"\A\[[\w.-]{1,60}: not read\]\Z")


class RecordedCall(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """One call of a model.

    Args:
        id: of the span, observation or run. where: its place in the export, for errors.
        conversation: what the calls of a conversation have in common: the id of a session or a
            thread, else of the trace.
        start_ms: milliseconds since 1970 at which it began; None where nothing says so.
        model: its name; empty where nothing says it.
        body: what the model was sent: `messages`, and beside them `system` and `tools` where they
            were sent so, in one of the formats that sessions are read from.
        answer: the messages that came back, in the same format.
        usage: what was billed; None where it is not there.
        gaps: what the export lacks of it, in words.
    """

    id: str
    where: str
    conversation: str = ""
    start_ms: int | None = None
    model: str = ""
    body: Json
    answer: list[Any] = []
    usage: Usage | None = None
    gaps: tuple[str, ...] = ()


class UnreadCall(msgspec.Struct, frozen=True):
    """A call, or a file, that is no part of the sessions.

    Args:
        why: in words.
    """

    where: str
    why: str


def has_contents(messages: Iterable[Json]) -> bool:
    """Whether anything was said to the model: with contents off, SDKs record empty messages."""
    return any(each.get("content") for each in messages if each.get("role") != "assistant")


def guarded(
    make: Callable[..., RecordedCall | UnreadCall], where: str, *arguments: Any
) -> RecordedCall | UnreadCall:
    """A call of its record; what its reader did not foresee is a call that could not be read."""
    try:
        return make(*arguments)
    except (TypeError, AttributeError, KeyError, IndexError, ValueError, RecursionError) as error:
        why = f"it does not keep to its export's form: {type(error).__name__}: {error}"
        return UnreadCall(where, why[:300])


def not_read(kind: Any) -> str:
    """What stands in the place of a part of a kind that is not read, such as audio."""
    name = re.sub(r"[^\w.-]+", "-", str(kind))[:60]
    return f"[{name or 'part'}: not read]"


def choice_gaps(choices: int) -> Iterator[str]:
    """That a call has more answers than the one that is read."""
    if choices > 1:
        yield f"{choices:,} answers to one call, of which the first is read"


def text_gaps(messages: Iterable[Any]) -> Iterator[str]:
    """What the texts of messages lack by their own marks."""
    cut = hidden = unread = 0
    for text in _texts(list(messages)):
        unread += len(text) < 80 and _NOT_READ.match(text) is not None
        cut += _CUT.search(text[-100:]) is not None
        hidden += len(text) < 200 and _HIDDEN.match(text) is not None
    if cut:
        yield f"{_texts_of(cut)} cut off"
    if hidden:
        yield f"{_texts_of(hidden)} redacted"
    if unread:
        yield f"{unread:,} part{'s' * (unread > 1)} of a kind that is not read"


def _texts_of(count: int) -> str:
    return f"{count:,} text{'s are' if count > 1 else ' is'}"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        return
    for item in object_if(value).values() if isinstance(value, dict) else value or ():
        if isinstance(item, str | dict | list):
            yield from _texts(item)
