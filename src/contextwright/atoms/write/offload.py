"""`C.offload()`: large tool results become artifacts, cited by their addresses
(context-packs.md#evidence)."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, ClassVar

import msgspec

from contextwright.blocks.block import Block
from contextwright.blocks.read_back_tools import is_reading
from contextwright.errors import SpecError
from contextwright.session.snapshot import Snapshot
from contextwright.spec.task import Task, TaskGenerator
from contextwright.spec.word_roles import RecordedTurn, Writer
from contextwright.tasks.plan_step import EVIDENCE, names_of, segment, step_in
from contextwright.tasks.proofs import Proof
from contextwright.tasks.scores import query_in
from contextwright.text.tool_result import shorten_result
from contextwright.tokens.counter import named_counter

OFFLOADED = "_offloaded"
"""State key of the place in the log up to which results were offloaded."""
LOOKED_AT = 64
"""Events that are looked at again before the place is written down."""
SENTENCES = 3
"""Ends of sentences from which on a text of letters is read as prose."""


class Output(msgspec.Struct, frozen=True):
    """A tool result that becomes an artifact.

    Args:
        name: below `artifact://`: `tasks/{task}/{step}/{tool}-{event}-{place}-{digest}.txt`; the
            digest tells apart what two sessions that work on one step were given.
    """

    name: str
    text: str
    tool: str
    arguments: str
    event: str
    time_ms: int | None


class Offload(Writer, frozen=True, kw_only=True):
    """After the turn, tool results of `min_tokens` or more are stored as artifacts, and listed
    under the state key `evidence`: address, summary, tool and event.

    The log keeps them too: nothing is rewritten. A result is offloaded once.

    Args:
        min_tokens: of a result.
        max_tokens: of its summary.
        model: who summarizes prose; structured results are shortened by their fields.
    """

    word: ClassVar[str] = "offload"

    min_tokens: int = 500
    max_tokens: int = 80
    model: str = ""

    def __post_init__(self) -> None:
        if self.min_tokens < 1 or self.max_tokens < 1:
            raise SpecError(
                f"min_tokens is {self.min_tokens}, max_tokens {self.max_tokens}",
                where=repr(self),
                fix="give at least 1 token each",
            )

    def written(self) -> tuple[str, ...]:
        """The list of evidence."""
        return (EVIDENCE,)

    def after(self, turn: RecordedTurn) -> TaskGenerator[dict[str, Any]]:
        """Store what is large enough, list it as evidence.

        Raises:
            SpecError: there is nowhere to store it.
        """
        count = named_counter("o200k_base").count
        outputs = self.outputs(turn.snapshot, count, turn.clean)
        stored: list[tuple[Output, str, str]] = []
        for output in outputs:
            if turn.put is None:
                raise self._no_store(len(outputs))
            ref = turn.put(output.text.encode("utf-8", "replace"), output.name)
            task = self.task(output, turn.snapshot, turn.clean)
            if task is None:
                summary = self.gist(output, count)
            else:
                summary = str((yield (task,))[0].value)
            stored.append((output, ref, summary))
        return self.writes(turn.snapshot, stored)

    def _no_store(self, results: int) -> SpecError:
        return SpecError(
            f"{results} tool results are to become artifacts, and there is no store",
            where=repr(self),
            fix="give one: Engine(..., artifacts=FileArtifacts(FOLDER)) or record(..., artifacts=)",
        )

    def outputs(
        self, snapshot: Snapshot, count: Callable[[str], int], clean: Callable[[str], str] = str
    ) -> list[Output]:
        """The results that are to become artifacts, oldest first.

        Args:
            clean: a text without what the spec redacts: an artifact is read by others.
        """
        step = step_in(snapshot.state)
        folder = f"sessions/{segment(clean(snapshot.session_id))}" if step is None else step.folder
        start: Any = snapshot.state.get(OFFLOADED, 0)
        outputs: list[Output] = []
        for position in range(start if isinstance(start, int) else 0, snapshot.position):
            event = snapshot.log[position]
            for place, result in enumerate(event.results):
                if result.status != "ok" or count(result.text) < self.min_tokens:
                    continue
                exchange = snapshot.exchanges_of([position])[0]
                call = next((c for c in exchange.calls if c.id == result.call_id), None)
                if call is not None and is_reading(call):
                    continue  # it is stored, or in the log, already
                tool = clean(call.name if call is not None else result.name or "tool")
                text = clean(result.text)
                kind = "json" if text.lstrip()[:1] in {"{", "["} else "txt"
                digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
                name = f"{folder}/{segment(tool)}-{segment(event.id)}-{place}-{digest}.{kind}"
                arguments = clean(call.arguments) if call is not None else "{}"
                outputs.append(Output(name, text, tool, arguments, event.id, event.time_ms))
        return outputs

    def task(self, output: Output, snapshot: Snapshot, clean: Callable[[str], str]) -> Task | None:
        """What a model is asked; None where a result is shortened by its fields."""
        if not is_prose(output.text):
            return None
        text = clean(output.text)
        return Task(
            kind="summary",
            model=self.model,
            max_tokens=self.max_tokens,
            query=clean(query_in(snapshot)),
            blocks=(Block(id=output.event, source=output.tool, text=text),),
            source=sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        )

    def gist(self, output: Output, count: Callable[[str], int]) -> str:
        """A result shortened by what it is."""
        return shorten_result(
            output.text,
            tool=output.tool,
            arguments=output.arguments,
            max_tokens=self.max_tokens,
            count=count,
        )

    def writes(
        self, snapshot: Snapshot, stored: Sequence[tuple[Output, str, str]]
    ) -> dict[str, Any]:
        """The state change.

        Args:
            stored: each output with its ref and its summary.
        """
        names = names_of(step_in(snapshot.state))
        new = [
            Proof(
                uri=ref,
                summary=summary,
                tool=output.tool,
                event=output.event,
                task=names.get("task", ""),
                step=names.get("step", ""),
                time_ms=output.time_ms,
            )
            for output, ref, summary in stored
        ]
        start: Any = snapshot.state.get(OFFLOADED, 0)
        if not new and snapshot.position - start < LOOKED_AT:
            return {}
        change: dict[str, Any] = {OFFLOADED: snapshot.position}
        if new:
            listed: Any = snapshot.state.get(EVIDENCE) or []
            known: list[Any] = list(listed) if isinstance(listed, (list, tuple)) else [listed]
            change[EVIDENCE] = [*known, *msgspec.to_builtins(new)]
        return change


def is_prose(text: str) -> bool:
    """Whether a text is made of sentences."""
    letters = sum(char.isalpha() or char.isspace() for char in text)
    ends = sum(text.count(mark) for mark in (". ", ".\n", "? ", "! "))
    return letters * 5 >= len(text) * 4 and ends >= SENTENCES and text.lstrip()[:1] not in "{[<"
