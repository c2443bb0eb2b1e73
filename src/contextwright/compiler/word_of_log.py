"""A word of the whole conversation: what it makes of the log without being given what it stands on,
and what a receipt says of it without an entry for each exchange."""

from typing import TYPE_CHECKING

from contextwright.blocks.block import Blocks
from contextwright.compiler.change_ranges import left_out_beside
from contextwright.compiler.token_sums import SOURCE, tokens_between
from contextwright.compiler.word_left import Guarding, in_two, is_chosen, told_by
from contextwright.compiler.word_steps import applied
from contextwright.spec.expr import Atom, Expr
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind
from contextwright.spec.word_roles import LogReader

if TYPE_CHECKING:
    from contextwright.compiler.trace import Tracer


def by_itself(word: Atom, inputs: Inputs, tracer: "Tracer", guard: Guarding) -> Blocks | None:
    """What a word makes with nothing to its left, of the conversation as the log has it, without a
    look at all of it; None where it has to be given that."""
    if isinstance(word, LogReader) and (made := _of_log(word, inputs, tracer)) is not None:
        return guard(made)
    return in_two(word, inputs, tracer, guard)


def _of_log(word: LogReader, inputs: Inputs, tracer: "Tracer") -> Blocks | None:
    snapshot = inputs.snapshot
    first = snapshot.preamble
    if tracer.counts_steps or snapshot.has_summaries or not snapshot.begins_log:
        return None
    if inputs.is_sole and inputs.start > first:
        return None  # it would be given what is looked at
    made = word.of_log(inputs, lambda stop: tokens_between(first, stop, inputs))
    if made is None:
        return None
    return tracer.selected(repr(word), (), made.blocks, told_by(made))


def refined(word: Atom, head: Expr | None, inputs: Inputs, tracer: "Tracer") -> Blocks | None:
    """What a refiner leaves of the whole conversation, what it left out written in ranges; None
    where another term may bring that, or something is redacted from it."""
    is_whole = isinstance(head, Atom) and head.traits.whole and inputs.protection.compaction < 0
    is_part = max(inputs.start, inputs.oldest) > inputs.snapshot.preamble or inputs.resumes
    is_logged = inputs.is_sole and not (inputs.guards or inputs.snapshot.has_summaries)
    if word.kind is not Kind.REFINER or not (is_whole and is_logged):
        return None
    if is_part or tracer.counts_steps:
        return None
    every = inputs.conversation(SOURCE)
    made = applied(word, every, inputs)
    if not is_chosen(made, every, inputs):
        return tracer.record(repr(word), every, made)
    tracer.take(left_out_beside(made, repr(word), inputs))
    return made
