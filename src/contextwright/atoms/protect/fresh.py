"""`C.fresh(max_age)`: what is too old is left out, marked or shortened
(context-algebra.md#freshness)."""

from collections.abc import Callable
from itertools import compress
from operator import not_
from typing import ClassVar, Literal

import msgspec

from contextwright.atoms.compress.compact import Compact
from contextwright.atoms.compress.summarize import front_told, sized, summarized
from contextwright.blocks.block import Block, Blocks, Message
from contextwright.errors import SpecError
from contextwright.session.event import NO_FIELDS, Text, ToolResult
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.ranges import Ranges, ValueRange
from contextwright.spec.task import Task
from contextwright.spec.traits import Traits
from contextwright.spec.word_roles import DividedLog, OfLog

_COMPACT, _TASK = Compact(), sized(Task(kind="summary"))


class Fresh(DividedLog, frozen=True, kw_only=True):
    """Blocks that are more than `max_age` old are stale. What is protected never is.

    Args:
        max_age: turns, or steps of a turn that is long.
        stale_action: `exclude` them; `warn`, put `[STALE — 12 turns old]` in front, except in
            front of the user's words; `compact`; `summarize` them into one block, or compact
            them where no summary was prepared.
    """

    word: ClassVar[str] = "fresh"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.PROTECT
    ranges: ClassVar[Ranges] = {"max_age": ValueRange(0, 50)}

    max_age: int
    stale_action: Literal["exclude", "warn", "compact", "summarize"] = "exclude"

    def __post_init__(self) -> None:
        if self.max_age < 0:
            raise SpecError(
                f"max_age is {self.max_age} turns", where=repr(self), fix="0 turns or more"
            )

    @property
    def traits(self) -> Traits:
        """What is stale leaves, or is one summary."""
        return Traits(
            bounded=self.stale_action in {"exclude", "summarize"},
            min_age=self.max_age + 1,
            max_age=self.max_age if self.stale_action == "exclude" else None,
            view="all" if self.stale_action == "summarize" else "block",
            maps=self.stale_action == "compact",
        )

    def divides_at(self, inputs: Inputs, tokens: Callable[[int], int]) -> int:
        """In front of what is not stale, where that becomes a summary."""
        is_summary = self.stale_action == "summarize"
        return inputs.snapshot.first_within(self.max_age) if is_summary else 0

    def front_of_log(
        self, stop: int, source: str, inputs: Inputs, tokens: Callable[[int], int]
    ) -> OfLog | None:
        """A summary of what is stale, and what has to stay."""
        if self.stale_action != "summarize":
            return None
        return front_told(stop, source, tokens, inputs, _TASK, repr(self))

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks, the stale ones treated as said."""
        if self.stale_action == "exclude":
            oldest, stays = inputs.snapshot.first_within(self.max_age), inputs.protection
            return tuple(
                b for b in blocks if b.order >= oldest or b.order < 0 or stays.keep_reason(b)
            )
        stale = self._stale(blocks, inputs)
        old_blocks = tuple(compress(blocks, stale))
        if self.stale_action == "summarize":
            fresh = tuple(compress(blocks, map(not_, stale)))
            made = summarized(old_blocks, inputs, _TASK, repr(self))
            return blocks if made is old_blocks else (*made, *fresh)
        if self.stale_action == "warn":
            changed = iter(_warned(block, inputs.age(block)) for block in old_blocks)
        else:
            changed = iter(_COMPACT.apply(old_blocks, inputs))
        return tuple(
            next(changed) if old else block for block, old in zip(blocks, stale, strict=True)
        )

    def _stale(self, blocks: Blocks, inputs: Inputs) -> list[bool]:
        """Whether each block is stale."""
        oldest = inputs.snapshot.first_within(self.max_age)
        stale = [0 <= block.order < oldest for block in blocks]
        for place in inputs.held_places(self, blocks):
            stale[place] = False
        return stale


def _warned(block: Block, age: int) -> Block:
    warning = f"[STALE — {age} turns old]"
    if block.role in {"user", "system"} or block.why.startswith("stale, "):
        return block
    messages = tuple(_marked(message, warning) for message in block.messages)
    return msgspec.structs.replace(block, messages=messages, why=f"stale, {age} turns old")


def _marked(message: Message, warning: str) -> Message:
    if message.role == "tool":
        parts = tuple(
            msgspec.structs.replace(
                part, content=(Text(text=warning), *part.content), extra=NO_FIELDS
            )
            if isinstance(part, ToolResult)
            else part
            for part in message.parts
        )
        return msgspec.structs.replace(message, parts=parts, whole=False)
    if not any(isinstance(part, Text) for part in message.parts):
        return message
    return msgspec.structs.replace(message, parts=(Text(text=warning), *message.parts), whole=False)
