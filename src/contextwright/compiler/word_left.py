"""What a word made of all that lies before a place, kept for as long as the place stands
(rules.md#horizon)."""

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from contextwright.blocks.block import Blocks
from contextwright.compiler.token_sums import SOURCE, tokens_between
from contextwright.compiler.trace_findings import Findings
from contextwright.spec.expr import Atom, Expr
from contextwright.spec.inputs import Inputs
from contextwright.spec.task import Answer
from contextwright.spec.word_roles import Divided

if TYPE_CHECKING:
    from contextwright.compiler.trace import Tracer


class KeptAnswers(msgspec.Struct, frozen=True, eq=False):
    """The answers that something was made with.

    Args:
        used: those that were taken; latest: of each of their series, the newest then.
    """

    used: dict[str, Answer]
    latest: dict[str, Answer | None]

    def hold(self, inputs: Inputs) -> bool:
        """Whether the same would be taken now."""
        known = inputs.answers
        return known.of(self.used) == [*self.used.values()] and all(
            known.latest(series) is one for series, one in self.latest.items()
        )


def kept_answers(used: dict[str, Answer], inputs: Inputs) -> KeptAnswers:
    """Those that were taken, with what tells whether they would be again."""
    series = {answer.series for answer in used.values()} - {""}
    return KeptAnswers(used, {one: inputs.answers.latest(one) for one in sorted(series)})


def collected(inputs: Inputs) -> tuple[int, ...]:
    """How much was asked, written and noted so far: what asked for more is not kept."""
    return len(inputs.asked), len(inputs.wrote), len(inputs.notes)


class WordLeft(msgspec.Struct, frozen=True, eq=False):
    """What a word made of the conversation up to a place. `key` holds what it follows from beside
    that; findings: what is written of it; stepped: the steps that it had taken."""

    old: Blocks
    key: tuple[object, ...]
    blocks: Blocks
    findings: Findings
    answers: KeptAnswers
    stepped: dict[object, int]


def behind_all(word: Atom, head: Expr, inputs: Inputs, tracer: "Tracer") -> Blocks | None:
    """As `in_two`, of the first word behind the whole conversation."""
    if not (isinstance(head, Atom) and head.traits.whole) or inputs.protection.compaction >= 0:
        return None
    return in_two(word, inputs, tracer, SOURCE)


def in_two(
    word: Atom, inputs: Inputs, tracer: "Tracer", source: str | None = None
) -> Blocks | None:
    """What a word makes of the conversation, with nothing to its left: of what lies before a place
    once, of the rest at every turn. None where it does not say so of itself, or where what it
    stands on is not the conversation as the log has it.

    Args:
        source: what brings the conversation; what the word stands on by itself, if None.
    """
    snapshot = inputs.snapshot
    if not isinstance(word, Divided) or inputs.redacts or tracer.counts_steps:
        return None
    if snapshot.positions("kind", "summary") or inputs.start > snapshot.preamble:
        return None
    first = snapshot.preamble
    place = word.divides_at(inputs, lambda stop: tokens_between(first, stop, inputs))
    is_history = first < place <= min(inputs.settled, inputs.protection.edge)
    if not is_history or not snapshot.begins_log:
        return None
    source = word.divides if source is None else source
    left = _left(word, inputs.until(place, source), source, inputs, tracer)
    newer = inputs.blocks(snapshot.exchanges(place), source)
    if not word.is_whole(left.blocks, newer, inputs):
        return None
    tracer.take(left.findings)
    inputs.used.update(left.answers.used)
    inputs.stepped.update(left.stepped)
    return (*left.blocks, *_run(word, newer, source, inputs, tracer))


def _run(word: Divided, blocks: Blocks, source: str, inputs: Inputs, tracer: "Tracer") -> Blocks:
    """What a word makes of blocks, written down."""
    record = tracer.record if source == SOURCE else tracer.selected
    return record(repr(word), blocks, word.apply(blocks, inputs))


def _left(word: Divided, old: Blocks, source: str, inputs: Inputs, tracer: "Tracer") -> WordLeft:
    protection = inputs.protection
    held = frozenset(at for at in protection.exchanges if at <= old[-1].order)
    key = (held, inputs.agent, inputs.ports, inputs.cost, inputs.sign)
    table = inputs.memo.table(("word left", word, source, inputs.cost_id))
    known: WordLeft | None = table.known("")
    if known is not None and known.old is old and known.key == key and known.answers.hold(inputs):
        return known
    before, used, own = collected(inputs), dict[str, Answer](), tracer.attempt()
    stepped = dict[object, int]()
    blocks = _run(word, old, source, replace(inputs, used=used, stepped=stepped), own)
    made = WordLeft(old, key, blocks, own.findings(), kept_answers(used, inputs), stepped)
    if collected(inputs) == before and not tracer.is_moot():
        table[""] = made
    return made
