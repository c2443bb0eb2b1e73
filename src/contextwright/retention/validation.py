"""Checks of arguments before anything is done: a hold that holds nothing, or an erasure that looks
for letters, would not show."""

from typing import Any, TypeVar

import msgspec

from contextwright.errors import StoreError
from contextwright.typed_decoding import converted

T = TypeVar("T")


def require(value: Any, kind: type[T], where: str, fix: str) -> T:
    """The value, where it is of a type.

    Raises:
        StoreError: it is not; the error names both types.
    """
    if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
        return value
    raise StoreError(
        f"expected {kind.__name__}, got {type(value).__module__}.{type(value).__qualname__}",
        where=where,
        fix=fix,
    )


def text_tuple(texts: Any, where: str) -> tuple[str, ...]:
    """Texts as a tuple; one text is one, not its letters.

    Raises:
        StoreError: no list, or a list with something else in it.
    """
    try:
        return (texts,) if isinstance(texts, str) else converted(texts, tuple[str, ...])
    except msgspec.ValidationError as error:
        raise StoreError(
            f"expected tuples of texts: {error}", where=where, fix=f"such as {where}=('u-1815',)"
        ) from error
