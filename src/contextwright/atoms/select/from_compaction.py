"""`C.from_compaction()`: a summary in the log, instead of what it covers
(context-algebra.md#fallback)."""

from typing import Any, ClassVar, Literal

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.session.event import Event
from contextwright.session.harness_text import hands_over
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Gives, Traits


class FromCompaction(Atom, frozen=True, kw_only=True):
    """What a framework summarized in the log as its summary, then every exchange that no summary
    covers. Gives nothing where there is no summary, so a selector behind it is a fallback.

    A summary is an event whose metadata say `kind="summary"`; `covers` lists the ids of the
    events that it stands for, or names their time as `start_ms` and `end_ms`; by default all
    before it. `C.default()` does the same.
    """

    word: ClassVar[str] = "from_compaction"
    selects: ClassVar[Literal["conversation", "other"] | None] = "conversation"
    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.SELECT

    @property
    def traits(self) -> Traits:
        """Most sessions were never compacted."""
        return Traits(gives=Gives.OFTEN_NOTHING)

    def bring(self, inputs: Inputs) -> Blocks:
        """The summaries, then what they left."""
        if not inputs.snapshot.has_summaries:
            return ()
        return compacted(inputs, "compaction")


def compacted(inputs: Inputs, source: str) -> Blocks:
    """The conversation without what summaries in the log stand for, and these in front of it: as
    texts, since nobody said them in the conversation. A summary that another one covers, or that
    covers nothing which another does not, is history."""
    blocks = inputs.conversation(source)
    if not inputs.snapshot.has_summaries:
        return blocks
    summaries = _summaries(inputs)
    by_id = {block.id: block for block in blocks}
    stand = [_standing_for(by_id[id], covers) for id, covers in summaries.items() if id in by_id]
    covered = frozenset[str]().union(*summaries.values())
    rest = (b for b in blocks if b.id not in summaries and not covered.issuperset(b.lineage))
    return (*stand, *rest)


def _summaries(inputs: Inputs) -> dict[str, frozenset[str]]:
    """The summaries that count, each with the ids that it stands for, in their order."""
    snapshot = inputs.snapshot
    table = inputs.memo.table("covered by a summary")
    newest_first: dict[str, frozenset[str]] = {}
    for position in reversed(snapshot.positions("kind", "summary")):
        event = snapshot.log[position]
        if event.id not in table:
            table[event.id] = covered_by(event, snapshot)
        covers: frozenset[str] = table[event.id]
        if event.text and not any({*covers, event.id} <= known for known in newest_first.values()):
            newest_first[event.id] = covers
    return dict(reversed(newest_first.items()))


def covered_by(summary: Event, snapshot: Snapshot) -> frozenset[str]:
    """The ids of the events that a summary in the log stands for."""
    named: Any = summary.metadata.get("covers")
    if isinstance(named, list):
        return frozenset(map(str, named))
    before = snapshot.log[: snapshot.log.position_of(summary.id) or 0]
    span: dict[str, Any] = named if isinstance(named, dict) else {}
    start, end = span.get("start_ms"), span.get("end_ms")
    if start is None or end is None:
        return frozenset(event.id for event in before)
    timed = (event for event in before if event.time_ms is not None)
    return frozenset(event.id for event in timed if start <= (event.time_ms or 0) <= end)


def _standing_for(block: Block, covered: frozenset[str]) -> Block:
    """A summary as a text that stands where the history begins."""
    return Block(
        id=f"summary:{block.id}",
        source="summary:compaction",
        layer=Layer.CONVERSATION,
        text=block.plain_text,
        cache=CacheClass.SESSION,
        fidelity=Fidelity.SUMMARIZED,
        ref=block.ref,
        lineage=(*block.lineage, *sorted(covered)),
        why="a summary in the log",
        pinned=any(hands_over(message.parts) for message in block.messages),
    )
