"""What the newest step of a limit left, kept until the next one: a compile begins behind it
(rules.md#horizon)."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import accumulate, chain

import msgspec
from msgspec.structs import astuple, replace

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.fidelity import Fidelity
from contextwright.compiler.before_step import BeforeStep
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.change import Change
from contextwright.compiler.change_ranges import findings_in_ranges, without_superseded
from contextwright.compiler.mapped_log import (
    logged,
    mapped_exceeds,
    merge_mapped,
    record_mapping,
)
from contextwright.compiler.step_near import Near, with_passed
from contextwright.compiler.step_places import joined
from contextwright.compiler.stood_for import is_within, joined_spans, united
from contextwright.compiler.token_sums import tokens_between
from contextwright.compiler.trace import Tracer
from contextwright.compiler.trace_findings import Findings
from contextwright.compiler.word_left import KeptAnswers, collected, kept_answers
from contextwright.memo.owned_tables import Table
from contextwright.spec.inputs import Inputs
from contextwright.spec.log_part import Span, lineage_of_part, part_of, spans_between
from contextwright.spec.task import TakenAnswers

LOWEST = 2
"""The lowest tier of which a limit leaves nothing out but what is said elsewhere."""

Look = Callable[[BudgetState], Near]
"""What a step looks at, in the space that there was."""
Shorten = Callable[[Near], Blocks | None]
"""What a step leaves of that; None where it is not enough."""


class StepLeft(msgspec.Struct, frozen=True, eq=False):
    """What a step left.

    Args:
        key: what it follows from, the blocks before it among it; place: of the step.
        texts: what was given beside the conversation.
        left: the blocks; None where the step was not enough. standing: those in their order.
        findings: what is written of it; brief: the same, neighbours that were dropped in ranges;
            dropped: the ids of these.
        answers: those that it was made with.
    """

    key: tuple[object, ...]
    place: int
    texts: Blocks
    left: Blocks | None
    standing: Blocks
    findings: Findings
    brief: Findings
    dropped: frozenset[str]
    answers: KeptAnswers

    def holds(self, key: tuple[object, ...], inputs: Inputs) -> bool:
        """Whether the same step would leave the same now, and write the same of it."""
        return self.key == key and self.answers.hold(inputs)

    def findings_for(self, sent: Blocks, changes: Iterable[Change]) -> Findings:
        """What is written of it in a receipt that has changes: nothing that is sent is in a range
        of what is not, nor what words made something of, whose entry goes where it is dropped."""
        ids = {block.id for block in sent} | {change.id for change in changes}
        return self.brief if self.dropped.isdisjoint(ids) else self.findings

    def with_new(self, new: Blocks) -> Blocks:
        """What it left of the conversation, what came since, and what it left of the texts."""
        own = {(block.id, block.source) for block in self.texts}
        blocks = self.standing
        texts = tuple(block for block in blocks if (block.id, block.source) in own)
        members = (block for block in blocks if (block.id, block.source) not in own)
        return (*members, *new, *texts)


def left_by_step(
    then: BudgetState,
    old: BeforeStep,
    place: int,
    name: tuple[object, ...],
    look: Look,
    shorten: Shorten,
) -> StepLeft:
    """What a step leaves of the blocks before it. It is decided as at its place, so it stays the
    same until the next one while the same is looked at, unless something was asked for it that
    nobody has answered.

    Args:
        then: the space there was. place: of the step. name: of the limit.
    """
    inputs = then.inputs
    table = table_of(name, inputs)
    moment = inputs.snapshot.position, inputs.snapshot.state.version, inputs.now_ms
    own = inputs.agent, inputs.tools, inputs.required, inputs.ports, inputs.sign
    key = (old, then.limit, then.fixed, then.note, *astuple(inputs.protection), *moment, *own)
    known = _known(table)
    is_counting = then.tracer.counts_steps  # what each stage left is told by running it
    if known is not None and not is_counting and known.holds(key, inputs):
        inputs.used.update(known.answers.used)
        return known
    before, used = collected(inputs), TakenAnswers()
    # it is given all that lies before it, wherever the compile began
    then = replace(then, inputs=replace(inputs, used=used, start=0, behind_step=False))
    fits = old.near is None and not _exceed(old.blocks, then.limit - then.fixed, inputs)
    near = Near(then, old.blocks) if fits else look(then)
    left = old.blocks if fits else shorten(near)
    inputs.used.update(used)
    findings = then.tracer.findings()
    if left is not None:
        left, findings = _with_summary(near, left, findings, inputs)
        findings = _as_logged(findings, inputs) if inputs.mapping else findings
        findings = with_passed(findings, near, partial(old.at, inputs=inputs), inputs)
    texts = tuple([block for block in old.blocks if block.order < 0])
    standing = joined(near.blocks, left, place) if left is not None else ()
    brief = findings_in_ranges(findings, inputs)
    dropped = frozenset([one.id for one in findings.changes if one.action == "dropped"])
    answers = kept_answers(used, inputs)
    made = StepLeft(key, place, texts, left, standing, findings, brief, dropped, answers)
    if collected(inputs) == before and not is_counting and not then.tracer.is_moot():
        table[""] = made
    return made


def _exceed(blocks: Blocks, tokens: int, inputs: Inputs) -> bool:
    """Whether blocks take more than so many: no more of the newest are counted than tell it."""
    return any(map(tokens.__lt__, accumulate(map(inputs.cost, reversed(blocks)), initial=0)))


def table_of(name: tuple[object, ...], inputs: Inputs) -> Table:
    """Where the newest step of a limit of this name is kept."""
    own = inputs.cost_id, inputs.mapping, inputs.ports
    return inputs.memo.table(("step left", *name, *own))


def _known(table: Table) -> StepLeft | None:
    return table.known("")


def known_place(name: tuple[object, ...], inputs: Inputs) -> int:
    """The exchange in front of which a step is known that was enough; 0 where none is."""
    known = _known(table_of(name, inputs))
    return known.place if known is not None and known.left is not None else 0


def _with_summary(
    near: Near, left: Blocks, findings: Findings, inputs: Inputs
) -> tuple[Blocks, Findings]:
    """What a step left, and what is written of it. A summary that it made of the oldest tells of
    all that lay between them and does not stand by itself: what it shortened first, and what it
    left out because another of them says the same."""
    spans = findings.summarized
    own = set(near.blocks)  # by what they are: a memo may give back what it made of an equal one
    made = next((block for block in left if _is_summary(block) and block not in own), None)
    if not spans:
        return left, findings
    if made is None:  # it went itself
        return left, _told_as_logged(findings, inputs) if inputs.mapping else findings
    first, stop = spans[0][0], spans[-1][1]
    standing = {block.order for block in left}
    between = (b for b in near.blocks if first <= b.order < stop and b.order not in standing)
    members = [b for b in between if b.tier <= LOWEST or is_within(b.order, spans)]
    passed = near.state.passed_spans
    places = joined_spans(passed, [block.order for block in members])
    if passed:
        lineage = lineage_of_part(part_of(places, first), inputs.snapshot)
    else:
        lineage = tuple(chain.from_iterable(block.lineage for block in members))
    whole = logged((one.order for one in members), inputs) if inputs.mapping else members
    tokens = sum(map(inputs.cost, whole))
    tokens += sum(tokens_between(*span, inputs) for span in passed)
    tells = replace(made, lineage=lineage)
    left = tuple(tells if block is made else block for block in left)
    return left, _with_entry(findings, tells, places, tokens)


def _told_as_logged(findings: Findings, inputs: Inputs) -> Findings:
    """The findings, of what a summary tells with what it took before words in front of the limit
    made something of it."""
    tokens = sum(tokens_between(*span, inputs) for span in findings.summarized)
    orders = findings.orders
    changes = (
        # an exchange that was summarized by itself is none of them
        replace(one, tokens_before=tokens)
        if one.action == "summarized" and orders[one.id] < 0
        else one
        for one in findings.changes
    )
    return replace(findings, changes=tuple(changes))


def _is_summary(block: Block) -> bool:
    return block.order < 0 and block.fidelity is Fidelity.SUMMARIZED


def _as_logged(findings: Findings, inputs: Inputs) -> Findings:
    """The findings, of what was dropped with what it took before words in front of the limit made
    something of it."""
    changes = without_superseded(findings.changes)
    dropped = {
        order: change
        for change in changes
        if change.action == "dropped" and (order := findings.orders[change.id]) >= 0
    }
    costs = dict(zip(sorted(dropped), map(inputs.cost, logged(dropped, inputs)), strict=True))
    whole = {id(one): replace(one, tokens_before=costs[at]) for at, one in dropped.items()}
    return replace(findings, changes=tuple(whole.get(id(one), one) for one in changes))


def _with_entry(findings: Findings, tells: Block, spans: tuple[Span, ...], tokens: int) -> Findings:
    """The findings, with one entry for all that a summary tells, which took so many tokens."""
    changes = tuple(
        replace(change, lineage=tells.lineage, tokens_before=tokens)
        if change.id == tells.id and change.action == "summarized"
        else change
        for change in findings.changes
        if not is_within(findings.orders.get(change.id, -1), spans)
    )
    places = {one.id: findings.orders[one.id] for one in changes if one.id in findings.orders}
    summarized = united(spans, findings.summarized)
    return replace(findings, changes=changes, orders=places, summarized=summarized)


def record_mapped(taken: StepLeft, blocks: Blocks, inputs: Inputs, tracer: Tracer) -> None:
    """Write down what words in front of the limit made of what stands, also where it was not looked
    at; of what does not stand there is the step's entry."""
    orders = {block.order for block in blocks}
    standing = {block.order for block in taken.standing if block.order >= 0}
    record_mapping(standing - orders, inputs, tracer)
    first = inputs.snapshot.preamble
    merge_mapped(spans_between(first, taken.place, standing), inputs, tracer)


def is_over(state: BudgetState, blocks: Blocks) -> bool:
    """Whether a request is over its limit, with what lies before where its compile began."""
    inputs, over = state.inputs, state.over(blocks)
    if not inputs.behind_step or over > 0:
        return over > 0
    start = inputs.start
    room = sum(inputs.cost(block) for block in blocks if 0 <= block.order < start) - over
    if inputs.mapping:
        return mapped_exceeds(room, start, inputs) is not None
    return tokens_between(inputs.snapshot.preamble, start, inputs) > room
