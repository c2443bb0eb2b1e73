"""Ids and names, by which two things are one: what stands there where something of them is
redacted."""

from hashlib import sha256
from typing import Protocol

from contextwright.errors import SpecError
from contextwright.redaction.operators import Operator


class TextRedaction(Protocol):
    """What takes out of texts what must not be seen."""

    @property
    def operator(self) -> Operator:
        """What stands instead."""
        ...

    def text(self, text: str) -> str:
        """A text without it."""
        ...


def redacted_id(cleaner: TextRedaction, id: str) -> str:
    """An id or a name as it is, or another one, always the same, which every provider takes."""
    if not id or cleaner.text(id) == id:
        return id
    vault = cleaner.operator.vault
    digest = vault.digest(id) if vault else sha256(id.encode("utf-8", "replace")).hexdigest()
    return f"redacted_{digest[:8]}"


def expect_callable(cleaner: TextRedaction, name: str) -> None:
    """Refuse to offer a tool by a name that is redacted: under another one its application would
    not know it when the model calls it.

    Raises:
        SpecError: names the tool without what is redacted.
    """
    clean = cleaner.text(name)
    if clean == name:
        return
    raise SpecError(
        "the spec redacts something of a tool's own name, by which the model has to call it",
        where=f"the tool {clean!r}",
        fix="rename the tool, leave it out (C.tools(...)), or narrow the pattern",
    )
