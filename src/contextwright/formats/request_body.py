"""A provider's request body beside its messages: what the caller asked for, as it came.

A reader keeps it in the session's metadata under the format's name; `ORDER` there says that it was
a request, not a record of a conversation, and in which order its keys stood. The tools wait in the
session, each as it came.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from contextwright.errors import MalformedRecord
from contextwright.formats.fields import Json, object_if
from contextwright.formats.key_order import KEYS, in_key_order, key_order
from contextwright.session.event import Tool

ORDER = "$order"
"""Key of a format's metadata: the order of a request's keys."""
TOOLS = "$tools"
"""Key of a format's metadata: the list of tools, where the session's tools do not say all of it."""


SYSTEM = "$system"
"""Key of a format's metadata: the field of the system text, and what it held, where its events do
not say all of it."""
_CHAINS = ("previous_response_id", "conversation", "thread")
SINGLE = "$single"
"""Key of a format's metadata: the messages were one text, or one message, and no list."""
ENVELOPE = "$envelope"
"""Key of a format's metadata: the record around the messages, and where they stand in it."""
AROUND = "$around"
"""Key of a format's metadata: the document whose `request` the body was."""
_OURS = frozenset({ORDER, TOOLS, SYSTEM, SINGLE, ENVELOPE, AROUND})
"""All keys of a format's metadata that are no field of the source's."""


class RequestBody(msgspec.Struct, frozen=True, eq=False):
    """A request as its caller made it.

    Args:
        format: whose request it is.
        fields: all of it in its order, with None where the messages and the system text stand.
        tools: the session's, which were read from it.
        single: whether its messages were one text, or one message, and no list.
        is_request: whether it names what a request must; a record of a conversation, such as a
            row of a data set, may have fields of the same names.
        model: whom it, or what stood around it, names; empty where neither does.
    """

    format: str
    fields: Json
    tools: tuple[Tool, ...]
    single: bool = False
    is_request: bool = True
    model: str = ""

    @property
    def is_chained(self) -> bool:
        """Whether it goes on from what the provider has: a result's call may stand there."""
        return any(self.fields.get(key) for key in _CHAINS)


def order_of(body: Mapping[str, Any], messages: str) -> Json:
    """The order of a request's keys, for the metadata of its session.

    Args:
        messages: the key of what is kept as events.

    Raises:
        MalformedRecord: a key is one of ours, so that it could not be told from what we keep.
    """
    if taken := sorted(_OURS.intersection(body)):
        raise MalformedRecord(
            "a key of this name is kept for contextwright's own",
            where=f"the body's {taken[0]}",
            fix="name it otherwise, or leave it out",
        )
    rest = {key: None if key == messages else item for key, item in body.items()}
    return {**key_order(None, rest), KEYS: list(body)}


def body_of_session(
    format: str, metadata: Mapping[str, Any], tools: Sequence[Tool]
) -> RequestBody | None:
    """The body that a session of this format was read from; None where it was a bare list."""
    stored = metadata.get(format)
    if not isinstance(stored, dict):
        return None
    order = object_if(object_if(stored).get(ORDER))
    fields = in_key_order(_fields(format, object_if(stored), tools, order), order)
    named = fields.get("model", object_if(stored.get(AROUND)).get("model"))
    model = named if isinstance(named, str) else ""
    return RequestBody(format, fields, tuple(tools), SINGLE in stored, ORDER in stored, model)


def _fields(format: str, stored: Json, tools: Sequence[Tool], order: Json) -> Json:
    inner = object_if(stored["beside"]) if "beside" in stored else stored
    fields: Json = dict.fromkeys(order.get(KEYS, ()))
    fields.update((key, item) for key, item in inner.items() if key not in _OURS)
    if isinstance(system := stored.get(SYSTEM), list):
        fields[system[0]] = system[1]
    listed = stored.get(TOOLS, stored.get("tools") if "beside" in stored else None)
    if listed is None:
        listed = [tool.extra[format] for tool in tools if format in tool.extra] or None
    if listed is not None:
        fields["tools"] = listed
    return fields


def without_marks(stored: Mapping[str, Any] | None) -> Json:
    """The keys that were the source's own."""
    return {key: item for key, item in (stored or {}).items() if key not in _OURS}


def in_its_order(document: Json, stored: Mapping[str, Any] | None) -> Json:
    """A written body with its keys where its caller had them, as far as that is known."""
    return in_key_order(document, object_if((stored or {}).get(ORDER)))
