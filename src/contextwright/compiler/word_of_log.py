"""A word by itself that tells what it makes of the log, without being given what it stands on."""

from typing import TYPE_CHECKING

from contextwright.blocks.block import Blocks
from contextwright.compiler.token_sums import tokens_between
from contextwright.compiler.word_left import Guarding, in_two, told_by
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
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
