"""Run a spec and write down what every step changed: before minus after.

An atom only returns blocks; what is missing or shorter afterwards is found here, so no atom can
leave anything out in silence.
"""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, cast

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import Trust
from contextwright.blocks.protection import Protection
from contextwright.compiler.change import Change, StepTrace
from contextwright.compiler.refused_steps import refusal, says_the_same
from contextwright.compiler.stood_for import NO_MERGES, KnownMerges, StoodFor, replaced_by
from contextwright.compiler.touched_blocks import Touched, touched_blocks
from contextwright.compiler.trace_findings import Findings, LimitStage, left_out, once
from contextwright.compiler.word_left import behind_all
from contextwright.compiler.word_of_log import by_itself, refined
from contextwright.compiler.word_steps import applied
from contextwright.compiler.words_in_front import behind_front, front_of, without_merged
from contextwright.errors import ProtectionError, SpecError
from contextwright.spec.expr import Atom, Chain, Expr, Fallback, Pipe, Union
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind
from contextwright.spec.log_part import Span
from contextwright.spec.word_roles import Guard

ENGINE_STEPS = frozenset({"orphans", "driver"})
"""Steps that take out what no provider accepts, or what the driver sends itself: protected or
not, it can not stand in this request."""
_MESSAGES = attrgetter("messages")


class _Strict:
    """Whether a step that touches what is protected raises instead of being undone."""

    on: bool = False


def enforce_protection(*, strict: bool = True) -> None:
    """Raise `ProtectionError` where a step touches what is protected, for tests: without it the
    step is undone for that block, and the manifest's notes say so."""
    _Strict.on = strict


class Tracer:
    """Collects the changes of one compile, and undoes those that no step may make."""

    def __init__(
        self,
        cost: Callable[[Block], int],
        protection: Protection,
        *,
        count_steps: bool = False,
        known: KnownMerges | None = None,
        is_moot: Callable[[], bool] = lambda: False,
    ) -> None:
        self._cost = cost
        self._protection = protection
        self._known = known
        self.counts_steps = count_steps
        self.is_moot = is_moot
        """Whether nobody will read it: an answer is missing, and the compile is made anew."""
        self.changes: list[Change] = []
        self.steps: list[StepTrace] = []
        self.notes: list[str] = []
        self.summarized: list[Span] = []
        """The exchanges that summaries stand for."""
        self.orders: dict[str, int] = {}
        """The exchange that each changed block is; -1 for a text."""
        self.limit_drop: LimitStage | None = None
        """The stage of the limit that dropped something."""
        self.limit_steps = 0
        """How many steps the limit has taken, of which the newest one stands."""

    def attempt(self) -> "Tracer":
        """One for a try, whose findings count where this one takes them over."""
        known, count = self._known, self.counts_steps
        moot = self.is_moot
        return Tracer(self._cost, self._protection, count_steps=count, known=known, is_moot=moot)

    def branch(self) -> "Tracer":
        """One that goes on from what this one wrote down, which stays as it is."""
        branch = self.attempt()
        branch.take(self.findings())
        branch.limit_steps = self.limit_steps
        return branch

    def findings(self) -> Findings:
        """What it wrote down so far."""
        return Findings(
            tuple(self.changes),
            tuple(self.steps),
            tuple(self.notes),
            tuple(self.summarized),
            {**self.orders},
            self.limit_drop,
        )

    def take(self, findings: Findings) -> None:
        """Write down what a try found."""
        self.changes += findings.changes
        self.steps += findings.steps
        self.notes += findings.notes
        self.summarized += findings.summarized
        self.orders.update(findings.orders)
        self.limit_drop = findings.limit_drop or self.limit_drop

    def record(
        self,
        step: str,
        before: Blocks,
        after: Blocks,
        reason: str = "",
        *,
        last: bool = False,
        redacts: bool = False,
        merges: Mapping[Block, StoodFor] = NO_MERGES,
    ) -> Blocks:
        """Compare, write down, and give `after` back, with what no step may touch as it was.

        Args:
            last: whether it is one of a budget's last stages, which may shorten what is protected.
            redacts: whether it is a redaction, which nothing is protected from: undoing one would
                send what must not be seen. Not told from the blocks: any word can write that into
                them.
            merges: what new summaries stand for, where the step knows it.

        Raises:
            ProtectionError: the step touched what is protected, where `enforce_protection` is on.
        """
        # tuples are compared by identity first: what no step touched costs a few nanoseconds
        if before is not after and before != after:
            after = _no_trust_gained(before, after)
            touched = touched_blocks(before, after)
            if step not in ENGINE_STEPS and not redacts:
                after, touched = self._guarded(step, before, touched, after, last=last)
            if self.is_moot():
                return after
            taken = self._merges(step, before, after, merges)
            for block, now in touched:
                if now is not None or block not in taken:
                    self._compare(step, block, now, reason, redacts=redacts)
        return self.counted(step, before, after)

    def counted(self, step: str, before: Blocks, after: Blocks) -> Blocks:
        """Count a step; by itself of one that only puts the engine's own texts between blocks."""
        if self.counts_steps:
            self.steps.append(self._step(step, before, after))
        return after

    def _guarded(
        self, step: str, before: Blocks, touched: Touched, after: Blocks, *, last: bool
    ) -> tuple[Blocks, Touched]:
        """What a step gave, with what it may not have touched put back; and what it did touch."""
        wrong, lost = dict[int, Block](), dict[tuple[str, str], Block]()
        for block, now in self._protected(touched):
            if reason := refusal(block, now, self._protection, last=last):
                self._refuse(step, block, now, reason)
                if now is None:
                    lost[block.id, block.source] = block
                else:
                    wrong[id(now)] = block
        if not wrong and not lost:
            return after, touched
        repaired = [wrong.get(id(block), block) for block in after]
        put_back = {*map(id, wrong.values()), *map(id, lost.values())}
        rest = [pair for pair in touched if id(pair[0]) not in put_back]
        return tuple(sorted((*repaired, *lost.values()), key=_place_in(before))), rest

    def _protected(self, touched: Touched) -> Touched:
        """Those that a step may not have touched, and more. Where all that it dropped is free,
        which is told of all at once, those that it changed."""
        if self._protection.frees([block for block, now in touched if now is None]):
            return [pair for pair in touched if pair[1] is not None]
        return touched

    def _refuse(self, step: str, block: Block, now: Block | None, reason: str) -> None:
        what = "drop" if now is None else "change"
        if _Strict.on:
            raise ProtectionError(
                f"{step} may not {what} {block.id}: {reason}",
                where=f"{step}, block {block.id} of {block.source}",
                fix="ask inputs.protection before touching a block",
            )
        self.notes.append(f"{step} was undone for {block.id}, which it may not {what}: {reason}")

    def reconcile(self, blocks: Blocks) -> None:
        """Take back what was written of blocks that another term, or the engine, brought whole:
        nothing that is sent is called dropped, nothing that is whole is called shortened. What a
        step did to one block that several brought is written once."""
        if not self.changes or self.is_moot():
            return
        sent = {block.id: block for block in blocks}
        self.changes = once([change for change in self.changes if not _is_moot(change, sent)])

    def selected(
        self,
        step: str,
        ground: Blocks,
        after: Blocks,
        merges: Mapping[Block, StoodFor] = NO_MERGES,
    ) -> Blocks:
        """Write down what was summarized, and what was shortened; what a selection left out was
        never in."""
        after, shorter = self._shorter(step, ground, after)
        if self.is_moot():
            return after
        self._merges(step, ground, after, merges)
        for block, now in shorter:
            self._compare(step, block, now, "", redacts=False)
        return self.counted(step, ground, after)

    def _shorter(self, step: str, ground: Blocks, after: Blocks) -> tuple[Blocks, Touched]:
        """What a selection left of its ground, with what it may not have shortened put back; and
        what it did shorten."""
        contents = set(map(id, map(_MESSAGES, ground)))
        if not ground or contents.issuperset(map(id, map(_MESSAGES, after))):
            return after, []  # most select, and give some a score
        after = _no_trust_gained(ground, after)
        pairs = touched_blocks(ground, after)
        touched: Touched = [
            (block, now)
            for block, now in pairs
            if now is not None and now.messages != block.messages
        ]
        return self._guarded(step, ground, touched, after, last=False)

    def _merges(
        self,
        step: str,
        before: Blocks,
        after: Blocks,
        merges: Mapping[Block, StoodFor] = NO_MERGES,
    ) -> frozenset[Block]:
        """The blocks that new summaries stand for; one change for each summary."""
        taken: frozenset[Block] = frozenset()
        for summary in [block for block in after if block.order < 0]:
            if summary.fidelity is not Fidelity.SUMMARIZED:
                continue
            known = self._known = KnownMerges() if self._known is None else self._known
            replaced = merges.get(summary) or replaced_by(summary, before, known, self._cost)
            if replaced is None:
                continue
            taken = taken | replaced.blocks if taken else replaced.blocks
            self.summarized += replaced.spans
            after_tokens = self._cost(summary)
            self._add(step, summary, "summarized", summary.why, (replaced.tokens, after_tokens))
        return taken

    def _compare(
        self, step: str, block: Block, now: Block | None, reason: str, *, redacts: bool
    ) -> None:
        if now is not None and says_the_same(now, block):
            return
        if now is None:
            action, why = "dropped", reason or left_out(step)
        elif redacts and now.why == "redacted":
            action, why = "redacted", "redacted"
        elif now.fidelity < block.fidelity:
            action, why = now.fidelity.label, now.why
        else:
            whole = "whole again" if now.fidelity > block.fidelity else ""
            action, why = "changed", now.why or reason or whole
        after = self._cost(now) if now is not None else 0
        self._add(step, block, action, why, (self._cost(block), after))

    def _add(self, step: str, block: Block, action: str, why: str, tokens: tuple[int, int]) -> None:
        """Write a change down; `tokens` before and after it."""
        self.orders[block.id] = block.order
        self.changes.append(
            Change(
                id=block.id,
                source=block.source,
                layer=block.layer.label,
                step=step,
                action=action,
                reason=why,
                tokens_before=tokens[0],
                tokens_after=tokens[1],
                ref=block.ref,
                lineage=block.lineage,
            )
        )

    def brought(self, atom: Atom, inputs: Inputs, after: Blocks) -> Blocks:
        """Count the step of a selection that stands first: it is from the whole conversation."""
        if self.counts_steps:
            refines = atom.kind is Kind.REFINER
            before = _everything(inputs, lambda blocks: blocks) if refines else ()
            self.steps.append(self._step(repr(atom), before, after))
        return after

    def _step(self, step: str, before: Blocks, after: Blocks) -> StepTrace:
        costs = sum(map(self._cost, before)), sum(map(self._cost, after))
        changed = list(map(_effect, before)) != list(map(_effect, after))
        return StepTrace(step, len(before), len(after), *costs, changed)


def run(expr: Expr, inputs: Inputs, tracer: Tracer, guard: Callable[[Blocks], Blocks]) -> Blocks:
    """The blocks that an expression stands for.

    Args:
        guard: runs on blocks as they are brought, before any step sees them: redaction.
    """
    if isinstance(expr, Union):
        return tuple(b for term in expr.terms for b in run(term, inputs, tracer, guard))
    if isinstance(expr, Fallback):
        first = run(expr.first, inputs, tracer, guard)
        if first:
            return first
        tracer.notes.append(f"{expr.first!r} gave nothing: {expr.second!r} instead")
        return run(expr.second, inputs, tracer, guard)
    if isinstance(expr, Pipe):
        return _piped(expr.head, expr.steps, inputs, tracer, guard)
    if isinstance(expr, Chain):
        if not expr.steps:
            return _everything(inputs, guard)
        return _piped(None, expr.steps, inputs, tracer, guard)
    assert isinstance(expr, Atom)
    return _alone(expr, inputs, tracer, guard)


def _piped(
    head: Expr | None,
    steps: tuple[Atom, ...],
    inputs: Inputs,
    tracer: Tracer,
    guard: Callable[[Blocks], Blocks],
) -> Blocks:
    """What steps make of what a head brings, or of the conversation where there is none."""
    before, front = inputs.asked.times, front_of(steps)
    done = len(front) + 1
    made = behind_all(steps[done - 1], head, inputs, tracer, guard, front)
    if made is None and not front:
        made = refined(steps[0], head, inputs, tracer)
    if made is None:
        # what words in front made of exchanges that a summary stands for is not told
        attempt = tracer.attempt() if front and inputs.is_sole else tracer
        first = run(steps[0] if head is None else head, inputs, attempt, guard)
        rest = steps[1:done] if head is None else steps[:done]
        made = _in_front(rest[:-1], first, inputs.after(before), attempt)
        own = behind_front(front, head, inputs)
        made = _steps(rest[-1:], made, own.after(before), attempt)
        if attempt is not tracer:
            tracer.take(without_merged(attempt.findings()))
    return _steps(steps[done:], made, inputs.after(before), tracer)


def _alone(atom: Atom, inputs: Inputs, tracer: Tracer, guard: Callable[[Blocks], Blocks]) -> Blocks:
    """An atom with nothing to its left. What it selects from is no change: it was never in."""
    if (made := by_itself(atom, inputs, tracer, guard)) is not None:
        return made
    ground = atom.over(inputs)
    if ground is not None:
        ground = guard(ground)
        if atom.kind is Kind.SOURCE and not atom.judges:
            return tracer.record(repr(atom), ground, atom.apply(ground, inputs), "not of the best")
        return tracer.selected(repr(atom), ground, applied(atom, ground, inputs))
    if atom.kind is Kind.WRITER:
        return ()
    if atom.kind is Kind.SOURCE or atom.kind is Kind.REFINER:
        return guard(tracer.brought(atom, inputs, atom.bring(inputs)))
    return _in_front((atom,), _everything(inputs, guard), inputs, tracer)


def _everything(inputs: Inputs, guard: Callable[[Blocks], Blocks]) -> Blocks:
    """What a transform stands on that has nothing to its left: the whole conversation."""
    return guard(inputs.conversation("history"))


def _steps(steps: tuple[Atom, ...], blocks: Blocks, inputs: Inputs, tracer: Tracer) -> Blocks:
    for step in steps:
        before = inputs.asked.times
        after, redacts = _applied(step, blocks, inputs), isinstance(step, Guard)
        is_told = tracer.counts_steps or after != blocks  # it takes a while to name a step
        blocks = tracer.record(repr(step), blocks, after, redacts=redacts) if is_told else after
        inputs = inputs.after(before)
    return blocks


def _in_front(steps: tuple[Atom, ...], blocks: Blocks, inputs: Inputs, tracer: Tracer) -> Blocks:
    """As `_steps`, of words that leave each exchange in its place: of the idle ones they make
    nothing."""
    idle = inputs.idle
    if not idle or not steps:
        return _steps(steps, blocks, inputs, tracer)
    awake = tuple([block for block in blocks if block.order not in idle])
    made = iter(_steps(steps, awake, inputs, tracer))
    return tuple([block if block.order in idle else next(made) for block in blocks])


def _applied(step: Atom, blocks: Blocks, inputs: Inputs) -> Blocks:
    after: Any = applied(step, blocks, inputs)
    if not isinstance(after, tuple):
        raise SpecError(
            f"expected a tuple of blocks, got {type(after).__name__}",
            where=f"{step!r}, {type(step).__name__}.apply(blocks, inputs)",
            fix="return what came where there is nothing to do",
        )
    return cast(Blocks, after)


def _no_trust_gained(before: Blocks, after: Blocks) -> Blocks:
    """What a step gave, no text of it trusted more than what it was made of: the block that it was,
    those in its lineage, and, where it names neither, all that the step was given."""
    trusted = {block for block in after if block.trust and not block.messages}
    lowered = {
        block: _with_least_trust(block, before)
        for block in trusted.difference(before if trusted else ())
    }
    return tuple(lowered.get(block, block) for block in after) if lowered else after


def _with_least_trust(block: Block, before: Blocks) -> Block:
    own = {block.id, *block.lineage}
    made_of = [one for one in before if one.id in own or not own.isdisjoint(one.lineage)]
    least = min((one.trust for one in made_of or before), default=Trust.FOREIGN)
    return block if block.trust <= least else msgspec.structs.replace(block, trust=least)


def _place_in(before: Blocks) -> Callable[[Block], int]:
    """Where each block stands: as before the step; what the step added, in front."""
    places = {(block.id, block.source): place for place, block in enumerate(before)}
    return lambda block: places.get((block.id, block.source), -1)


def _is_moot(change: Change, sent: dict[str, Block]) -> bool:
    block = sent.get(change.id)
    if block is None:
        return False
    lowered = change.action not in {"dropped", "redacted", "changed"}
    return change.action == "dropped" or (lowered and block.fidelity is Fidelity.RAW)


def _effect(block: Block) -> tuple[object, ...]:
    """What of a block a later step or a reader of the request could see."""
    return (block.id, block.messages, block.text, block.layer, block.tier, block.score, block.cache)
