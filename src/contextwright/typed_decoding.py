"""Values of a type out of JSON or plain values, each type told to msgspec by one thread at a time.

msgspec notes on a struct class what its fields are when the class is first decoded, and another
thread that decodes it meanwhile takes what is half noted: first calls of several threads ended the
process. So each decoder and each conversion goes through here (`tests/test_house.py`).
"""

from threading import RLock
from typing import Any, TypeVar, overload

import msgspec

from contextwright.forked_process import held_over_a_fork

T = TypeVar("T")

_LOCK = RLock()
held_over_a_fork(_LOCK)
_DECODERS: dict[Any, msgspec.json.Decoder[Any]] = {}
_CONVERTED: set[Any] = set()
"""What was told, for as long as the process: classes of this package and of users' words."""


@overload
def decoder(kind: type[T]) -> msgspec.json.Decoder[T]: ...
@overload
def decoder(kind: Any) -> msgspec.json.Decoder[Any]: ...
def decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """The JSON decoder of a type, one for all threads."""
    known = _DECODERS.get(kind)
    if known is None:
        with _LOCK:
            known = _DECODERS[kind] = msgspec.json.Decoder(kind)
    return known


@overload
def converted(value: Any, kind: type[T]) -> T: ...
@overload
def converted(value: Any, kind: Any) -> Any: ...
def converted(value: Any, kind: Any) -> Any:
    """A plain value as one of a type.

    Raises:
        msgspec.ValidationError: it is none.
    """
    if kind in _CONVERTED:
        return msgspec.convert(value, kind)
    with _LOCK:
        try:
            return msgspec.convert(value, kind)
        finally:  # what is no such value told the type as well
            _CONVERTED.add(kind)
