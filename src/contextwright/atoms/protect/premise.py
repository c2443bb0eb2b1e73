"""`C.premise()`, experimental: is what the question takes for granted so?
(cooling-and-forgetting.md#mu-operator)."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from contextwright.atoms.select.from_state import plain_text
from contextwright.atoms.write.notes import Notes
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.blocks.ref import Ref
from contextwright.session.event import Event
from contextwright.session.event_index import SPOKEN
from contextwright.session.harness_text import user_words
from contextwright.session.snapshot import Snapshot
from contextwright.session.state import FACTS_PREFIX, NOTES_PREFIX
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.task import Task
from contextwright.spec.traits import Traits
from contextwright.tasks.plan_step import EVIDENCE, KNOWLEDGE
from contextwright.tasks.proofs import proofs

if TYPE_CHECKING:
    from contextwright.premises.findings import PremiseResult

SOURCE = "premise"
_ADVICE = {
    "invalid": "Do not answer as if it were so: say what is not so, and what is known instead.",
    "unknown": "Do not answer as if it were known: say that nothing here tells it, or ask.",
}


class Premise(Atom, frozen=True, kw_only=True):
    """The newest question is held against all that was stated before it, the notes, the facts,
    `knowledge` and `evidence`. Where it takes something for granted that is not so, one short
    text says so; where all is well, nothing. The user's words stay as they are.

    Args:
        unknown: also where no statement supports it.
        model: who judges; empty for the engine's. The embedded model goes by rules. One that is
            named here is also asked about questions that the patterns can not read.
        keys: further state keys to hold it against.
    """

    word: ClassVar[str] = "premise"
    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.PROTECT
    positional: ClassVar[int] = 0
    judges: ClassVar[bool] = True

    unknown: bool = False
    model: str = ""
    keys: tuple[str, ...] = ()

    @property
    def traits(self) -> Traits:
        """What is not known can not contradict."""
        return Traits(missing_key="normal")

    def reads(self) -> tuple[str, ...]:
        """The further keys."""
        return self.keys

    def over(self, inputs: Inputs) -> Blocks:
        """Notes and facts, then the exchanges before the question; nothing where that takes
        nothing for granted. The very same object at all steps of a turn."""
        snapshot, newest = inputs.snapshot, question_in(inputs.snapshot)
        if newest is None or not self._takes_for_granted(newest[1], inputs):
            return ()
        stop = max(snapshot.preamble, snapshot.log.exchange_index(newest[0]))
        stated, noted = inputs.until(stop, SOURCE), tuple(noted_in(snapshot.state, self.keys))
        table = inputs.memo.table(("premise ground", self))
        known: tuple[Blocks, Blocks, Blocks] | None = table.known("")
        if known is None or known[0] is not stated or known[1] != noted:
            table[""] = known = stated, noted, (*noted, *stated)
        return known[2]

    def _takes_for_granted(self, question: Event, inputs: Inputs) -> bool:
        from contextwright.premises.premise_task import premises_of

        table = inputs.memo.table(("premise questions", bool(self.model)))
        text = inputs.clean(question.text)
        return table.remembered(text, lambda text: bool(premises_of(text, bool(self.model))[0]))

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """A warning, or nothing."""
        # experimental, and of no use to most specs: imported where it is used
        from contextwright.premises.premise_task import premise_result

        task = self._task(blocks, inputs)
        answer = inputs.ask(task) if task is not None else None
        if task is None or answer is None:
            return ()
        result = premise_result(answer.value, tuple(task.blocks))
        warns = result.verdict == "invalid" or (result.verdict == "unknown" and self.unknown)
        return (_warning(result),) if warns else ()

    def _task(self, blocks: Blocks, inputs: Inputs) -> Task | None:
        """The newest question's task, worked out once for all steps of its turn."""
        from contextwright.premises.block_items import items_of
        from contextwright.premises.premise_task import premise_task

        newest = question_in(inputs.snapshot)
        if newest is None:
            return None
        question, asker = inputs.clean(user_words(newest[1].parts)), newest[1].speaker
        table = inputs.memo.table(("premise", self))
        key = (question, asker, blocks)
        if key not in table:
            read, named = inputs.memo.computed("premise items", items_of), bool(self.model)
            table.clear()
            table[key] = premise_task(
                question, blocks, model=self.model, asker=asker, any_language=named, read=read
            )
        return table[key]


def question_in(snapshot: Snapshot) -> tuple[int, Event] | None:
    """Position and event of the newest user message with a text, where there is one."""
    log, before = snapshot.log, snapshot.position
    while (ends := log.ends("kind", SPOKEN, before)) is not None:
        before = ends[1]
        if log[before].text.strip():
            return before, log[before]
    return None


def noted_in(state: Mapping[str, Any], keys: tuple[str, ...] = ()) -> Iterator[Block]:
    """Notes, facts, `knowledge` and `evidence` of a state, and what further keys hold."""
    for key, value in state.items():
        if key.startswith((NOTES_PREFIX, FACTS_PREFIX)) or key in keys:
            yield from Notes(key=key).of(value, key, source=key)
    known: Any = state.get(KNOWLEDGE)
    entries: list[Any] = list(known) if isinstance(known, (list, tuple)) else [known]
    for place, entry in enumerate(entries):
        text = plain_text(entry.get("text", "")) if isinstance(entry, Mapping) else entry
        if text and isinstance(text, str):
            yield _text(f"{KNOWLEDGE}/{place}", text, str(Ref("state", KNOWLEDGE)))
    for proof in proofs(state.get(EVIDENCE)):
        if proof.summary:
            yield _text(f"{EVIDENCE}:{proof.uri}", proof.summary, proof.uri)


def _text(id: str, text: str, ref: str) -> Block:
    return Block(id=id, source=SOURCE, layer=Layer.MEMORY, text=text, ref=ref)


def _warning(result: "PremiseResult") -> Block:
    refs = f" ({', '.join(result.evidence)})" if result.evidence else ""
    known = next((each.known for each in result.findings if each.verdict == result.verdict), "")
    lines = [
        f"The question takes for granted: {result.invalid_premise}",
        f"That is {result.verdict}: {result.reason.rstrip('.')}{refs}.",
        f"Known instead: {known}" if known else "",
        _ADVICE[result.verdict],
    ]
    return Block(
        id=SOURCE,
        source=SOURCE,
        layer=Layer.TASK,
        text="\n".join(filter(None, lines)),
        cache=CacheClass.DYNAMIC,
        lineage=result.evidence,
    )
