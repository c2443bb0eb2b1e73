"""`C.project(fields=...)`: of structured outputs, only some fields
(context-algebra.md#projection)."""

from typing import ClassVar

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.block_texts import rewrite
from contextwright.blocks.fidelity import Fidelity
from contextwright.errors import SpecError
from contextwright.session.event import ToolCall
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Traits
from contextwright.text.json_fields import project_json


class Project(Atom, frozen=True, kw_only=True):
    """Keep these fields of JSON outputs, results and texts, or leave those out.

    What is not JSON, and what the user said, stays whole.

    Args:
        fields: names, or dotted paths, to keep.
        exclude: names, or dotted paths, to leave out.
    """

    word: ClassVar[str] = "project"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS

    fields: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.fields) == bool(self.exclude):
            raise SpecError(
                "project keeps fields or leaves fields out, one of the two",
                where=repr(self),
                fix='C.project(fields=["findings"]) or C.project(exclude=["raw_data"])',
            )

    @property
    def traits(self) -> Traits:
        """A block at a time."""
        return Traits(view="block", maps=True)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks, their JSON projected."""
        return inputs.rewritten(self, blocks, self.projected, before=inputs.protection.edge)

    def projected(self, block: Block) -> Block:
        """One block, projected."""

        def short(text: str) -> str:
            projection = project_json(text, self.fields, self.exclude)
            return text if projection is None or len(projection) > len(text) else projection

        def on_result(text: str, call: ToolCall, ref: str) -> str:
            return short(text)

        def on_text(text: str, ref: str) -> str:
            return short(text)

        selection = f"kept {', '.join(self.fields)}" if self.fields else ""
        why = selection or f"left out {', '.join(self.exclude)}"
        if not block.messages:
            label, separator, value = block.text.partition(": ")
            text = label + separator + short(value) if separator else short(block.text)
            if text == block.text:
                text = short(block.text)
            same = text == block.text
            return block if same else block.lower(Fidelity.COMPACTED, text=text, why=why)
        messages = rewrite(block, on_result=on_result, on_text=on_text)
        if messages is block.messages:
            return block
        return block.lower(Fidelity.COMPACTED, messages=messages, why=why)
