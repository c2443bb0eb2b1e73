"""Formats whose file is a list of messages, or a document with such a list and whatever stands
beside it."""

from collections.abc import Callable
from typing import Any

from contextwright.formats.document import Document, body_of, numbered
from contextwright.formats.fields import Json, text_if
from contextwright.formats.provenance import ToMessage, read_messages
from contextwright.formats.request_body import ORDER, in_its_order, order_of, without_marks
from contextwright.session.event import Event
from contextwright.session.session import Session


def session_of_document(
    name: str,
    document: Document,
    to_events: Callable[[Any, str], list[Event]],
    to_message: ToMessage,
) -> Session:
    """The session; what stands beside the messages becomes its metadata.

    Args:
        name: of the format.
        to_events: the events of a message, with where it stands. to_message: back again.
    """
    body, _, _ = body_of(document, "messages")
    messages = numbered(document, "message", "messages")
    return Session(
        text_if(body.get("id"), "session"),
        read_messages(name, messages, to_events, to_message),
        metadata={name: fields_beside(body, "messages")} if body else {},
    )


def fields_beside(body: Json, *own: str) -> Json:
    """What stands in a document beside its messages, and the order of its keys, for the metadata.

    Args:
        own: the keys of what is kept as events, the messages' first.
    """
    fields = {key: value for key, value in body.items() if key not in own}
    return {**fields, ORDER: order_of({**body, **dict.fromkeys(own[1:])}, own[0])}


def with_fields(name: str, session: Session, messages: list[Any]) -> Any:
    """The messages; a document where the session came from one of this format."""
    fields = session.metadata.get(name)
    if fields is None:
        return messages
    return in_its_order({**without_marks(fields), "messages": messages}, fields)
