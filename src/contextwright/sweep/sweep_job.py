"""What a sweep compiles sessions under, as plain data that any process can be sent."""

import msgspec

from contextwright.spec.codec import from_json, to_json
from contextwright.spec.expr import Expr

MODEL = "gpt-5"


class SweepSpec(msgspec.Struct, frozen=True):
    """A spec of a sweep.

    Args:
        name: in the column `spec`. json: the spec.
    """

    name: str
    json: str

    @classmethod
    def of(cls, spec: Expr, name: str = "") -> "SweepSpec":
        """A spec under a name; by default its own text."""
        return cls(name or repr(spec), to_json(spec).decode())

    @property
    def spec(self) -> Expr:
        """The spec."""
        return from_json(self.json)


class SweepJob(msgspec.Struct, frozen=True):
    """What a sweep does with every session.

    Args:
        specs: that every call is compiled under, each for itself.
        model: whose tokens, prices and cache rules count.
        window: tokens of its context window; by default the model's.
        share: of the calls of each session, from its first, that are compiled.
    """

    specs: tuple[SweepSpec, ...]
    model: str = MODEL
    window: int | None = None
    share: float = 1.0
