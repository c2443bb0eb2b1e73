"""Values that people make by calling a class: a wrong argument is named as everywhere else."""

import re
from typing import TYPE_CHECKING, Any

import msgspec

from contextwright import errors  # pyright: ignore[reportUnusedImport] -- hidden from checkers
from contextwright.errors import ContextwrightError, ModelError, SessionError, SpecError, StoreError

_QUOTED = re.compile(r"'(\w+)'")


class CheckedCall(type(msgspec.Struct)):
    """The metaclass of such structs. Decoding does not pass here: it names its own faults.
    Type checkers see the fields."""

    fault: type[ContextwrightError] = SpecError

    if not TYPE_CHECKING:

        def __call__(cls, *arguments: Any, **options: Any) -> Any:
            """The value.

            Raises:
                ContextwrightError: `fault`: an argument that the struct does not have, or one that
                    is missing.
            """
            try:
                return super().__call__(*arguments, **options)
            except TypeError as error:
                fields: tuple[str, ...] = cls.__struct_fields__
                wrong = next((name for name in options if name not in fields), "")
                missing = _QUOTED.search(str(error))
                by_name = f"{cls.__name__}({', '.join(f'{name}=...' for name in fields)})"
                if not wrong and (missing is None or missing[1] not in fields):
                    if "positional" not in str(error):
                        raise
                    raise cls.fault(
                        f"{len(arguments)} arguments by position do not fit",
                        where=f"{cls.__name__}(...)",
                        fix=by_name,
                    ) from error
                raise cls.fault(
                    f"unexpected argument {wrong!r}; expected {', '.join(fields)}"
                    if wrong
                    else f"missing argument {missing[1] if missing else ''!r}",
                    where=f"{cls.__name__}({', '.join(f'{name}=...' for name in options)})",
                    fix=errors.nearest(wrong, fields) if wrong else by_name,
                ) from error


class CheckedMessage(CheckedCall):
    """Of what a session is made of."""

    fault = SessionError


class CheckedReceiver(CheckedCall):
    """Of what a request is for."""

    fault = ModelError


class CheckedRecord(CheckedCall):
    """Of what a store keeps."""

    fault = StoreError
