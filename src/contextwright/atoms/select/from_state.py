"""`C.from_state(...)`: what the session remembers (context-algebra.md#state)."""

from typing import Any, ClassVar, Literal

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import CacheClass, Layer, Trust
from contextwright.blocks.ref import Ref
from contextwright.errors import SpecError
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb


class FromState(Atom, frozen=True, kw_only=True):
    """A block for every key, in the order given; a key that is not there brings nothing.

    Args:
        keys: state keys, with their scope prefix.
        format: `labeled`, `Intent: billing`; `json`, the value as JSON; `plain`, the value.
        trusted: whether the application alone writes these keys: then they may join the system
            instruction. What users, agents or tools may have put there stands outside of it.
    """

    word: ClassVar[str] = "from_state"
    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.SELECT
    variadic: ClassVar[str] = "keys"

    keys: tuple[str, ...]
    format: Literal["labeled", "json", "plain"] = "labeled"
    trusted: bool = False

    def __post_init__(self) -> None:
        if not self.keys:
            raise SpecError(
                "from_state needs a key", where=repr(self), fix='C.from_state("intent")'
            )

    def reads(self) -> tuple[str, ...]:
        """The keys."""
        return self.keys

    def bring(self, inputs: Inputs) -> Blocks:
        """The blocks of the keys that the state has."""
        state = inputs.snapshot.state
        return tuple(self._block(key, state[key]) for key in self.keys if key in state)

    def _block(self, key: str, value: Any) -> Block:
        shown = plain_text(value)
        if self.format == "labeled":
            shown = f"{label(key)}: {shown}"
        elif self.format == "json":
            shown = json_text(value)
        lasting = key.startswith(("user:", "app:"))
        return Block(
            id=f"state:{key}",
            source=f"state:{key}",
            layer=Layer.TASK,
            text=shown,
            cache=CacheClass.SESSION if lasting else CacheClass.DYNAMIC,
            ref=str(Ref("state", key)),
            lineage=(f"state:{key}",),
            trust=Trust.OPERATOR if self.trusted else Trust.FOREIGN,
        )


def label(key: str) -> str:
    """`user:home_city` as a reader writes it: `Home city`."""
    words = key.rpartition(":")[2].strip("_").replace("_", " ")
    return words[:1].upper() + words[1:]


def plain_text(value: Any) -> str:
    """A string as it is, anything else as JSON."""
    return value if isinstance(value, str) else json_text(value)


def json_text(value: Any) -> str:
    """Canonical JSON."""
    return msgspec.json.encode(value, order="sorted").decode()
