"""What a request could hold goes on, and the limit decides of it anew: where a window moved, or
words leave something else of what has settled since."""

from operator import attrgetter

import msgspec

from contextwright.compiler.assemble import ARCHIVE, Assembled, called_tools
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.new_words import (
    NewWords,
    are_whole,
    collecting_anew,
    is_collecting,
    with_newest,
)
from contextwright.compiler.plan import Plan
from contextwright.compiler.request_decision import Fitted, fitted_in, is_enough, oldest_of
from contextwright.compiler.trace import Tracer
from contextwright.compiler.trace_findings import Findings
from contextwright.errors import BudgetError
from contextwright.render.target import Target
from contextwright.spec.inputs import Inputs

_TIER, _PINNED, _STEP = attrgetter("tier"), attrgetter("pinned"), attrgetter("step")


class Worded(msgspec.Struct, frozen=True, eq=False):
    """What the words of a spec left for its limit.

    Args:
        assembled: what the request could hold. findings: what is written of it.
        count: exchanges of the log. start: the first that the words were given.
    """

    assembled: Assembled
    findings: Findings
    count: int
    start: int


def without_left(worded: Worded, first: int, floor: int, inputs: Inputs) -> Worded | None:
    """Without the exchanges that windows moved over, which no other term brings; None where one of
    them has to stay.

    Args:
        first: where the windows began. floor: where they begin.
    """
    blocks = worded.assembled.blocks
    left = [block for block in blocks if first <= block.order < floor]
    if not left:
        return worded
    orders = {block.order for block in left}
    if not orders.isdisjoint(inputs.protection.exchanges) or True in map(_PINNED, left):
        return None
    findings, places = worded.findings, worded.findings.orders
    if not orders.isdisjoint(places.values()):
        changes = tuple([c for c in findings.changes if places[c.id] not in orders])
        rest = {id: order for id, order in places.items() if order not in orders}
        findings = msgspec.structs.replace(findings, changes=changes, orders=rest)
    stay = tuple([block for block in blocks if not first <= block.order < floor])
    assembled = msgspec.structs.replace(worded.assembled, blocks=stay)
    return msgspec.structs.replace(worded, assembled=assembled, findings=findings)


def with_words(worded: Worded, words: NewWords, planned: Plan, inputs: Inputs) -> Worded | None:
    """With what the words leave now of the exchanges of which they were asked; None where these
    are others, or stand elsewhere in a receipt than behind those before them."""
    blocks = worded.assembled.blocks
    unsettled = [block.order for block in blocks if block.order >= words.since]
    count = len(unsettled)
    if [block.order for block in words.blocks[:count]] != unsettled:
        return None
    if not are_whole(words.blocks[count:], worded.count, inputs):
        return None
    if ARCHIVE in map(_TIER, words.blocks):
        return None
    before = tuple([block for block in blocks if block.order < words.since])
    texts = tuple([block for block in before if block.order < 0])
    findings = _joined(worded.findings, words, planned)
    if texts != words.texts or findings is None:
        return None
    assembled = msgspec.structs.replace(worded.assembled, blocks=with_newest(before, words.blocks))
    return Worded(assembled, findings, inputs.snapshot.exchange_count, worded.start)


def _joined(findings: Findings, words: NewWords, planned: Plan) -> Findings | None:
    """What words wrote of older exchanges and of newer ones, word by word, as they are run; None
    where a redaction wrote of it, or the engine, which look at what others brought too."""
    places, new, names = findings.orders, words.findings, planned.step_names
    older = [change for change in findings.changes if 0 <= places[change.id] < words.since]
    changes = [*older, *new.changes]
    run = {name: at for at, name in enumerate(names)} if changes else {}
    if not run.keys() >= set(map(_STEP, changes)):
        return None
    if older and new.changes:
        if len(run) < len(names):
            return None  # two of them are called alike
        steps = list(map(run.__getitem__, map(_STEP, changes)))
        changes = [changes[at] for at in sorted(range(len(steps)), key=steps.__getitem__)]
    orders = {one.id: places[one.id] for one in older} | new.orders
    return msgspec.structs.replace(new, changes=tuple(changes), orders=orders)


def limited_again(
    worded: Worded, room: BudgetState, planned: Plan, inputs: Inputs, target: Target
) -> Fitted | None:
    """What the limit leaves; None where it has to be decided anew, looking further back or asking.

    Args:
        room: the space there was for the same instruction and tools.
    """
    assembled, start = worded.assembled, worded.start
    if not assembled.tools:
        called = called_tools(planned, inputs, assembled.blocks)
        if called != assembled.called:
            return None  # they take another part of the room
    oldest, whole = oldest_of(planned, inputs), start == inputs.snapshot.preamble
    behind = planned.view == "step" and not whole
    own = collecting_anew(inputs, start=start, behind_step=behind, oldest=oldest, folded=[])
    known = inputs.memo.table(("summarized", inputs.cost_id), brief=True)
    tracer = Tracer(inputs.cost, inputs.protection, known=known)
    tracer.take(worded.findings)
    room = msgspec.structs.replace(room, inputs=own, tracer=tracer)
    try:
        fitted = fitted_in(room, assembled, planned, own, target)
    except BudgetError:
        return None
    if is_collecting(own) or own.undecided or fitted.room.tracer.notes:
        return None
    return fitted if whole or is_enough(planned.view, fitted, target, oldest) else None
