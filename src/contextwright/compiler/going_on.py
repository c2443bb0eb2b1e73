"""A request that goes on as it was: what a spec decided at an earlier position, and behind it what
came since, as it came. So it is where a step is put off: the prefix keeps its bytes."""

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.protection import protection_of
from contextwright.compiler.assemble import Assembled, called_tools, guard_again
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.plan import Plan
from contextwright.compiler.token_sums import SOURCE
from contextwright.compiler.trace import Tracer
from contextwright.errors import SpecError
from contextwright.render.target import Target
from contextwright.session.snapshot import Snapshot
from contextwright.spec.inputs import Inputs
from contextwright.spec.terminal import FoldHistory, Terminal


def snapshot_then(snapshot: Snapshot, position: int) -> Snapshot:
    """The session when its spec decided.

    Raises:
        SpecError: an exchange of then has grown since: no request can go on from there.
    """
    then = msgspec.structs.replace(snapshot, position=min(position, snapshot.position))
    count = then.exchange_count
    newest = snapshot.exchanges(count - 1, count)
    if snapshot.log.late_joins() or not newest or newest[0].positions[-1] >= then.position:
        raise SpecError(
            "the exchange that was the newest has grown since",
            where=f"session {snapshot.session_id!r}, position {position}",
            fix="compile without `decided_at`",
        )
    return then


def with_newer(
    blocks: Blocks, then: Inputs, snapshot: Snapshot, planned: Plan, tracer: Tracer
) -> tuple[Blocks, Inputs]:
    """What was decided then, with what came since; and what a compile of now depends on."""
    protection = protection_of(snapshot, request=True)
    now = msgspec.structs.replace(
        then,
        snapshot=snapshot,
        protection=protection,
        settled=protection.settled(snapshot),
    )
    newer = now.blocks(snapshot.exchanges(then.snapshot.exchange_count), SOURCE)
    newer = guard_again(planned, now, tracer, tuple(filter(_is_whole, newer)))
    place = sum(1 for block in blocks if block.messages)
    return (*blocks[:place], *newer, *blocks[place:]), now


def _is_whole(block: Block) -> bool:
    """Whether it is no result without its call."""
    return block.role != "tool"


def assembled_now(
    assembled: Assembled, planned: Plan, blocks: Blocks, inputs: Inputs, target: Target
) -> Assembled:
    """With the tools that were called since, where none may be."""
    if assembled.tools or not target.takes_messages:
        return assembled
    return msgspec.structs.replace(assembled, called=called_tools(planned, inputs, blocks))


def room_now(
    room: BudgetState, inputs: Inputs, terminal: Terminal | None, most: int
) -> BudgetState:
    """The space that a request has which goes on: the model's window, less what should stay free
    of it."""
    stages = terminal.stages if terminal is not None else ()
    free = max((one.headroom for one in stages if isinstance(one, FoldHistory)), default=0)
    return msgspec.structs.replace(room, limit=most - free, inputs=inputs, allocation=None)
