"""A body as JSON, encoded from where it grew: a request has nearly all messages of the one before
it, as the very same objects."""

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from contextwright.memo.by_identity import same_beginning

Order = Literal["sorted"] | None
"""Of the keys: sorted, or as they stand."""


class EncodedBody(msgspec.Struct, frozen=True, eq=False):
    """A body that was encoded, to go on from.

    Args:
        text: its JSON. head: that up to the bracket in front of the first message, with it.
        items: the messages; nobody writes into them. ends: where each ends in the text.
    """

    text: bytes
    head: bytes
    order: Order
    items: Sequence[Any]
    ends: "array[int]"


def encoded_body(
    fields: Mapping[str, Any],
    key: str,
    order: Order = None,
    before: EncodedBody | None = None,
) -> EncodedBody:
    """A body encoded as `msgspec.json.encode` does it.

    Args:
        key: of its list of messages. before: a body that it may begin as.
    """
    head, items, tail = _around(fields, key, order)
    same, start, ends = 0, memoryview(head), array("q")
    if before is not None and (before.head, before.order) == (head, order):
        same = same_beginning(before.items, items)
    if before is not None and same:
        start, ends = memoryview(before.text)[: before.ends[same - 1]], before.ends[:same]
    texts = [msgspec.json.encode(item, order=order) for item in items[same:]]
    further = b",".join(([b""] if same and texts else []) + texts)
    end = len(start) - (not same)  # a comma stands in front of each but the first
    for text in texts:
        end += len(text) + 1
        ends.append(end)
    body = b"".join((start, further, tail))
    return EncodedBody(body, head, order, tuple(items), ends)


def _around(
    fields: Mapping[str, Any], key: str, order: Order
) -> tuple[bytes, Sequence[Any], bytes]:
    """What stands in front of a body's messages, these, and what stands behind them."""
    names, items = list(fields) if order is None else sorted(fields), fields.get(key)
    if not isinstance(items, list):
        return msgspec.json.encode(fields, order=order), (), b""
    at = names.index(key)
    front = msgspec.json.encode({name: fields[name] for name in names[:at]}, order=order)[:-1]
    behind = {name: fields[name] for name in names[at + 1 :]}
    rest = msgspec.json.encode(behind, order=order)[1:] if behind else b"}"
    head = b"%s%s%s:[" % (front, b"," if at else b"", msgspec.json.encode(key))
    return head, items, b"]%s%s" % (b"," if len(rest) > 1 else b"", rest)
