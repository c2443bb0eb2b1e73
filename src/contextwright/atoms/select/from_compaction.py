"""`C.from_compaction()`: a summary in the log, instead of what it covers
(context-algebra.md#fallback)."""

from typing import Any, ClassVar, Literal

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.fidelity import Fidelity
from contextwright.session.event import Event
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Gives, Traits


class FromCompaction(Atom, frozen=True, kw_only=True):
    """The newest summary that a framework put into the log, and every exchange that it does not
    cover. Gives nothing where there is no summary, so a selector behind it is a fallback.

    A summary is an event whose metadata say `kind="summary"`; `covers` lists the ids of the
    events that it stands for, or names their time as `start_ms` and `end_ms`; by default all
    before it.
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
        """The summary, then what it left."""
        snapshot = inputs.snapshot
        positions = snapshot.positions("kind", "summary")
        if not positions:
            return ()
        summary = snapshot.log[positions[-1]]
        covered = covered_by(summary, snapshot)
        exchanges = snapshot.exchanges(snapshot.preamble)
        blocks = inputs.blocks(exchanges, "compaction")
        return tuple(
            _standing_for(block, covered) if summary.id in block.lineage else block
            for block in blocks
            if summary.id in block.lineage or not covered.issuperset(block.lineage)
        )


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
    lineage = (*block.lineage, *sorted(covered))
    return msgspec.structs.replace(block, fidelity=Fidelity.SUMMARIZED, lineage=lineage)
