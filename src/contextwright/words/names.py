"""One name or several."""

from collections.abc import Iterable

from contextwright.errors import SpecError

Names = Iterable[str] | str


def names_of(names: Names) -> tuple[str, ...]:
    """One name or several, as a tuple.

    Raises:
        SpecError: neither.
    """
    if isinstance(names, str):
        return (names,)
    try:
        return tuple(names)
    except TypeError as error:
        raise SpecError(
            f"a name or a list of names is expected, {type(names).__name__} was given",
            where=repr(names)[:80],
            fix='such as "email" or ["email", "phone"]',
        ) from error
