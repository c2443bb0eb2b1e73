"""Whether a document is what it looks like: most of its messages have a form of the format, and
most of what they hold was understood when it was read."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from contextwright.errors import UnknownFormat
from contextwright.formats.fields import Json, list_if, object_if
from contextwright.formats.provenance import ABSENT, ITEMS, WHOLE, origins
from contextwright.session.event import Event, Opaque
from contextwright.session.session import Session

_NO_KINDS = {"", "None", "type"}
"""What a part is called that has no type of the format that it was read as."""


_CALL = re.compile("tool|function", re.IGNORECASE)
"""What another format calls a part in which an agent did something: not one may be lost."""
_CONTENT_KEYS = ("content", "contents", "parts", "blocks")
"""Where formats have what a message says: no message may be lost of which nothing was read."""
_SAMPLE = 200
"""Messages that are looked at to tell a format, spread over all of them."""


def most(items: Sequence[Any], has_form: Callable[[Json], bool]) -> bool:
    """Whether at least half of these are objects of a form, and one is: looked at here and there
    in a long list. A broken one among them is for the reader to name."""
    sample = items[:: 1 + len(items) // _SAMPLE]
    fitting = sum(isinstance(item, dict) and has_form(item) for item in sample)  # pyright: ignore
    return fitting > 0 and 2 * fitting >= len(sample)


def part_types(parts: Any) -> Iterator[str]:
    """The types of the parts in a list that say theirs."""
    for part in list_if(parts):
        kind = object_if(part).get("type")
        if isinstance(kind, str):
            yield kind


def expect_understood(
    session: Session, where: str, format: str, known_kinds: Collection[str] | None = None
) -> None:
    """Refuse what only looks like a format: it would be sent as nothing, or in pieces.

    Args:
        known_kinds: those of parts that the format keeps as they came. None where a part of
            any kind may be one of it, for its name was given.

    Raises:
        UnknownFormat: it names what was not understood.
    """
    strange = strange_parts(session, format, known_kinds)
    parts = [part for event in session.log for part in event.parts]
    opaque = [one for one in parts if isinstance(one, Opaque) and not _is_known(one, known_kinds)]
    understood = len(parts) - len(opaque)
    lost = known_kinds is not None and (
        any(_CALL.search(part.kind) for part in opaque) or is_any_unread(session, format)
    )
    few = understood and (known_kinds is None or len(strange) <= understood)
    if not strange or (few and not lost):
        return
    keys = ", ".join(map(repr, list(strange[0])[:6])) or "nothing"
    count = f"{len(strange)} of {understood + len(strange)} parts of its messages are not"
    what = count if understood else "no part of a message is"
    raise UnknownFormat(
        f"no format fits: as {format}, {what} understood; the first has {keys}",
        where=where,
        fix="make events of it: session.user(TEXT), .assistant(TEXT), .call(NAME, ARGUMENTS, "
        "id=ID), .result(ID, TEXT)",
    )


def strange_parts(session: Session, format: str, known_kinds: Collection[str] | None) -> list[Json]:
    """What was not understood of a session, in its order.

    Args:
        known_kinds: as of `expect_understood`.
    """
    strange: list[Json] = []
    for event in session.log:
        for part in event.parts:
            if isinstance(part, Opaque) and not _is_known(part, known_kinds):
                strange.append(part.value)
        if not event.parts and known_kinds is not None:
            strange += _unread(event, format)
    return strange


def is_any_unread(session: Session, format: str) -> bool:
    """Whether a message says something, and nothing of it was read: it is of another format."""
    unread = (one for event in session.log if not event.parts for one in _unread(event, format))
    return any(key in one for one in unread for key in _CONTENT_KEYS)


def _is_known(part: Opaque, known_kinds: Collection[str] | None) -> bool:
    return part.kind not in _NO_KINDS if known_kinds is None else part.kind in known_kinds


def _unread(event: Event, format: str) -> Iterator[Json]:
    """What stood in a message of which nothing was read: lists and objects, not its labels."""
    for record in origins(event, format):
        rest: Json = record.get("rest", {})
        values = {k: object_if(v).get(WHOLE, v) for k, v in rest.items() if k != ABSENT}
        held = {k: v for k, v in values.items() if v and _is_held(k, v, rest[k])}
        if held:
            yield held


def _is_held(key: str, value: Any, rest: Any) -> bool:
    """Whether a field says more than a label: what a message says, where none of it was read, or
    a list or an object."""
    if key in _CONTENT_KEYS:
        return isinstance(value, list | str) or ITEMS not in object_if(rest)
    return isinstance(value, list | dict)
