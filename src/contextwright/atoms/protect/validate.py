"""`C.validate(checks=...)`: is the context complete, fresh, dense?
(context-algebra.md#validation)."""

from hashlib import sha256
from typing import Any, ClassVar, Literal

from contextwright.atoms.followed_log import followed
from contextwright.atoms.logged_lines import LineWords, LoggedLines
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.errors import SpecError
from contextwright.session.event_index import ORPHAN
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.task import Task
from contextwright.spec.traits import Traits

Check = Literal["completeness", "freshness", "token_efficiency", "contradictions"]
MAX_REPEATED = 0.3
"""Share of a context's words, in lines of ten words or more, that may stand in it twice."""


class Validate(Atom, frozen=True, kw_only=True):
    """Check the assembled context; say what is wrong in the context, or fail.

    Args:
        checks: `completeness`, the `keys`, or those that the spec reads, are in the state and not
            empty; `freshness`, no
            block is older than `max_age` turns; `token_efficiency`, less than 30 % of the words
            are repetitions; `contradictions`, no two blocks assert what can not both be true,
            as a model judges of all up to what the user said last.
        model: who judges; empty for the engine's.
        keys: state keys that must be there; without any, those that the spec's other words read,
            such as those of `C.from_state(...)`. Notes may be empty.
        max_age: turns.
        on_failure: `annotate`, a `<warning>` in the context; `raise`, the compile fails.

    Raises:
        SpecError: no checks; while compiling, a failed check with `on_failure="raise"`.
    """

    word: ClassVar[str] = "validate"
    kind: ClassVar[Kind] = Kind.ASSEMBLY
    verb: ClassVar[Verb] = Verb.PROTECT

    checks: tuple[Check, ...]
    keys: tuple[str, ...] = ()
    max_age: int = 20
    on_failure: Literal["annotate", "raise"] = "annotate"
    model: str = ""

    def __post_init__(self) -> None:
        if not self.checks:
            raise SpecError(
                "no checks", where=repr(self), fix='C.validate(checks=["completeness"])'
            )

    @property
    def traits(self) -> Traits:
        """Whether keys are in the state is told without a look at any block; how old the log's
        exchanges are, and how often they say the same, is told from the log."""
        if "contradictions" in self.checks:
            return Traits()
        return Traits(view="block" if set(self.checks) == {"completeness"} else "log")

    def reads(self) -> tuple[str, ...]:
        """The keys that must be there."""
        return self.keys

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks, and a warning for every failed check."""
        warnings = [text for check in self.checks for text in self._failed(check, blocks, inputs)]
        if warnings and self.on_failure == "raise":
            raise SpecError(
                "the context is not valid: " + "; ".join(warnings),
                where=repr(self),
                fix="repair the session, or warn only: on_failure='annotate'",
            )
        return blocks + tuple(map(_warning, range(len(warnings)), warnings))

    def _failed(self, check: Check, blocks: Blocks, inputs: Inputs) -> list[str]:
        if check == "completeness":
            return self._incomplete(blocks, inputs)
        if check == "freshness":
            count, first = self._stale(blocks, inputs)
            why = f"blocks are more than {self.max_age} turns old"
            return [f"{count} {why}: {first}..."] if count else []
        if check == "contradictions":
            return self._contradictions(blocks, inputs)
        repeated = self._repeated(blocks, inputs)
        if repeated <= MAX_REPEATED:
            return []
        return [f"low information density: {repeated:.0%} of the words are repetitions"]

    def _stale(self, blocks: Blocks, inputs: Inputs) -> tuple[int, str]:
        """How many blocks are too old, and the first one's id."""
        snapshot = inputs.snapshot
        oldest = snapshot.turn - self.max_age
        if self._is_of_log(inputs):
            first = snapshot.preamble
            stop = max(first, snapshot.turn_start(min(oldest, snapshot.turn)))
            return stop - first, snapshot.log.exchange_ids(first, first + 1)[0]
        stale = [block for block in blocks if 0 <= block.turn < oldest]
        return len(stale), stale[0].id if stale else ""

    def _contradictions(self, blocks: Blocks, inputs: Inputs) -> list[str]:
        """What contradicts what; the running turn's trace is not judged while it grows."""
        running = inputs.snapshot.turn
        judged = tuple(b for b in blocks if b.turn < running or b.role == "user")
        if len(judged) < 2:
            return []
        source = sha256(b"".join(inputs.digests(judged))).hexdigest()
        task = Task(kind="contradictions", model=self.model, blocks=judged, source=source)
        answer = inputs.ask(task)
        pairs: list[dict[str, Any]] = answer.value if answer is not None else []
        return [
            f"Contradiction detected: {pair['what']} "
            f"({judged[pair['first']].id}, {judged[pair['second']].id})"
            for pair in pairs
        ]

    def _incomplete(self, blocks: Blocks, inputs: Inputs) -> list[str]:
        state = inputs.snapshot.state
        keys = self.keys or inputs.required
        missing = [key for key in keys if not state.get(key) and state.get(key) not in (0, False)]
        warnings = [f"state key {key!r} is missing or empty" for key in missing]
        if not keys and not blocks:
            warnings.append("the context is empty")
        return warnings

    def _is_of_log(self, inputs: Inputs) -> bool:
        """Whether the blocks stand for all that the log has, exchange by exchange; a result without
        its call is in no request."""
        if not inputs.asks_log(self):
            return False
        if inputs.snapshot.positions("kind", ORPHAN):
            inputs.unsure("validate")
        return True

    def _repeated(self, blocks: Blocks, inputs: Inputs) -> float:
        """The share of the words that are repetitions."""
        if not self._is_of_log(inputs):
            return LineWords().repeated(blocks)
        snapshot = inputs.snapshot
        newer = inputs.readable(snapshot.exchanges(inputs.settled))
        texts = tuple(block for block in blocks if block.order < 0)
        with followed("logged lines", LoggedLines, inputs) as lines:
            return lines.follow(inputs).repeated((*newer, *texts))


def _warning(place: int, text: str) -> Block:
    return Block(
        id=f"warning:{place}",
        source="warning",
        layer=Layer.TASK,
        text=text,
        cache=CacheClass.DYNAMIC,
    )
