"""A session without a person: the same events, calls and results, in the same order."""

import base64
from collections.abc import Mapping
from typing import Any

import msgspec

from contextwright.errors import StoreError
from contextwright.retention.data_subject import Person, owner_of
from contextwright.retention.subject_matcher import BARE, ERASED, Theirs
from contextwright.retention.validation import person_of
from contextwright.session.event import (
    AnyPart,
    Event,
    File,
    Image,
    Opaque,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from contextwright.session.session import Session, StateChange
from contextwright.session.state import MAX_KEY
from contextwright.tasks.plan_step import KNOWLEDGE

_encode = msgspec.json.Encoder(order="sorted").encode


def erased(session: Session, person: Person, *, whole: bool = False) -> Session:
    """A copy of a session that nowhere names a person: for those that live in memory.

    Args:
        whole: whether a text that names the person goes as a whole.

    Raises:
        StoreError: no session, or nobody.
    """
    given: Any = session
    if not isinstance(given, Session):
        raise StoreError(
            f"a {type(given).__name__} is not a session",
            where="erased(session, person)",
            fix="give a Session: read_session(...), or SQLiteSessions(...).load(id)",
        )
    return without(session, Theirs(person_of(person), whole=whole))


def is_theirs(session: Session, theirs: Theirs) -> bool:
    """Whether a session is the person's own."""
    return session.id in theirs.sessions or any(map(theirs.is_owner, owner_of(session.metadata)))


def without_if_named(session: Session, theirs: Theirs) -> Session | None:
    """A copy of a session without a person; None where nothing in it names the person."""
    new = without(session, theirs)
    return None if _digest(new) == _digest(session) else new


def without(session: Session, theirs: Theirs) -> Session:
    """A copy of a session without a person. Ids that name the person get others, the same
    everywhere; a signature of reasoning that was rewritten goes."""
    ids = _Ids(session, theirs)
    new = Session(
        theirs.ident(session.id),
        (_event(event, theirs, ids) for event in session.log),
        tools=[_tool(tool, theirs, ids) for tool in session.tools],
        metadata=theirs.value(session.metadata),
    )
    for change in session.changes:
        new.restore(StateChange(change.position, _state(change.values, theirs, ids)))
    return new


class _Ids:
    """New ids of events and calls, names of tools and keys of the state; two that are one
    without the person stay two."""

    def __init__(self, session: Session, theirs: Theirs) -> None:
        self.events = _renamed([event.id for event in session.log], theirs, ERASED)
        calls = [call.id for event in session.log for call in event.calls]
        answered = [result.call_id for event in session.log for result in event.results]
        self.calls = _renamed([*calls, *answered], theirs, BARE)
        keys = [key for change in session.changes for key in change.values]
        self.keys = _renamed(keys, theirs, ERASED)
        self.tools = _renamed(
            [
                *(tool.name for tool in session.tools),
                *(call.name for event in session.log for call in event.calls),
                *(result.name for event in session.log for result in event.results),
            ],
            theirs,
            BARE,
        )


def _renamed(ids: list[str], theirs: Theirs, erased: str) -> dict[str, str]:
    different = list(dict.fromkeys(ids))
    new = {id: theirs.ident(id, erased) for id in different}
    taken = {id for id in different if new[id] == id}
    for id in different:
        number, plain = 2, new[id]
        while new[id] != id and new[id] in taken:
            new[id], number = f"{plain}-{number}", number + 1
        taken.add(new[id])
    return new


def _event(event: Event, theirs: Theirs, ids: _Ids) -> Event:
    return msgspec.structs.replace(
        event,
        id=ids.events[event.id],
        parts=tuple(_part(part, theirs, ids) for part in event.parts),
        author=theirs.ident(event.author),
        invocation=theirs.ident(event.invocation),
        tags=tuple(map(theirs.ident, event.tags)),
        metadata=theirs.value(event.metadata),
        extra=theirs.value(event.extra),
    )


def _part(part: Any, theirs: Theirs, ids: _Ids) -> AnyPart:
    extra = theirs.value(part.extra)
    if isinstance(part, Text):
        return msgspec.structs.replace(part, text=theirs.text(part.text), extra=extra)
    if isinstance(part, ToolCall):
        return msgspec.structs.replace(
            part,
            id=ids.calls[part.id],
            name=ids.tools[part.name],
            arguments=_arguments(part.arguments, theirs),
            extra=extra,
        )
    if isinstance(part, ToolResult):
        return msgspec.structs.replace(
            part,
            call_id=ids.calls[part.call_id],
            name=ids.tools[part.name],
            content=tuple(_part(each, theirs, ids) for each in part.content),
            extra=extra,
        )
    if isinstance(part, Thinking):
        return _thinking(part, theirs, extra)
    if isinstance(part, Opaque):
        return msgspec.structs.replace(part, value=theirs.value(part.value), extra=extra)
    return _media(part, theirs, extra)


def _arguments(text: str, theirs: Theirs) -> str:
    """Arguments of a call: what was JSON stays JSON."""
    new = theirs.text(text)
    return "{}" if new == ERASED else new


def _thinking(part: Thinking, theirs: Theirs, extra: dict[str, Any]) -> Thinking:
    text = theirs.text(part.text)
    if text == part.text:
        return msgspec.structs.replace(part, extra=extra)
    # the signature proves a text that is no more: a provider would refuse it
    return msgspec.structs.replace(part, text=text, signature="", redacted="", extra=extra)


def _media(part: Image | File, theirs: Theirs, extra: dict[str, Any]) -> Image | File:
    plain: dict[str, Any] = {
        "url": theirs.ident(part.url),
        "file_id": theirs.ident(part.file_id),
        "data": _encoded(part.data, theirs),
        "extra": extra,
    }
    if isinstance(part, File):
        plain["name"] = theirs.ident(part.name)
    return msgspec.structs.replace(part, **plain)


def _encoded(data: str, theirs: Theirs) -> str:
    try:
        plain = base64.b64decode(data, validate=True)
    except ValueError:
        return theirs.ident(data)
    return base64.b64encode(theirs.without(plain)).decode() if theirs.data(plain) else data


def _tool(tool: Tool, theirs: Theirs, ids: _Ids) -> Tool:
    return Tool(
        name=ids.tools[tool.name],
        description=theirs.text(tool.description),
        parameters=theirs.value(tool.parameters),
        extra=theirs.value(tool.extra),
    )


def _state(values: dict[str, Any], theirs: Theirs, ids: _Ids) -> dict[str, Any]:
    """State values; copies of the person's memories are left out."""
    known = values.get(KNOWLEDGE)
    if isinstance(known, list) and theirs.memories:
        values = values | {KNOWLEDGE: [one for one in known if not _is_memory(one, theirs)]}
    return {ids.keys[key][:MAX_KEY]: theirs.value(value) for key, value in values.items()}


def _is_memory(entry: Any, theirs: Theirs) -> bool:
    """Whether an entry was hydrated from a memory of the person."""
    return isinstance(entry, Mapping) and entry.get("id") in theirs.memories


def _digest(session: Session) -> bytes:
    held = (session.id, list(session.log), session.changes, session.tools, session.metadata)
    return _encode(held)
