"""`C.extract(schema, key)`: a conversation becomes a record in the state
(context-algebra.md#extraction)."""

from collections.abc import Callable
from typing import Any, ClassVar

from contextwright.atoms.incremental import ask_grown, ask_until_asked, until_asked
from contextwright.atoms.select.from_state import json_text, label
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.blocks.ref import Ref
from contextwright.errors import SpecError
from contextwright.session.state import check_key
from contextwright.spec.inputs import Inputs
from contextwright.spec.schema import check_schema
from contextwright.spec.task import Answer, Task
from contextwright.spec.word_roles import LogReader, OfLog, Writer


class Extract(Writer, LogReader, frozen=True, kw_only=True):
    """Fill a schema from the conversation, up to what the user said last; keep the record in
    the state, for this agent and those behind it. The record is also a block of this request.

    Args:
        schema: JSON Schema of the record, as text.
        key: the state key.
        model: who does it; empty for the engine's.
        prompt: what to mind.
    """

    word: ClassVar[str] = "extract"
    positional: ClassVar[int] = 2

    schema: str
    key: str
    model: str = ""
    prompt: str = ""

    def __post_init__(self) -> None:
        check_key(self.key)
        if not self.schema:
            raise SpecError(
                "extract needs a schema",
                where=f"C.extract(key={self.key!r})",
                fix='C.extract({"budget": "float"}, key="requirements")',
            )
        check_schema(self.schema, f"C.extract(key={self.key!r})")

    def written(self) -> tuple[str, ...]:
        """The record's key."""
        return (self.key,)

    @property
    def before_turn(self) -> bool:
        """It is written while the request is made."""
        return True

    def over(self, inputs: Inputs) -> Blocks:
        """The conversation, up to what the user said last."""
        return until_asked(inputs)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The record; what the state has of it where none was prepared."""
        answer = ask_grown(self._task, repr(self), blocks, inputs)[0] if blocks else None
        return self._record_blocks(answer, inputs)

    def of_log(self, inputs: Inputs, tokens: Callable[[int], int]) -> OfLog | None:
        """The same of the conversation as the log has it."""
        return OfLog(self._record_blocks(ask_until_asked(self._task, repr(self), inputs), inputs))

    @property
    def _task(self) -> Task:
        return Task(kind="record", model=self.model, prompt=self.prompt, schema=self.schema)

    def _record_blocks(self, answer: Answer | None, inputs: Inputs) -> Blocks:
        if answer is not None:
            inputs.wrote[self.key] = answer.value
            is_stored = answer.value == inputs.snapshot.state.get(self.key)
            return (self._block(answer.value, is_stored=is_stored),)
        state = inputs.snapshot.state
        return (self._block(state[self.key], is_stored=True),) if self.key in state else ()

    def _block(self, record: Any, *, is_stored: bool) -> Block:
        return Block(
            id=f"state:{self.key}",
            source=f"state:{self.key}",
            layer=Layer.TASK,
            text=f"{label(self.key)}: {json_text(record)}",
            cache=CacheClass.DYNAMIC,
            ref=str(Ref("state", self.key)) if is_stored else "",
            lineage=(f"state:{self.key}",),
        )
