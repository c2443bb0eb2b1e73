"""A session without its data subject: the same events, calls and results, in the same order."""

import base64
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from contextwright.retention.data_subject import DataSubject, owner_of
from contextwright.retention.subject_matcher import BARE, ERASED, SubjectMatcher, unused
from contextwright.retention.validation import require
from contextwright.session.event import (
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
from contextwright.session.lineage import LINEAGES, rewritten_lineages, saved_lineages
from contextwright.session.session import Session
from contextwright.session.state import MAX_KEY, StateChange
from contextwright.tasks.plan_step import KNOWLEDGE
from contextwright.text.encoded_forms import decode_base64

_Fields = dict[str, Callable[[Any], Any]]
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
    scrubber = _Scrubber(session, matcher)
    metadata = {key: value for key, value in dict(session.metadata).items() if key != LINEAGES}
    new = Session(
        matcher.ident(session.id),
        map(scrubber.scrub, session.log),
        tools=list(map(scrubber.scrub, session.tools)),
        metadata=matcher.value(metadata),
    )
    for change in session.changes:
        new.restore(StateChange(change.position, scrubber.state(change.values)))
    if LINEAGES in session.metadata:
        lineages = [_scrubbed(lineage, matcher) for lineage in session.lineages]
        saved = saved_lineages(session.metadata)
        new.metadata[LINEAGES] = rewritten_lineages(new, lineages, saved)
    return new


class _Scrubber:
    """Rewrites the values of a session: of each type, the fields that may name the subject."""

    def __init__(self, session: Session, matcher: SubjectMatcher) -> None:
        self._matcher, events = matcher, session.log
        calls = [call for event in events for call in event.calls]
        results = [result for event in events for result in event.results]
        keys = [key for change in session.changes for key in change.values]
        ids = [*(call.id for call in calls), *(result.call_id for result in results)]
        names = [each.name for each in (*session.tools, *calls, *results)]
        self._keys = _renamed(keys, matcher, ERASED)
        event_id = _renamed([event.id for event in events], matcher, ERASED).__getitem__
        call_id = _renamed(ids, matcher, BARE).__getitem__
        tool_name = _renamed(names, matcher, BARE).__getitem__
        text, ident, value = matcher.text, matcher.ident, matcher.value
        media: _Fields = {"url": ident, "file_id": ident, "data": self._encoded}
        self._fields: dict[type, _Fields] = {
            Text: {"text": text},
            ToolCall: {"id": call_id, "name": tool_name, "arguments": self._arguments},
            ToolResult: {"call_id": call_id, "name": tool_name, "content": self._each},
            Thinking: {"text": text},
            Opaque: {"value": value},
            Image: media,
            File: media | {"name": ident},
            Tool: {"name": tool_name, "description": text, "parameters": value},
            Event: {
                "id": event_id,
                "parts": self._each,
                "author": ident,
                "invocation": ident,
                "tags": lambda tags: tuple(map(ident, tags)),
                "metadata": value,
            },
        }

    def scrub(self, one: Any) -> Any:
        """A value of a session without the subject."""
        fields = self._fields[type(one)]
        changed = {name: change(getattr(one, name)) for name, change in fields.items()}
        if isinstance(one, Thinking) and changed["text"] != one.text:
            # the signature proves a text that is no more: a provider would refuse it
            changed |= {"signature": "", "redacted": ""}
        return msgspec.structs.replace(one, **changed, extra=self._matcher.value(one.extra))

    def state(self, values: dict[str, Any]) -> dict[str, Any]:
        """State values; copies of the data subject's memories are left out."""
        known, memories = values.get(KNOWLEDGE), self._matcher.memories
        if isinstance(known, list) and memories:
            others = [
                each
                for each in known
                if not (isinstance(each, Mapping) and each.get("id") in memories)
            ]
            values = values | {KNOWLEDGE: others}
        change = self._matcher.value
        return {self._keys[key][:MAX_KEY]: change(value) for key, value in values.items()}

    def _each(self, parts: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(map(self.scrub, parts))

    def _arguments(self, text: str) -> str:
        """Arguments of a call: what was JSON stays JSON."""
        new = self._matcher.text(text)
        return "{}" if new == ERASED else new

    def _encoded(self, data: str) -> str:
        plain = decode_base64(data, strict=True)
        if plain is None:
            return self._matcher.ident(data)
        if not self._matcher.data(plain):
            return data
        return base64.b64encode(self._matcher.without(plain)).decode()


def _renamed(ids: list[str], matcher: SubjectMatcher, placeholder: str) -> dict[str, str]:
    different = list(dict.fromkeys(ids))
    new = {id: matcher.ident(id, placeholder) for id in different}
    taken = {id for id in different if new[id] == id}
    for id in different:
        if new[id] != id:
            new[id] = unused(new[id], taken, "-")
        taken.add(new[id])
    return new


def _digest(session: Session) -> bytes:
    return _encode(
        (session.id, list(session.log), session.changes, session.tools, session.metadata)
    )
