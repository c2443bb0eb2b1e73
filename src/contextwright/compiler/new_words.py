"""What the words of a spec leave of the newest exchanges, asked about no others."""

import msgspec

from contextwright.blocks.block import Blocks
from contextwright.compiler.assemble import ARCHIVE, guard_again, in_log_order, once
from contextwright.compiler.plan import Plan
from contextwright.compiler.token_sums import SOURCE
from contextwright.compiler.trace import Tracer, run
from contextwright.compiler.trace_findings import NOTHING, Findings
from contextwright.spec.inputs import Inputs
from contextwright.spec.task import AskedTasks


class NewWords(msgspec.Struct, frozen=True, eq=False):
    """What words leave of all exchanges from one on.

    Args:
        since: that exchange. blocks: of the conversation, in the order of the log.
        texts: what they bring beside it, for the archive too.
        findings: what is written of all of it. stepped: the steps that they have taken.
    """

    since: int
    blocks: Blocks
    texts: Blocks
    findings: Findings
    stepped: dict[object, int]

    @property
    def are_raw(self) -> bool:
        """Whether there are no words: the exchanges are those of the log."""
        return self.findings is NOTHING


def is_collecting(inputs: Inputs) -> bool:
    """Whether somebody asked a model, wrote, or had something to tell."""
    return any((inputs.asked, inputs.wrote, inputs.notes))


def collecting_anew(inputs: Inputs, **changes: object) -> Inputs:
    """The inputs, with nothing collected yet."""
    empty = {"used": {}, "wrote": {}, "notes": [], "undecided": [], "stepped": {}}
    return msgspec.structs.replace(inputs, asked=AskedTasks(), **empty, **changes)


def words_since(since: int, planned: Plan, inputs: Inputs) -> NewWords | None:
    """What the words leave of the exchanges from one on, where no summaries are in the log; None
    where they ask or tell anything."""
    if planned.is_whole and not planned.redactions:
        newest = inputs.snapshot.exchanges(max(since, inputs.snapshot.preamble))
        return NewWords(since, inputs.blocks(newest, SOURCE), (), NOTHING, {})
    tracer = Tracer(inputs.cost, inputs.protection)
    own = collecting_anew(inputs, start=since, resumes=True)

    def guard(blocks: Blocks) -> Blocks:
        return guard_again(planned, own, tracer, blocks)

    brought = run(planned.body, own, tracer, guard)
    blocks = guard(once(tuple([b for b in brought if b.order < 0 or b.order >= since]), own))
    if is_collecting(own) or own.used or tracer.notes:
        return None
    tracer.reconcile(blocks)
    texts = tuple([b for b in blocks if b.order < 0])
    newest = in_log_order(tuple([b for b in blocks if b.order >= since]), own)
    return NewWords(since, newest, texts, tracer.findings(), own.stepped)


def with_newest(blocks: Blocks, newest: Blocks) -> Blocks:
    """The blocks with these behind those of the conversation, and in front of the texts."""
    place = len(blocks)
    while place and not blocks[place - 1].messages:
        place -= 1
    return blocks + newest if place == len(blocks) else blocks[:place] + newest + blocks[place:]


def are_whole(blocks: Blocks, start: int, inputs: Inputs) -> bool:
    """Whether they are all exchanges from `start` on, each of which a request can have."""
    if [block.order for block in blocks] != [*range(start, inputs.snapshot.exchange_count)]:
        return False
    return not [block for block in blocks if block.tier == ARCHIVE or block.role == "tool"]
