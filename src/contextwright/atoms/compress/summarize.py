"""`C.summarize()`: many messages as a few sentences, or as a record
(context-algebra.md#summaries)."""

from collections.abc import Callable
from itertools import chain, islice
from operator import attrgetter
from typing import ClassVar, Literal

import msgspec

from contextwright.atoms.compress.compact import Compact
from contextwright.atoms.incremental import asked_until
from contextwright.atoms.select.select import Select
from contextwright.atoms.summary_block import merged, summary_of_log
from contextwright.blocks.block import Blocks
from contextwright.errors import SpecError
from contextwright.spec.front_words import FrontWords
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.lazy_blocks import PAGE
from contextwright.spec.log_part import ReadPart, free_part
from contextwright.spec.logged_prefix import PLACE
from contextwright.spec.ranges import Ranges, ValueRange
from contextwright.spec.schema import check_schema
from contextwright.spec.task import Task
from contextwright.spec.traits import Traits
from contextwright.spec.word_roles import DividedLog, LogReader, OfLog

SUMMARY_TOKENS, MOST_TOKENS = 400, 3_000
"""Tokens of a summary where nothing else is said: room for a paragraph on what was done and what is
open; and with the rules and decisions that still hold, of which it has room for some eighty. With
1,200, in whatever words they were said, of 20 and 20 planted in recorded sessions 9 and 13 were
left."""

CLOSE = 4
"""Times a summary's room up to which what is redacted may turn out to be no longer than that: it is
counted as it would be sent, which takes a look at all of it, and that is little."""

OVERHEADS = 1_000
"""More than a summary takes beside its text."""

_COMPACT = Compact(min_tokens=50, max_tokens=50)
_IS_SUMMARY = attrgetter("is_summary")
_SCOPES = {
    "all": Select(),
    "before_window": Select(scope="before_window"),
    "tool_results": Select(scope="tool_results"),
}


class Summarize(DividedLog, LogReader, frozen=True, kw_only=True):
    """One summary for what stands to the left, or for its `scope`.

    What is not longer than the summary may be stays as it is; a record is made of anything.
    What is protected (`blocks.protection`), and what has not settled yet, stays beside it. As the
    conversation grows the summary before is brought up to date; a summary that is in the log
    already is used. Where none was prepared, the blocks are compacted.

    Args:
        scope: what is summarized with nothing to the left: `all` finished turns; what is
            `before_window`; `tool_results`.
        max_tokens: of the summary; 0 for 400, and as many as the rules and decisions need that
            still hold, up to 2,000.
        model: who makes it; empty for the engine's.
        prompt: what matters in it.
        schema: JSON Schema of a structured summary, as text; empty for prose.
    """

    word: ClassVar[str] = "summarize"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS
    ranges: ClassVar[Ranges] = {"max_tokens": ValueRange(100, 2000, log=True)}

    scope: Literal["all", "before_window", "tool_results"] = "all"
    max_tokens: int = 0
    model: str = ""
    prompt: str = ""
    schema: str = ""

    def __post_init__(self) -> None:
        expect_size(self.max_tokens, self)
        if self.schema:
            check_schema(self.schema, "C.summarize(schema=...)")

    @property
    def traits(self) -> Traits:
        """One summary."""
        return Traits(bounded=True)

    divides: ClassVar[str] = Select().label

    def divides_at(self, inputs: Inputs, tokens: Callable[[int], int]) -> int:
        """At what has not settled yet."""
        return inputs.settled if self.scope == "all" and not self.schema else 0

    def over(self, inputs: Inputs) -> Blocks:
        """The exchanges in scope; a record is about those that have settled, and about what the
        user said last."""
        blocks = _SCOPES[self.scope].bring(inputs)
        if not self.schema:
            return blocks
        stop = max(inputs.settled, asked_until(inputs))
        return tuple(block for block in blocks if block.order < stop)

    def of_log(self, inputs: Inputs, tokens: Callable[[int], int]) -> OfLog | None:
        """A summary of what has settled, or of what is before the window, and what has to stay."""
        count = inputs.snapshot.exchange_count
        stops = {"all": count, "before_window": inputs.window}
        stop = stops.get(self.scope)
        if self.schema or stop is None:
            return None
        part, held = free_part(stop, inputs)
        if not part.size:
            return None
        source = _SCOPES[self.scope].label
        stays = inputs.blocks(inputs.snapshot.exchanges_at(held), source)
        read = ReadPart(part, source)
        return summarized_log(read, stays, tokens, inputs, self.task, repr(self))

    def front_of_log(
        self, stop: int, source: str, inputs: Inputs, tokens: Callable[[int], int]
    ) -> OfLog | None:
        """A summary of what has settled, and what has to stay."""
        if self.schema:
            return None
        return front_told(stop, source, tokens, inputs, self.task, repr(self))

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """A summary, and what has to stay."""
        return summarized(blocks, inputs, self.task, repr(self))

    @property
    def task(self) -> Task:
        """What is asked, without the blocks."""
        task = Task(kind="summary", model=self.model, prompt=self.prompt, schema=self.schema)
        return sized(task, self.max_tokens)


def sized(task: Task, max_tokens: int = 0, usual: int = SUMMARY_TOKENS) -> Task:
    """The task of a summary of `max_tokens`; where none are named, of so many as usual, and with
    what still holds of `MOST_TOKENS`, of which a record has nothing."""
    if max_tokens or task.schema:
        return msgspec.structs.replace(task, max_tokens=max_tokens or usual)
    return msgspec.structs.replace(task, max_tokens=usual, rule_tokens=MOST_TOKENS - usual)


def expect_size(max_tokens: int, where: object) -> None:
    """Refuse tokens that no summary can have.

    Raises:
        SpecError: they are fewer than 0.
    """
    if max_tokens < 0:
        raise SpecError(
            f"max_tokens is {max_tokens}",
            where=repr(where),
            fix="give at least 1, or 0 for its own size",
        )


def front_told(
    stop: int,
    source: str,
    tokens: Callable[[int], int],
    inputs: Inputs,
    task: Task,
    name: str,
    seen: Callable[[Blocks], Blocks] = tuple,
) -> OfLog | None:
    """As `summarized`, of what lies in front of a place; None where the blocks have to be looked
    at.

    Args:
        seen: what is read of each.
    """
    part, held = free_part(stop, inputs)
    if not part.size:
        return None
    read, held_exchanges = ReadPart(part, source, seen=seen), inputs.snapshot.exchanges_at(held)
    stays = inputs.cleaned(inputs.blocks(held_exchanges, source))
    if (front := inputs.in_front) is None:
        return summarized_log(read, stays, tokens, inputs, task, name)
    if not _exceeds(CLOSE * task.max_tokens + OVERHEADS, read, front, inputs):
        return None
    made = summarized_log(read, stays, tokens, inputs, task, name)
    if made is None:
        return None
    own = made.blocks[: len(made.blocks) - len(stays)]
    return made._replace(blocks=(*own, *front.left_of(held_exchanges, source)))


def _exceeds(tokens: int, read: ReadPart, front: FrontWords, inputs: Inputs) -> bool:
    """Whether what a model reads takes more than so many tokens: no more of the newest is made than
    tells it."""
    spans = reversed(read.part.spans)
    places = chain.from_iterable(reversed(range(*span)) for span in spans)
    while page := sorted(islice(places, PAGE)):
        exchanges = inputs.snapshot.exchanges_at(page)
        tokens -= sum(map(inputs.cost, front.left_of(exchanges, read.source)))
        if tokens < 0:
            return True
    return False


def summarized_log(
    read: ReadPart,
    stays: Blocks,
    tokens: Callable[[int], int],
    inputs: Inputs,
    task: Task,
    name: str,
) -> OfLog | None:
    """As `summarized`, of a part of the log; None where the blocks have to be looked at.

    Args:
        stays: the blocks that may not go into a summary: first those that the part is without.
        tokens: what the conversation up to an exchange takes.
    """
    part = read.part
    took = tokens(part.stop) - sum(map(inputs.cost, stays[: len(part.without)]))
    if inputs.guards and took <= CLOSE * task.max_tokens:
        return None
    tasks_before = inputs.asked.times
    made = summary_of_log(read, took, inputs, task, name, read.source)
    if made is not None:
        return OfLog((made, *stays), part.spans, took)
    return OfLog(stays) if inputs.dry and inputs.asked.times > tasks_before else None


def summarized(blocks: Blocks, inputs: Inputs, task: Task, name: str) -> Blocks:
    """A summary of the blocks that may go into one, in front of those that may not; the blocks
    compacted where there is none."""
    places = sorted(inputs.held_places(name, blocks, unsettled=True))
    stays = tuple(map(blocks.__getitem__, places))
    rest = blocks if task.schema or not places else _free(places, blocks, name, inputs)
    made_before = inputs.memo.column(("made before", name), rest, _IS_SUMMARY)
    if all(made_before) or (task.schema and any(made_before)):
        return blocks  # nothing, or a summary already: none is made of a summary
    tasks_before = inputs.asked.times
    made = merged(rest, inputs, task, name, rest[0].source)
    if made is None:
        return (
            stays
            if inputs.dry and inputs.asked.times > tasks_before
            else _COMPACT.apply(blocks, inputs)
        )
    return blocks if made is rest else (*made, *stays)


class _Free:
    """Of blocks those that nothing holds, as long as the same ones are asked for."""

    def __init__(self) -> None:
        self._blocks: Blocks = ()
        self._places: list[int] = []
        self._rest: Blocks = ()

    @property
    def held_bytes(self) -> int:
        """What their places take."""
        return PLACE * len(self._rest)

    def of(self, blocks: Blocks, places: list[int]) -> Blocks:
        """Without those at the places, which ascend."""
        if blocks is not self._blocks or places != self._places:
            self._blocks, self._places = blocks, places
            rest = list(blocks)
            for place in reversed(places):
                del rest[place]
            self._rest = tuple(rest)
        return self._rest


def _free(places: list[int], blocks: Blocks, name: str, inputs: Inputs) -> Blocks:
    """The blocks that nothing holds: the very same object as long as they are the same."""
    with inputs.memo.growing(("free", name, blocks[0].source), _Free) as free:
        return free.of(blocks, places)
