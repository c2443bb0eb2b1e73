"""What a program hands over, again and again and longer each time: a list of messages, or a
provider's body that has one."""

from collections.abc import Sequence
from typing import Any, cast

import msgspec

from contextwright.argument_types import refuse_stream
from contextwright.errors import SessionError
from contextwright.formats.dump import Dumper, get, items_of
from contextwright.formats.fields import Json
from contextwright.formats.objects import list_key

LISTS = {
    "openai-chat": "messages",
    "openai-responses": "input",
    "anthropic": "messages",
    "gemini": "contents",
}
"""Where a provider's body of a format has its messages."""


class KeptMessages(list[Any]):
    """Messages that nobody writes into: what stands in a later list as the same object says the
    same, and need not be compared."""


class MessageList(msgspec.Struct, frozen=True, eq=False):
    """A list of messages, or a body that has one.

    Args:
        source: as it came.
        messages: the caller's own objects.
        key: of the body's field that has them; empty for a list.
        fields: the other fields of the body.
        single: what stood there instead of a list, a text or a message; `source` and
            `messages` have it as a list of one.
        around: the document whose `request` the body is, where it stood in one.
        format: that the caller knows it to be in; empty where its messages tell.
    """

    source: Any
    messages: list[Any]
    key: str = ""
    fields: dict[str, Any] = {}
    single: Any = None
    around: dict[str, Any] = {}
    format: str = ""

    @property
    def model(self) -> Any:
        """The model that the body names, or what stands around it."""
        return self.fields.get("model", self.around.get("model"))

    def within(self, body: Any) -> Any:
        """A body in the place of the one that came."""
        held = self.around.items()
        return {k: body if k == "request" else v for k, v in held} if self.around else body


def body_list(body: dict[str, Any], format: str) -> MessageList:
    """The messages of a body whose provider is known, by where it goes: what it says is read by
    that provider's rules alone, though another's would fit as well."""
    return msgspec.structs.replace(_listed(body, LISTS[format]), format=format)


def message_list(source: Any, where: str) -> MessageList:
    """The messages of a list, or of a provider's body; those that are told already as they are.

    Raises:
        SessionError: it is neither.
    """
    if isinstance(source, MessageList):
        return source
    if isinstance(source, list | tuple):
        return MessageList(source, list(cast("Sequence[Any]", source)))
    refuse_stream(source, SessionError, where)
    key = None if isinstance(source, str) else list_key(source)
    if key is None:
        raise SessionError(
            f"expected a list of messages or a body with one, got {type(source).__name__}",
            where=where,
            fix='give [{"role": "user", "content": TEXT}], or {"messages": [...]}',
        )
    if key == "request":  # as Gemini's command line sends it
        inner = message_list(get(source, key), where)
        return msgspec.structs.replace(inner, around=cast(Json, source))
    return _listed(source, key)


def _listed(source: Any, key: str) -> MessageList:
    """A body whose messages stand in the field `key`."""
    listed = get(source, key)
    fields = {name: value for name, value in items_of(source) if name != key}
    if listed is None:
        return MessageList(source, [], key, fields)
    if not isinstance(listed, list | tuple):
        gemini = {"parts": [{"text": listed}]} if key == "contents" else {"content": listed}
        message: Any = {"role": "user", **gemini} if isinstance(listed, str) else listed
        return MessageList(
            {**dict(items_of(source)), key: [message]}, [message], key, fields, listed
        )
    if not isinstance(listed, KeptMessages):
        listed = list(cast("Sequence[Any]", listed))
    return MessageList(source, cast("list[Any]", listed), key, fields)


def plain_message(message: Any) -> Any:
    """A message, or what stands beside messages, as JSON data: the very same object where it is."""
    return message if is_json(message) else Dumper().plain(message, (), "messages")


def is_json(value: Any) -> bool:
    """Whether a value is plain JSON data, all of it."""
    if isinstance(value, dict):
        return all(map(is_json, cast(Json, value).values()))
    if isinstance(value, list):
        return all(map(is_json, cast("list[Any]", value)))
    return value is None or type(value) in (str, int, float, bool)
