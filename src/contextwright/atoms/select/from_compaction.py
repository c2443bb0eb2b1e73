"""`C.from_compaction()`: a summary in the log, instead of what it covers (document 000 §7.3)."""

from typing import Any, ClassVar

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.fidelity import Fidelity
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb


class FromCompaction(Atom, frozen=True, kw_only=True):
    """The newest summary that a framework put into the log, and every exchange that it does not
    cover. Gives nothing where there is no summary, so a selector behind it is a fallback.

    A summary is an event whose metadata say `kind="summary"`; `covers` lists the ids of the
    events that it stands for, by default all before it.
    """

    word: ClassVar[str] = "from_compaction"
    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.SELECT
    may_be_empty: ClassVar[bool] = True

    def bring(self, inputs: Inputs) -> Blocks:
        """The summary, then what it left."""
        snapshot = inputs.snapshot
        found = snapshot.positions("kind", "summary")
        if not found:
            return ()
        summary = snapshot.log[found[-1]]
        covered = _covered(summary.metadata, [event.id for event in snapshot.log[: found[-1]]])
        exchanges = snapshot.exchanges(snapshot.preamble)
        blocks = inputs.blocks(exchanges, "compaction")
        return tuple(
            _standing_for(block, covered) if summary.id in block.lineage else block
            for block in blocks
            if summary.id in block.lineage or not covered.issuperset(block.lineage)
        )


def _covered(metadata: dict[str, Any], before: list[str]) -> frozenset[str]:
    named = metadata.get("covers")
    return frozenset(map(str, named) if isinstance(named, list) else before)


def _standing_for(block: Block, covered: frozenset[str]) -> Block:
    lineage = (*block.lineage, *sorted(covered))
    return msgspec.structs.replace(block, fidelity=Fidelity.SUMMARIZED, lineage=lineage)
