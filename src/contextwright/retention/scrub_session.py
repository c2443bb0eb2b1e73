"""A session without its data subject: the same events, calls and results, in the same order."""

import base64
from collections.abc import Mapping
from typing import Any

import msgspec

from contextwright.retention.data_subject import DataSubject, owner_of
from contextwright.retention.subject_matcher import BARE, ERASED, SubjectMatcher
from contextwright.retention.validation import require
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


def scrub_session(session: Session, subject: DataSubject, *, whole: bool = False) -> Session:
    """A copy of a session that nowhere names a data subject: for those that live in memory.

    Args:
        whole: whether a text that names the data subject goes as a whole.

    Raises:
        StoreError: no session, or no data subject.
    """
    where = "scrub_session(session, subject)"
    require(session, Session, where, "such as SQLiteSessions(...).load(id)")
    require(subject, DataSubject, where, "such as DataSubject('u-1815', names=('Ada Lovelace',))")
    return _scrubbed(session, SubjectMatcher(subject, whole=whole))


def is_owned(session: Session, matcher: SubjectMatcher) -> bool:
    """True if a session is the data subject's own."""
    return session.id in matcher.sessions or any(map(matcher.is_owner, owner_of(session.metadata)))


def scrubbed_if_named(session: Session, matcher: SubjectMatcher) -> Session | None:
    """A copy of a session without the data subject; None where nothing in it names them."""
    new = _scrubbed(session, matcher)
    return None if _digest(new) == _digest(session) else new


def _scrubbed(session: Session, matcher: SubjectMatcher) -> Session:
    """A copy of a session without a data subject. Ids that name them get others, the same
    everywhere; a signature of reasoning that was rewritten goes."""
    ids = _Ids(session, matcher)
    new = Session(
        matcher.ident(session.id),
        (_event(event, matcher, ids) for event in session.log),
        tools=[_tool(tool, matcher, ids) for tool in session.tools],
        metadata=matcher.value(session.metadata),
    )
    for change in session.changes:
        new.restore(StateChange(change.position, _state(change.values, matcher, ids)))
    return new


class _Ids:
    """New ids of events and calls, names of tools and keys of the state; two that are one
    without the subject stay two."""

    def __init__(self, session: Session, matcher: SubjectMatcher) -> None:
        self.events = _renamed([event.id for event in session.log], matcher, ERASED)
        calls = [call.id for event in session.log for call in event.calls]
        answered = [result.call_id for event in session.log for result in event.results]
        self.calls = _renamed([*calls, *answered], matcher, BARE)
        keys = [key for change in session.changes for key in change.values]
        self.keys = _renamed(keys, matcher, ERASED)
        self.tools = _renamed(
            [
                *(tool.name for tool in session.tools),
                *(call.name for event in session.log for call in event.calls),
                *(result.name for event in session.log for result in event.results),
            ],
            matcher,
            BARE,
        )


def _renamed(ids: list[str], matcher: SubjectMatcher, placeholder: str) -> dict[str, str]:
    different = list(dict.fromkeys(ids))
    new = {id: matcher.ident(id, placeholder) for id in different}
    taken = {id for id in different if new[id] == id}
    for id in different:
        number, plain = 2, new[id]
        while new[id] != id and new[id] in taken:
            new[id], number = f"{plain}-{number}", number + 1
        taken.add(new[id])
    return new


def _event(event: Event, matcher: SubjectMatcher, ids: _Ids) -> Event:
    return msgspec.structs.replace(
        event,
        id=ids.events[event.id],
        parts=tuple(_part(part, matcher, ids) for part in event.parts),
        author=matcher.ident(event.author),
        invocation=matcher.ident(event.invocation),
        tags=tuple(map(matcher.ident, event.tags)),
        metadata=matcher.value(event.metadata),
        extra=matcher.value(event.extra),
    )


def _part(part: Any, matcher: SubjectMatcher, ids: _Ids) -> AnyPart:
    extra = matcher.value(part.extra)
    if isinstance(part, Text):
        return msgspec.structs.replace(part, text=matcher.text(part.text), extra=extra)
    if isinstance(part, ToolCall):
        return msgspec.structs.replace(
            part,
            id=ids.calls[part.id],
            name=ids.tools[part.name],
            arguments=_arguments(part.arguments, matcher),
            extra=extra,
        )
    if isinstance(part, ToolResult):
        return msgspec.structs.replace(
            part,
            call_id=ids.calls[part.call_id],
            name=ids.tools[part.name],
            content=tuple(_part(each, matcher, ids) for each in part.content),
            extra=extra,
        )
    if isinstance(part, Thinking):
        return _thinking(part, matcher, extra)
    if isinstance(part, Opaque):
        return msgspec.structs.replace(part, value=matcher.value(part.value), extra=extra)
    return _media(part, matcher, extra)


def _arguments(text: str, matcher: SubjectMatcher) -> str:
    """Arguments of a call: what was JSON stays JSON."""
    new = matcher.text(text)
    return "{}" if new == ERASED else new


def _thinking(part: Thinking, matcher: SubjectMatcher, extra: dict[str, Any]) -> Thinking:
    text = matcher.text(part.text)
    if text == part.text:
        return msgspec.structs.replace(part, extra=extra)
    # the signature proves a text that is no more: a provider would refuse it
    return msgspec.structs.replace(part, text=text, signature="", redacted="", extra=extra)


def _media(part: Image | File, matcher: SubjectMatcher, extra: dict[str, Any]) -> Image | File:
    plain: dict[str, Any] = {
        "url": matcher.ident(part.url),
        "file_id": matcher.ident(part.file_id),
        "data": _encoded(part.data, matcher),
        "extra": extra,
    }
    if isinstance(part, File):
        plain["name"] = matcher.ident(part.name)
    return msgspec.structs.replace(part, **plain)


def _encoded(data: str, matcher: SubjectMatcher) -> str:
    try:
        plain = base64.b64decode(data, validate=True)
    except ValueError:
        return matcher.ident(data)
    return base64.b64encode(matcher.without(plain)).decode() if matcher.data(plain) else data


def _tool(tool: Tool, matcher: SubjectMatcher, ids: _Ids) -> Tool:
    return Tool(
        name=ids.tools[tool.name],
        description=matcher.text(tool.description),
        parameters=matcher.value(tool.parameters),
        extra=matcher.value(tool.extra),
    )


def _state(values: dict[str, Any], matcher: SubjectMatcher, ids: _Ids) -> dict[str, Any]:
    """State values; copies of the data subject's memories are left out."""
    known = values.get(KNOWLEDGE)
    if isinstance(known, list) and matcher.memories:
        values = values | {KNOWLEDGE: [one for one in known if not _is_copy(one, matcher)]}
    return {ids.keys[key][:MAX_KEY]: matcher.value(value) for key, value in values.items()}


def _is_copy(entry: Any, matcher: SubjectMatcher) -> bool:
    """True if an entry was hydrated from a memory of the data subject."""
    return isinstance(entry, Mapping) and entry.get("id") in matcher.memories


def _digest(session: Session) -> bytes:
    return _encode(
        (session.id, list(session.log), session.changes, session.tools, session.metadata)
    )
