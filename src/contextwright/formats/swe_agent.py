"""Trajectories of SWE-agent (`.traj`), with function calling and without.

`history` holds what the model saw: OpenAI Chat messages with `agent`, `message_type`, `thought`
and `action` beside. The step by step `trajectory` says the same again; it is kept, not shown.
Without function calling an action is text and its observation a user message, as the model
had them; both carry a tag.
"""

from typing import Any

import msgspec

from contextwright.errors import MalformedRecord
from contextwright.formats.document import Document
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import Json, a_list, an_object, list_if, object_if, text_if
from contextwright.formats.openai_chat import read_chat, write_chat
from contextwright.session.event import Event
from contextwright.session.session import Session

NAME = "swe-agent"
LINES = False
_KEYS = ("history", "messages")


def sniff(document: Document) -> bool:
    """Whether this is a trajectory of SWE-agent."""
    whole = object_if(document.records[0].value if len(document.records) == 1 else None)
    if "trajectory" in whole and "history" in whole:
        return True
    messages = list_if(whole.get(_key(whole) or ""))[:8]
    return any({"agent", "action", "thought"} <= object_if(each).keys() for each in messages)


def _key(whole: Json) -> str | None:
    return next((key for key in _KEYS if key in whole), None)


def read(document: Document) -> Session:
    """The session.

    Raises:
        MalformedRecord: there is no history, or a message breaks the format.
    """
    record = document.records[0]
    whole = an_object(record.value, record.where)
    key = _key(whole)
    if key is None:
        raise MalformedRecord(
            "a trajectory without the history of its messages",
            where=f"{record.where}, field history",
            fix="use the .traj file that SWE-agent wrote; it holds both",
        )
    where = f"{record.where}, field {key}"
    messages = a_list(whole[key], where)
    plain = [_answering(message) for message in messages]
    events = [
        _labelled(event, message)
        for event, message in zip(read_chat(NAME, plain, where), messages, strict=True)
    ]
    stored = {"key": key, "beside": {name: whole[name] for name in whole if name != key}}
    name = text_if(whole.get("id", whole.get("environment")), "session")
    return Session(name, events, metadata={NAME: stored})


def _answering(message: Any) -> Any:
    """The message with the call that it answers where OpenAI has it."""
    whole = object_if(message)
    ids = list_if(whole.get("tool_call_ids"))
    if whole.get("role") != "tool" or not ids:
        return message
    fields = {key: value for key, value in whole.items() if key != "tool_call_ids"}
    first, *others = ids
    return {**fields, "tool_call_id": first, "more_call_ids": others}


def _own_message(message: Json, event: Event) -> Json:
    """The message as SWE-agent has it, or as the source had it."""
    if message.get("role") != "tool" or (NAME in event.extra and "more_call_ids" not in message):
        return message
    fields = {key: v for key, v in message.items() if key not in ("tool_call_id", "more_call_ids")}
    return {**fields, "tool_call_ids": [message["tool_call_id"], *message.get("more_call_ids", ())]}


def _labelled(event: Event, message: Json) -> Event:
    kind, agent = message.get("message_type"), message.get("agent")
    tags = (kind,) if isinstance(kind, str) else ()
    tags += ("demo",) if message.get("is_demo") is True else ()
    named = isinstance(agent, str) and event.role == "assistant"
    return msgspec.structs.replace(event, tags=tags, author=agent if named else event.author)


@exporter(NAME)
def write(session: Session) -> Json:
    """The trajectory. State, tools, tags and pins have no place in it."""
    new: Json = {"key": "history", "beside": {"trajectory": [], "info": {}}}
    stored: Json = session.metadata.get(NAME, new)
    written = zip(write_chat(NAME, session.log), session.log, strict=True)
    messages = [_own_message(message, event) for message, event in written]
    fields: Json = stored["beside"]
    return {**fields, stored["key"]: messages}
