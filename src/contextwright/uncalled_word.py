"""A word of `C` or `S` before it is called: beside `|` and `+` it says what it lacks."""

from collections.abc import Callable
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, NoReturn

from contextwright.errors import SpecError

if TYPE_CHECKING:
    from inspect import Signature


class UncalledWord:
    """A function that makes a word's struct, and no spec: what a spec can do is refused by name.

    Args:
        function: what a call calls.
        signature: of the word; by default the function's.
    """

    def __init__(self, function: Callable[..., Any], signature: "Signature | None" = None) -> None:
        update_wrapper(self, function)
        self._function = function
        if signature is not None:
            self.__signature__ = signature

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._function(*arguments, **options)

    def __get__(self, instance: object, owner: type | None = None) -> "UncalledWord":
        return self  # what has it is a routine to `help`

    def __repr__(self) -> str:
        return f"<function {self._name}>"

    @property
    def _name(self) -> str:
        return str(self.__qualname__)  # pyright: ignore

    def __or__(self, other: object) -> NoReturn:
        raise self._refusal_of("|", other)

    def __ror__(self, other: object) -> NoReturn:
        raise self._refusal_of("|", other)

    def __add__(self, other: object) -> NoReturn:
        raise self._refusal_of("+", other)

    def __radd__(self, other: object) -> NoReturn:
        raise self._refusal_of("+", other)

    def or_else(self, other: object) -> NoReturn:
        """Refused: a spec falls back, which a call makes."""
        raise self._refusal_of(".or_else", other)

    def refusal(self, wanted: str, where: str) -> SpecError:
        """The error of who gives it where a call of it was meant."""
        return SpecError(
            f"{wanted}, got {self._name} without its parentheses",
            where=where,
            fix=f"call it: {self._name}(...)",
        )

    def _refusal_of(self, operator: str, other: object) -> SpecError:
        shown = other._name if isinstance(other, UncalledWord) else repr(other)
        where = f"{self._name} and {shown}"[:200]
        return self.refusal(f"expected a spec beside {operator!r}", where)
