"""Formats whose messages are OpenAI Chat messages in an envelope of their own."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from contextwright.formats import openai_chat
from contextwright.formats.document import Document, Record
from contextwright.formats.fields import Json, an_object, text_or
from contextwright.session.event import Event
from contextwright.session.session import Session


def read_chat(
    format: str, messages: list[Any], where: str, amend: Callable[[Event], Event] = lambda e: e
) -> list[Event]:
    """The events of these messages; what they say beside is kept under this format's name."""
    document = Document(where, (Record(messages, where),), lines=False)
    if not messages:
        return []
    for number, message in enumerate(messages):
        place = f"{where} message {number}"
        text_or(an_object(message, place).get("role"), f"{place}, field role")
    events = openai_chat.read(document).log
    return [amend(_renamed(event, openai_chat.NAME, format)) for event in events]


def write_chat(format: str, events: Iterable[Event]) -> list[Json]:
    """The messages of these events."""
    session = Session("session", (_renamed(e, format, openai_chat.NAME) for e in events))
    return openai_chat.write(session)


def _renamed(event: Event, old: str, new: str) -> Event:
    if old not in event.extra:
        return event
    extra = {new if key == old else key: value for key, value in event.extra.items()}
    return msgspec.structs.replace(event, extra=extra)
