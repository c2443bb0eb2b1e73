"""`C.template(text)`: a text with state keys in it."""

import re
from hashlib import sha256
from typing import ClassVar

from contextwright.atoms.select.from_state import plain_text
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import CacheClass, Layer, Trust
from contextwright.errors import SpecError
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Gives, Traits

_FIELD = re.compile(r"\{([A-Za-z_][A-Za-z0-9_:]*)(\?)?\}")


def needed(text: str) -> tuple[str, ...]:
    """The state keys that a text with `{key}` in it needs; `{key?}` may be missing."""
    return tuple(match[1] for match in _FIELD.finditer(text) if not match[2])


class Template(Atom, frozen=True, kw_only=True):
    """A text in which `{key}` stands for a state value; `{key?}` may be missing.

    Names are put in once: no attributes, no indices, and what a value holds is never read
    again. Other braces are text.

    Raises:
        SpecError: while compiling, a key that the state does not have.
    """

    word: ClassVar[str] = "template"
    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.SELECT

    text: str

    @property
    def traits(self) -> Traits:
        """No text without its values."""
        return Traits(gives=Gives.ALWAYS, missing_key="fails")

    def reads(self) -> tuple[str, ...]:
        """The keys that it needs."""
        return needed(self.text)

    def bring(self, inputs: Inputs) -> Blocks:
        """The text with its values."""
        state = inputs.snapshot.state

        def value(match: re.Match[str]) -> str:
            if match[1] in state:
                return plain_text(state[match[1]])
            if match[2]:
                return ""
            raise SpecError(
                f"the state has no {match[1]!r}",
                where=repr(self)[:120],
                fix=f"set it before this agent runs, or write {{{match[1]}?}}",
            )

        text = _FIELD.sub(value, self.text)
        fixed = _FIELD.search(self.text) is None
        return (
            Block(
                id=f"template:{sha256(self.text.encode()).hexdigest()[:12]}",
                source="template",
                layer=Layer.TASK,
                text=text,
                cache=CacheClass.STABLE if fixed else CacheClass.DYNAMIC,
                trust=Trust.OPERATOR if fixed else Trust.FOREIGN,
                lineage=tuple(f"state:{key}" for key in self.reads()),
            ),
        )
