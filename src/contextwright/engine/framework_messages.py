"""What a spec made of a framework's messages, as that framework's messages: compiled as OpenAI's
Chat, of which each framework makes what its model's provider takes."""

from collections.abc import Iterator
from typing import Any

from contextwright.engine.message_history import MessageHistory
from contextwright.formats import format_named
from contextwright.formats.fields import Json
from contextwright.formats.message_content import canonical, digest
from contextwright.formats.objects import session_from
from contextwright.session.session import Session

FRAMEWORKS = ("langchain", "pydantic-ai")
_CHAT = "openai-chat"


def framework_messages(wires: list[Json], history: MessageHistory) -> list[Any]:
    """The messages of a request in OpenAI's form: the caller's own objects where all that they say
    is there, and new ones for the rest."""
    forms = _forms(history)
    digests = [digest(canonical(wire)) for wire in wires]
    made: list[Any] = []
    new: list[Json] = []
    start = at = 0
    while at < len(wires):
        place = next(
            (n for n in range(start, len(forms)) if forms[n] and _begins(digests, at, forms[n])),
            None,
        )
        if place is None:
            new.append(wires[at])
            at += 1
            continue
        made += _objects(new, history)
        made.append(history.messages[place])
        new, start, at = [], place + 1, at + len(forms[place])
    return made + _objects(new, history)


def _begins(digests: list[bytes], at: int, form: tuple[bytes, ...]) -> bool:
    return tuple(digests[at : at + len(form)]) == form


def _forms(history: MessageHistory) -> list[tuple[bytes, ...]]:
    """What each message is in OpenAI's form; worked out once."""
    forms = history.forms
    events: dict[int, list[Any]] = {}
    for event, (first, last) in zip(history.session.log, history.read.spans, strict=True):
        if first == last and first >= len(forms):
            events.setdefault(first, []).append(event)
    for place in range(len(forms), len(history)):
        alone = Session("message", events.get(place, ()))
        wires: Any = format_named(_CHAT).write(alone)
        forms.append(tuple(digest(canonical(wire)) for wire in wires))
    return forms


def _objects(wires: list[Json], history: MessageHistory) -> list[Any]:
    """Messages in OpenAI's form as the framework's; as its dumps where the caller has these."""
    if not wires:
        return []
    format = history.read.format
    dumped: Any = format_named(format).write(session_from(wires, format=_CHAT))
    if isinstance(history.messages[0], dict):
        return dumped
    return list(_langchain(dumped) if format == "langchain" else _pydantic_ai(dumped))


def _langchain(dumped: list[Json]) -> Iterator[Any]:
    # the caller has objects of it, so it is installed
    from langchain_core.messages import messages_from_dict

    for message in dumped:
        message["data"]["id"] = None  # LangGraph gives it one
    yield from messages_from_dict(dumped)


def _pydantic_ai(dumped: list[Json]) -> Iterator[Any]:
    from pydantic_ai.messages import ModelMessagesTypeAdapter

    yield from ModelMessagesTypeAdapter.validate_python(dumped)
