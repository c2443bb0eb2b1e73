"""WRITE: what is recorded for later, and read back."""

from typing import Any, Literal

from contextwright.atoms.write.capture import Capture
from contextwright.atoms.write.distill import Distill
from contextwright.atoms.write.extract import Extract
from contextwright.atoms.write.notes import Notes, NotesFormat
from contextwright.atoms.write.offload import Offload
from contextwright.atoms.write.write_notes import NotesStrategy, WriteNotes
from contextwright.spec.expr import make
from contextwright.spec.schema import schema_text


class WriteWords:
    """WRITE: what is recorded for later, and read back."""

    @staticmethod
    def capture(key: str, *, what: Literal["user", "output"] = "user") -> Capture:
        """The newest message becomes state."""
        return make(Capture, key=key, what=what)

    @staticmethod
    def notes(key: str = "default", *, format: NotesFormat = "text") -> Notes:
        """What was written down under a key."""
        return make(Notes, key=key, format=format)

    @staticmethod
    def write_notes(
        key: str = "default", *, strategy: NotesStrategy = "append", model: str = ""
    ) -> WriteNotes:
        """After the turn, what the agent said is written down."""
        return make(WriteNotes, key=key, strategy=strategy, model=model)

    @staticmethod
    def extract(schema: Any, key: str, *, model: str = "", prompt: str = "") -> Extract:
        """Before the turn, the conversation fills a schema, kept under a state key."""
        return make(Extract, schema=schema_text(schema), key=key, model=model, prompt=prompt)

    @staticmethod
    def offload(min_tokens: int = 500, *, max_tokens: int = 80, model: str = "") -> Offload:
        """After the turn, large tool results become artifacts, listed for `C.evidence()`."""
        return make(Offload, min_tokens=min_tokens, max_tokens=max_tokens, model=model)

    @staticmethod
    def distill(key: str = "facts", *, model: str = "", prompt: str = "") -> Distill:
        """Before the turn, the conversation's facts are kept, for `C.notes(key)`."""
        return make(Distill, key=key, model=model, prompt=prompt)
