"""Bodies that are decoded from where they grew: an agent sends its whole conversation with every
call, and most of it is known from the call before.

What a reader of JSON has read by some byte follows from the bytes up to there. So of a body that
begins as a known one does, up to the end of one of its messages, only the rest is decoded, behind
what stands in front of the messages. What this can not tell is decoded whole.
"""

from collections import OrderedDict
from threading import Lock
from typing import Any

import msgspec

from contextwright.formats.fields import Json, object_if
from contextwright.formats.message_list import KeptMessages
from contextwright.typed_decoding import decoder

BACK = 8
"""Messages at the end of a body that may be others in the next one: a cache breakpoint moves."""
STEP = 16
"""Messages behind a known beginning from which on a longer one is noted."""
ALIKE = 8
"""Beginnings that are kept of conversations with one key."""
_SPACE, _BETWEEN = b" \t\r\n", b" \t\r\n,"


class KnownBeginning(msgspec.Struct, frozen=True, eq=False):
    """How a body began.

    Args:
        text: up to the end of a message. head: up to the bracket in front of the first, with it.
        messages: those in the text, decoded.
    """

    text: bytes
    head: bytes
    messages: list[Any]

    def rest_of(self, raw: bytes) -> bytes:
        """A body without these messages; empty where it does not go on behind them."""
        if not raw.startswith(self.text):
            return b""
        rest = raw[len(self.text) :].lstrip(_SPACE)
        if rest.startswith(b","):
            rest = rest[1:].lstrip(_SPACE)
            return b"" if rest.startswith(b"]") else self.head + rest
        return self.head + rest if rest.startswith(b"]") else b""


class GrownBodies:
    """Beginnings of the newest bodies. It may be used from several threads; messages that it gives
    stand in the next bodies as the same objects, so nobody may write into them.

    Args:
        max_bytes: of their texts; those of the key used longest ago go first.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes, self._size = max_bytes, 0
        self._known: OrderedDict[bytes, list[KnownBeginning]] = OrderedDict()
        self._lock = Lock()

    def decoded(self, key: bytes, field: str, raw: bytes) -> Any:
        """The JSON of a body.

        Args:
            key: of the bodies that it may go on from. field: that has the messages.

        Raises:
            DecodeError: it is no JSON. UnicodeDecodeError: nor UTF-8.
        """
        with self._lock:
            alike = list(self._known.get(key, ()))
        for beginning in sorted(alike, key=lambda one: len(one.text), reverse=True):
            if rest := beginning.rest_of(raw):
                source = _of_rest(rest, beginning.head, field)
                if source is not None:
                    new, messages = source[field], beginning.messages
                    source[field] = messages = KeptMessages([*messages, *new])
                    if len(new) >= STEP:
                        self._note(key, _longer(raw, field, rest, messages, beginning), beginning)
                    return source
        source = msgspec.json.decode(raw)
        messages = object_if(source).get(field)
        if isinstance(messages, list) and len(messages) >= STEP:
            source[field] = messages = KeptMessages(messages)
            self._note(key, _first_beginning(raw, field, messages))
        return source

    def _note(
        self, key: bytes, new: KnownBeginning | None, known: KnownBeginning | None = None
    ) -> None:
        """Keep a beginning, instead of the one that it goes on from."""
        if new is None:
            return
        with self._lock:
            before = self._known.pop(key, [])
            after = [new, *(one for one in before if one is not known)][:ALIKE]
            self._known[key] = after
            self._size += _size(after) - _size(before)
            while self._size > self._max_bytes:
                self._size -= _size(self._known.popitem(last=False)[1])


def _size(beginnings: list[KnownBeginning]) -> int:
    return sum(len(one.text) for one in beginnings)


def _of_rest(rest: bytes, head: bytes, field: str) -> Json | None:
    """What the rest of a body says; None where its list does not stand where it must."""
    try:
        source: Any = msgspec.json.decode(rest)
        listed = _text_of(rest, field)
        if not listed or not rest.startswith(listed, len(head) - 1):
            return None
        behind = rest[len(head) - 1 + len(listed) :].strip(_SPACE)
        # of a field that stands twice the last one counts
        is_last = behind == b"}" or field not in msgspec.json.decode(b"{" + behind[1:])
    except (msgspec.DecodeError, UnicodeError, RecursionError, LookupError, TypeError):
        return None
    return source if is_last else None


def _text_of(body: bytes, field: str) -> bytes:
    """The text of a field's list."""
    listed = bytes(decoder(dict[str, msgspec.Raw]).decode(body)[field])
    return listed if listed.startswith(b"[") else b""


def _first_beginning(raw: bytes, field: str, messages: list[Any]) -> KnownBeginning | None:
    """The beginning of a body of which nothing is known."""
    listed = _text_of(raw, field)
    at = raw.find(listed)
    # the same text may stand elsewhere as well
    if object_if(msgspec.json.decode(raw[:at] + b"0" + raw[at + len(listed) :])).get(field) != 0:
        return None
    count = len(messages) - BACK
    return KnownBeginning(raw[: at + _end_of(listed, count)], raw[: at + 1], messages[:count])


def _longer(
    raw: bytes, field: str, rest: bytes, messages: list[Any], known: KnownBeginning
) -> KnownBeginning:
    """The beginning of a body that goes on from a known one."""
    count = len(messages) - BACK
    end = _end_of(_text_of(rest, field), count - len(known.messages))
    behind = len(rest) - (len(known.head) - 1) - end
    return KnownBeginning(raw[: len(raw) - behind], known.head, messages[:count])


def _end_of(listed: bytes, count: int) -> int:
    """Bytes of a list's text up to the end of its first items."""
    end = 1
    for item in decoder(list[msgspec.Raw]).decode(listed)[:count]:
        while listed[end] in _BETWEEN:
            end += 1
        end += len(bytes(item))
    return end
