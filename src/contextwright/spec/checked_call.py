"""Values that people make by calling a class: a wrong argument is named as everywhere else."""

import re
from typing import Any

import msgspec

from contextwright.errors import SpecError
from contextwright.spec.codec import nearest

_QUOTED = re.compile(r"'(\w+)'")


class CheckedCall(type(msgspec.Struct)):
    """The metaclass of such structs. Decoding does not pass here: it names its own faults."""

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        """The value.

        Raises:
            SpecError: an argument that the struct does not have, or one that is missing.
        """
        try:
            return super().__call__(*arguments, **options)
        except TypeError as error:
            fields: tuple[str, ...] = cls.__struct_fields__
            wrong = next((name for name in options if name not in fields), "")
            missing = _QUOTED.search(str(error))
            if not wrong and (missing is None or missing[1] not in fields):
                raise
            raise SpecError(
                f"unexpected argument {wrong!r}; expected {', '.join(fields)}"
                if wrong
                else f"missing argument {missing[1] if missing else ''!r}",
                where=f"{cls.__name__}({', '.join(f'{name}=...' for name in options)})",
                fix=nearest(wrong, fields)
                if wrong
                else f"{cls.__name__}({', '.join(f'{name}=...' for name in fields)})",
            ) from error
