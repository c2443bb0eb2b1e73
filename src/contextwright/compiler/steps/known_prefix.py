"""How much of a conversation a fold knows: a compile begins to look where that ends
(rules.md#horizon)."""

from weakref import ref

import msgspec

from contextwright.blocks.block import Blocks
from contextwright.compiler.token_sums import SOURCE
from contextwright.session.log import Log
from contextwright.spec.inputs import Inputs


class KnownPrefix(msgspec.Struct, frozen=True, eq=False):
    """The first exchanges of a log, as the whole conversation begins with them, each as it came.

    Args:
        log: the log.
        place: how many there are.
        stop: the exchange of the log behind the last.
        joins: late results that the log had by then.
        tokens: what they would take in a request, unshortened.
    """

    log: "ref[Log]"
    place: int
    stop: int
    joins: int
    tokens: int

    def holds(self, inputs: Inputs) -> bool:
        """Whether the log still begins so: it only grows, so nothing but a late result changes
        an exchange of before. What a framework's summary covers is no part of the conversation."""
        snapshot, log = inputs.snapshot, inputs.snapshot.log
        return (
            self.log() is log
            and snapshot.position == len(log)
            and not snapshot.positions("kind", "summary")
            and all(index >= self.stop for index in log.late_joins(self.joins))
        )


def prefix_of(
    raw: Blocks, at: int, place: int, known: KnownPrefix | None, inputs: Inputs
) -> KnownPrefix | None:
    """The first `place` exchanges, if each stands as the log has it.

    Args:
        raw: exchanges of the conversation; at: the place of the first of them.
        known: a prefix that holds; the rest is looked at.
    """
    snapshot, first = inputs.snapshot, inputs.snapshot.preamble
    start, joins, tokens = 0, 0, 0
    if known is not None:
        start, joins, tokens = known.place, known.joins, known.tokens
    new = raw[start - at : place - at]
    exchanges = snapshot.exchanges(first + start, first + place)
    if snapshot.position != len(snapshot.log) or new != inputs.blocks(exchanges, SOURCE):
        return None
    tokens += sum(map(inputs.cost, new))
    joins += len(snapshot.log.late_joins(joins))
    return KnownPrefix(ref(snapshot.log), place, first + place, joins, tokens)
