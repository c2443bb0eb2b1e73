"""`C.notes(key)`: what an agent wrote down (context-algebra.md#notes)."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from contextwright.atoms.select.from_state import label, plain_text
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.blocks.ref import Ref
from contextwright.session.state import FACTS_PREFIX, NOTES_PREFIX
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb

NotesFormat = Literal["text", "checklist", "structured", "log"]


class Notes(Atom, frozen=True, kw_only=True):
    """The notes under a key: a block an item where they are a list, so that a scorer or a
    budget can keep some and leave others.

    Args:
        key: read from the state key `_notes_{key}`; where that is missing, the facts of
            `_facts_{key}`.
        format: `text`, a line an item; `checklist`, `[x] done` and `[ ] open` items;
            `structured`, labeled sections; `log`, items behind their times.
    """

    word: ClassVar[str] = "notes"
    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.WRITE

    key: str = "default"
    format: NotesFormat = "text"

    def reads(self) -> tuple[str, ...]:
        """The state key of the notes."""
        return (NOTES_PREFIX + self.key,)

    def bring(self, inputs: Inputs) -> Blocks:
        """A block an item."""
        state = inputs.snapshot.state
        stored = NOTES_PREFIX + self.key
        if stored not in state:
            stored = FACTS_PREFIX + self.key
        if stored not in state:
            return ()
        return self.of(state[stored], stored, source=f"notes:{self.key}")

    def of(self, notes: Any, stored: str, *, source: str, is_stored: bool = True) -> Blocks:
        """A block for each item of notes that are, or will be, under this state key.

        Args:
            is_stored: whether the state has them already: only then a ref to it resolves.
        """
        lines = [line for line in self._lines(notes) if line]
        ref = str(Ref("state", stored)) if is_stored else ""
        return tuple(
            Block(
                id=f"{source}/{place}",
                source=source,
                layer=Layer.MEMORY,
                text=line,
                cache=CacheClass.DYNAMIC,
                ref=ref,
                lineage=(f"state:{stored}",),
            )
            for place, line in enumerate(lines)
        )

    def _lines(self, notes: Any) -> list[str]:
        if isinstance(notes, Mapping) and self.format in {"text", "structured"}:
            sections: Mapping[str, Any] = notes  # pyright: ignore[reportUnknownVariableType]
            return [f"{label(name)}: {plain_text(value)}" for name, value in sections.items()]
        items: list[Any] = notes if isinstance(notes, list) else [notes]  # pyright: ignore
        if len(items) == 1 and isinstance(items[0], str) and self.format == "text":
            return items
        return [self._line(item) for item in items]

    def _line(self, item: Any) -> str:
        entry: Mapping[str, Any] = item if isinstance(item, Mapping) else {"text": item}
        text = plain_text(entry.get("text", entry.get("item", item)))
        if self.format == "checklist":
            done = bool(entry.get("done", text.startswith("[x]")))
            return (
                f"[{'x' if done else ' '}] {text.removeprefix('[x]').removeprefix('[ ]').strip()}"
            )
        if self.format == "log":
            time = entry.get("time", "")
            return f"- {time} {text}" if time else f"- {text}"
        return text if text.startswith("- ") else f"- {text}"
