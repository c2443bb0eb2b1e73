"""A state step: a word of `S`, whose writes `record` applies to the state."""

from typing import Any, ClassVar

import msgspec

from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import literal, struct_defaults
from contextwright.spec.registry import Registry

STATE_STEPS: Registry["StateStep"] = Registry()
"""Every state step by its word."""


class StateStep(msgspec.Struct, frozen=True, kw_only=True):
    """One word of `S`: its options are its fields. A subclass names its `word`."""

    namespace: ClassVar[str] = "S"
    word: ClassVar[str] = ""
    variadic: ClassVar[str] = ""
    positional: ClassVar[int] = 1

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.word:
            STATE_STEPS[cls.word] = cls

    def writes(self, snapshot: Snapshot) -> dict[str, Any]:
        """The state change; empty where there is nothing to do."""
        raise NotImplementedError(f"S.{self.word} writes nothing")

    def __repr__(self) -> str:
        fields = self.__struct_fields__
        arguments = [repr(getattr(self, name)) for name in fields[: self.positional]]
        arguments += [repr(value) for value in getattr(self, self.variadic, ())]
        defaults = struct_defaults(type(self))
        for name in fields[self.positional :]:
            value = getattr(self, name)
            if name != self.variadic and (name not in defaults or value != defaults[name]):
                arguments.append(f"{name}={literal(value)}")
        return f"S.{self.word}({', '.join(arguments)})"
