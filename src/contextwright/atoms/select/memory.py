"""`C.memory(...)`: what is remembered that matters now, with its dates
(context-packs.md#memory)."""

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, ClassVar

from contextwright.atoms.select.from_state import plain_text
from contextwright.blocks.block import SCORE_ONE, Block, Blocks
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.blocks.ref import Ref
from contextwright.errors import SpecError
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.ranges import Ranges, ValueRange
from contextwright.spec.traits import Gives, Traits
from contextwright.tasks.plan_step import KNOWLEDGE, PLAN, WORKING, is_of_step
from contextwright.tasks.scores import as_score, best, scored


class Memory(Atom, frozen=True, kw_only=True):
    """The `top_k` memories that matter most for the step, and the working notes of the step.

    They are what the state keys hold: an engine with a memory store fills `knowledge` before
    the turn, an application may do so itself. An entry is a text, or an object with `text` and,
    where known, `id`, `time_ms` or `time`, `score` from 0 to 1, and `kind`.

    Args:
        top_k: memories beside the working notes.
        min_score: from 0 to 1: what a search scored less stays out; an empty layer is fine.
        key: state key of the memories.
    """

    word: ClassVar[str] = "memory"
    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.SELECT
    ranges: ClassVar[Ranges] = {"top_k": ValueRange(1, 20), "min_score": ValueRange(0.0, 0.5)}

    top_k: int = 5
    min_score: float = 0.05
    key: str = KNOWLEDGE

    def __post_init__(self) -> None:
        if self.top_k < 1 or not 0 <= self.min_score <= 1:
            raise SpecError(
                f"top_k is {self.top_k}, min_score {self.min_score}",
                where=repr(self),
                fix="give a top_k of at least 1, a min_score from 0 to 1",
            )

    @property
    def traits(self) -> Traits:
        """A store fills its key."""
        return Traits(gives=Gives.OFTEN_NOTHING, hydrates={self.key: self.top_k})

    def over(self, inputs: Inputs) -> Blocks:
        """A block a memory, then the working notes."""
        state = inputs.snapshot.state
        if self.key not in state:
            inputs.notes.append(f"{self!r} finds no memories: the state has no {self.key!r}")
        entries = _entries(state.get(self.key))
        entries.sort(key=lambda entry: (_time_ms(entry) or 0, plain_text(entry["text"])))
        memories = {block.id: block for block in map(self._block, entries)}
        return (*memories.values(), *self._working(inputs))

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The memories that matter most, the best last; the working notes behind them."""
        least = round(self.min_score * SCORE_ONE)
        working = tuple(block for block in blocks if block.source == "working_memory")
        known = [block for block in blocks if block.source != "working_memory"]
        hits = tuple(block for block in known if block.score < 0 or block.score >= least)
        age = {block.id: place for place, block in enumerate(hits)}
        if len(hits) > self.top_k:
            hits = scored(hits, inputs)
        return (*best(hits, self.top_k, lambda block: (block.score, age[block.id])), *working)

    def _block(self, entry: Mapping[str, Any], source: str = "memory") -> Block:
        text = " ".join(plain_text(entry["text"]).split())
        id = str(entry.get("id") or "mem_" + sha256(text.encode()).hexdigest()[:12])
        day = _day(entry)
        return Block(
            id=id,
            source=source,
            layer=Layer.MEMORY,
            text=f"{text} ({day})" if day else text,
            score=as_score(entry.get("score")) if source == "memory" else SCORE_ONE,
            cache=CacheClass.DYNAMIC,
            ref=str(Ref("state", self.key if source == "memory" else WORKING)),
            lineage=(id,),
        )

    def _working(self, inputs: Inputs) -> Blocks:
        """The notes of the step at hand that are not past their time."""
        plan: Any = inputs.snapshot.state.get(PLAN)
        ids = plan if isinstance(plan, Mapping) else {}
        names = {"task": _id(ids.get("task_id")), "step": _id(ids.get("step_id"))}
        return tuple(
            self._block(entry, "working_memory")
            for entry in _entries(inputs.snapshot.state.get(WORKING))
            if is_of_step(entry, names) and is_live(entry, inputs)
        )


def is_live(entry: Mapping[str, Any], inputs: Inputs) -> bool:
    """Whether a working note is within its time: `until_turn`, and `until_ms` where the clock
    was given."""
    turn, ms = entry.get("until_turn"), entry.get("until_ms")
    if isinstance(turn, int) and inputs.snapshot.turn > turn:
        return False
    return not (isinstance(ms, int) and inputs.now_ms is not None and inputs.now_ms > ms)


def _id(value: Any) -> str:
    return "" if value is None else str(value)


def _entries(value: Any) -> list[Mapping[str, Any]]:
    items: Any = value if isinstance(value, (list, tuple)) else [value] if value else []
    entries: list[Mapping[str, Any]] = []
    for item in items:
        entry: Any = item if isinstance(item, Mapping) else {"text": item}
        if entry.get("text"):
            entries.append(entry)
    return entries


def _time_ms(entry: Mapping[str, Any]) -> int | None:
    ms: Any = entry.get("time_ms")
    return ms if isinstance(ms, int) and not isinstance(ms, bool) else None


def _day(entry: Mapping[str, Any]) -> str:
    """The day of an entry, as ISO 8601 has it."""
    time = entry.get("time")
    if isinstance(time, str) and time:
        return " ".join(time.split())[:40]
    ms = _time_ms(entry)
    if ms is None or not 0 <= ms < 253_402_300_800_000:
        return ""
    return datetime.fromtimestamp(ms / 1000, UTC).date().isoformat()
