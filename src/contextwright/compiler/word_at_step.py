"""A word with a limit that drops whole exchanges, as two parts of the conversation: what its newest
step left of those before it, and what came since, as it came (rules.md#horizon)."""

from collections.abc import Callable

from msgspec import structs

from contextwright.blocks.block import Blocks
from contextwright.compiler.mapped_log import mapped, mapped_exceeds
from contextwright.compiler.step_places import LimitStep, inputs_then, rule_of, step_of
from contextwright.compiler.token_sums import SOURCE
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind
from contextwright.spec.word_roles import Abstract, Shortener


class WordAtStep:
    """What a word does to the conversation while its newest step stands.

    Args:
        word: the word. limit: its tokens.
    """

    divides = SOURCE

    def __init__(self, word: Atom, limit: int) -> None:
        self._word, self._limit = word, limit
        self._step = LimitStep(0, 0, 0, 0)
        self._spare = 0

    def divides_at(self, inputs: Inputs, tokens: Callable[[int], int]) -> int:
        """The first exchange behind the step; 0 where none was taken, or, but behind words that
        shorten, it is due now."""
        snapshot = inputs.snapshot
        last = snapshot.exchange_count - 1
        if last <= snapshot.preamble:
            return 0
        newest = sum(map(inputs.cost, mapped(snapshot.exchanges(last), inputs)))
        if inputs.mapping and snapshot.begins_log:  # no more is made than it takes to tell
            is_over = mapped_exceeds(self._limit - newest, last, inputs) is not None
        else:
            is_over = tokens(last) + newest > self._limit
        if not is_over:
            return 0
        standing = step_of(rule_of(self._word, self._limit, inputs), 0, inputs)
        # of a step that is due now all lies in front: what words make of that, they would make now
        is_late = not inputs.mapping or not all(isinstance(w, Abstract) for w in inputs.mapping)
        if standing is None or (standing[0].place > last and is_late):
            return 0
        self._step, self._spare = standing
        return self._step.place

    def most(self) -> int:
        """Tokens that it leaves of the part in front."""
        return max(1, self._step.goal - self._spare)

    def holds_until(self, inputs: Inputs) -> int:
        """The first exchange in front of which it can not divide: it decides as at its step,
        whatever has settled since."""
        return inputs.snapshot.exchange_count

    def key(self, inputs: Inputs) -> tuple[object, ...]:
        """What it leaves of the part in front follows from, beside that part."""
        step, now = self._step, inputs_then(self._step.place, inputs)
        moment = now.snapshot.state.version, now.now_ms, min(inputs.protection.edge, step.place)
        return step.goal, self._spare, step.number, *structs.astuple(now.protection), *moment

    def front(self, old: Blocks, inputs: Inputs) -> Blocks:
        """What it leaves of the part in front."""
        step, word = self._step, self._word
        small = structs.replace(word, **{word.traits.stepped: self.most()})
        left = small.apply(old, inputs_then(step.place, inputs))
        if left != old:
            inputs.stepped[word] = max(step.number, inputs.stepped.get(word, 0))
        return left

    def behind(self, newer: Blocks, inputs: Inputs) -> Blocks:
        """What it leaves of what came since."""
        return newer

    def is_whole(self, made: Blocks, newer: Blocks, inputs: Inputs) -> bool:
        """Whether there is room for both; else it decides anew."""
        return sum(map(inputs.cost, (*made, *newer))) <= self._step.due - self._spare


def at_step(word: Atom) -> WordAtStep | None:
    """A word that drops whole exchanges at steps; None for any other."""
    field = word.traits.stepped
    if not field or word.kind is not Kind.TRANSFORM or isinstance(word, Shortener):
        return None
    return WordAtStep(word, getattr(word, field))
