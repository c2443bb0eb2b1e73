"""`C.distill(key)`: a conversation becomes single facts in the state
(context-algebra.md#distillation)."""

from collections.abc import Callable
from typing import Any, ClassVar

from contextwright.atoms.incremental import ask_grown, ask_until_asked, until_asked
from contextwright.atoms.write.notes import Notes
from contextwright.blocks.block import Blocks
from contextwright.session.state import FACTS_PREFIX, check_key
from contextwright.spec.inputs import Inputs
from contextwright.spec.task import Answer, Task
from contextwright.spec.word_roles import LogReader, OfLog, Writer


class Distill(Writer, LogReader, frozen=True, kw_only=True):
    """The facts of the conversation, up to what the user said last, a sentence each, kept in
    the state for `C.notes(key)`. They are also blocks of this request, one a fact.

    Args:
        key: kept under the state key `_facts_{key}`.
        model: who does it; empty for the engine's.
        prompt: which facts matter.
    """

    word: ClassVar[str] = "distill"

    key: str = "facts"
    model: str = ""
    prompt: str = ""

    def __post_init__(self) -> None:
        check_key(self.key)

    def written(self) -> tuple[str, ...]:
        """The facts' key."""
        return (FACTS_PREFIX + self.key,)

    @property
    def before_turn(self) -> bool:
        """It is written while the request is made."""
        return True

    def over(self, inputs: Inputs) -> Blocks:
        """The conversation, up to what the user said last."""
        return until_asked(inputs)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """A block a fact; those that the state has where none were prepared."""
        answer = ask_grown(self._task, repr(self), blocks, inputs)[0] if blocks else None
        return self._fact_blocks(answer, inputs)

    def of_log(self, inputs: Inputs, tokens: Callable[[int], int]) -> OfLog | None:
        """The same of the conversation as the log has it."""
        return OfLog(self._fact_blocks(ask_until_asked(self._task, repr(self), inputs), inputs))

    @property
    def _task(self) -> Task:
        return Task(kind="facts", model=self.model, prompt=self.prompt)

    def _fact_blocks(self, answer: Answer | None, inputs: Inputs) -> Blocks:
        stored = FACTS_PREFIX + self.key
        known: Any = inputs.snapshot.state.get(stored)
        if answer is not None:
            inputs.wrote[stored] = answer.value
            known = answer.value
        is_stored = known == inputs.snapshot.state.get(stored)
        source = f"facts:{self.key}"
        return (
            Notes(key=self.key).of(known, stored, source=source, is_stored=is_stored)
            if known
            else ()
        )
