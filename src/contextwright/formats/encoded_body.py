"""A body as JSON, encoded from where it grew: a request has nearly all messages of the one before
it, as the very same objects."""

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from contextwright.memo.by_identity import same_beginning, same_objects

Order = Literal["sorted"] | None
"""Of the keys: sorted, or as they stand."""


class _Frame(NamedTuple):
    """What stands around a body's messages, and what it was encoded from: the names of all fields,
    and the values of all but the messages'."""

    names: tuple[str, ...]
    others: tuple[Any, ...]
    head: bytes
    tail: bytes


class EncodedBody(msgspec.Struct, frozen=True, eq=False):
    """A body that was encoded, to go on from.

    Args:
        text: its JSON. frame: what stands around its messages.
        items: the messages; nobody writes into them. ends: where each ends in the text.
    """

    text: bytes
    frame: _Frame
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
        key: of its list of messages. order: where keys are sorted, nobody writes into the values
            of other fields either: they are what they were as long as they are the same objects.
        before: a body that it may begin as.
    """
    known = before.frame if before is not None and before.order == order else None
    frame, items = _frame(fields, key, order, known), fields.get(key)
    items = items if isinstance(items, list) else ()
    same, start = 0, memoryview(frame.head)
    if before is not None and known is not None and known.head == frame.head:
        same = same_beginning(before.items, items)
    if before is not None and same:
        start, ends = memoryview(before.text)[: before.ends[same - 1]], before.ends[:same]
    else:
        ends = array("q")
    texts = [msgspec.json.encode(item, order=order) for item in items[same:]]
    further = b",".join(([b""] if same and texts else []) + texts)
    end = len(start) - (not same)  # a comma stands in front of each but the first
    for text in texts:
        end += len(text) + 1
        ends.append(end)
    body = b"".join((start, further, frame.tail))
    return EncodedBody(body, frame, order, tuple(items), ends)


def _frame(fields: Mapping[str, Any], key: str, order: Order, known: _Frame | None) -> _Frame:
    """What stands in front of a body's messages, and behind them; all of it where it has none."""
    names, items = tuple(fields), fields.get(key)
    others = tuple([value for name, value in fields.items() if name != key])
    if not isinstance(items, list):
        return _Frame((), others, msgspec.json.encode(fields, order=order), b"")
    if (
        known is not None
        and order
        and known.names == names
        and all(map(_same, known.others, others))
    ):
        return known
    sequence = list(names) if order is None else sorted(names)
    at = sequence.index(key)
    front = msgspec.json.encode({name: fields[name] for name in sequence[:at]}, order=order)[:-1]
    behind = {name: fields[name] for name in sequence[at + 1 :]}
    rest = msgspec.json.encode(behind, order=order)[1:] if behind else b"}"
    head = b"%s%s%s:[" % (front, b"," if at else b"", msgspec.json.encode(key))
    return _Frame(names, others, head, b"]%s%s" % (b"," if len(rest) > 1 else b"", rest))


def _same(one: Any, other: Any) -> bool:
    """Whether they are the same object, or lists of the same ones."""
    if one is other:
        return True
    return type(one) is list and type(other) is list and same_objects(one, other)  # pyright: ignore
