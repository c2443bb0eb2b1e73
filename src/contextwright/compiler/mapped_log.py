"""What words make of the log that look at one exchange alone (`Traits.maps`): a limit that knows
the log from before goes on from what they made of it, as from the log itself (rules.md#horizon)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from contextwright.blocks.block import Blocks
from contextwright.compiler.change import Change
from contextwright.compiler.stood_for import Span, is_within
from contextwright.compiler.token_sums import SOURCE
from contextwright.session.exchange import Exchange
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.word_roles import Guard

if TYPE_CHECKING:
    from contextwright.compiler.trace import Tracer


def maps(terms: list[tuple[Atom, ...]]) -> bool:
    """Whether each exchange of the conversation stands in its place, as the steps behind the terms
    that bring it make it by itself. What two terms make of one is the better of both."""
    if not any(terms):
        return bool(terms)
    return len(terms) == 1 and all(step.traits.maps for step in terms[0])


def mapped(exchanges: list[Exchange], inputs: Inputs) -> Blocks:
    """The blocks of exchanges as they are given to the limit."""
    blocks = inputs.blocks(exchanges, SOURCE)
    for word in inputs.mapping:
        blocks = word.apply(blocks, inputs)
    return blocks


def mapped_at(index: int, inputs: Inputs) -> Blocks:
    """The block of one exchange as it is given to the limit."""
    return mapped(inputs.snapshot.exchanges(index, index + 1), inputs)


def final_until(inputs: Inputs) -> int:
    """The first exchange of which the words may make something else by and by, though nothing
    holds it: it has not settled, or is too young."""
    ages = (word.traits.min_age for word in inputs.mapping)
    first_within = inputs.snapshot.first_within
    return min([inputs.settled, *(first_within(age - 1) for age in ages if age is not None)])


def record_mapping(indices: Iterable[int], inputs: Inputs, tracer: "Tracer") -> None:
    """Write down what the words make of exchanges that no term was given."""
    for index in sorted(indices):
        blocks = inputs.blocks(inputs.snapshot.exchanges(index, index + 1), SOURCE)
        for word in inputs.mapping:
            after = word.apply(blocks, inputs)
            blocks = tracer.record(repr(word), blocks, after, redacts=isinstance(word, Guard))


def merge_mapped(spans: tuple[Span, ...], inputs: Inputs, tracer: "Tracer") -> None:
    """Of the exchanges that a note tells nothing else is told, so that a receipt says the same
    whichever of them a compile looked at; what the words made of the others stands in front, in
    the order of the log."""
    steps = dict.fromkeys(map(repr, inputs.mapping))
    places = {step: place for place, step in enumerate(steps)}
    orders = tracer.orders

    def place_of(change: Change) -> tuple[int, int]:
        place = places.get(change.step, len(places))
        return place, orders[change.id] if change.step in places else 0

    rest = (
        change
        for change in tracer.changes
        if change.action == "summarized" or not is_within(orders[change.id], spans)
    )
    tracer.changes = sorted(rest, key=place_of)
