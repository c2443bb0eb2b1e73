"""`C.dedup()`: one version of what was said or found more than once
(context-algebra.md#deduplication)."""

from collections.abc import Callable, Set
from functools import partial
from hashlib import sha256
from itertools import compress
from typing import ClassVar, Literal

import msgspec

from contextwright.atoms.followed_log import followed
from contextwright.atoms.logged_repeats import LoggedRepeats, has_own_reason
from contextwright.atoms.repeated_blocks import RepeatedCalls, RepeatedTexts
from contextwright.blocks.block import Block, Blocks
from contextwright.json_depth import is_too_deep
from contextwright.session.event import ToolCall
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.ranges import Ranges
from contextwright.spec.task import Task
from contextwright.spec.traits import Traits
from contextwright.spec.word_roles import Recogniser, Standing
from contextwright.text.near_keys import exact_key

SHORT_ANSWER = 40
"""Characters of an answer that means nothing without what it answers."""


class Dedup(Recogniser, Standing, frozen=True, kw_only=True):
    """Leave out what another block says as well.

    The user's words, what is protected and what has not settled yet stay in any case, and so does
    an answer of a few words: "Done." of a second task says another thing than of the first.

    Args:
        strategy: `exact`, the first of blocks with the same text stays, so that a cached prefix
            does not move; `structural`, exact, and a tool execution goes when a later one of
            the same agent made the same call, or made its failure good; `semantic`, exact, and
            of blocks that say the same in other words, as a model judges, the later stays.
            Where that was not judged: structural.
        model: who judges; empty for the engine's.
    """

    word: ClassVar[str] = "dedup"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS
    ranges: ClassVar[Ranges] = {"strategy": ("exact", "structural")}

    strategy: Literal["exact", "structural", "semantic"] = "exact"
    model: str = ""

    @property
    def traits(self) -> Traits:
        """What the log says before a block is in a table; what a model judges is asked of all."""
        return Traits(view="all" if self.strategy == "semantic" else "log", notable=True)

    def stands_by(self, inputs: Inputs) -> object | None:
        """The first of the same stays, whatever comes; calls may be made again any time."""
        return self.strategy if self.strategy == "exact" else None

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks without the repeated ones."""
        if inputs.asks_log(self):
            return self._as_logged(blocks, inputs)
        may = self._may_leave(blocks, inputs)
        leaving: set[int] = set()
        if self.strategy == "structural":
            leaving = self._earlier_calls(blocks, may, inputs)
        # what words in front have made nothing of would say what no other does
        idle = inputs.idle
        idle = {at for at, block in enumerate(blocks) if block.order in idle} if idle else idle
        leaving |= self._earlier_texts(blocks, may, leaving | idle, inputs)
        if self.strategy != "semantic":
            return _without(leaving, blocks)
        return self._judged(blocks, may, leaving, inputs)

    def key_of(self, inputs: Inputs) -> Callable[[Block], str] | None:
        """Their texts; other strategies go by calls, or by a model's word."""
        return _keys(inputs) if self.strategy == "exact" else None

    def _may_leave(self, blocks: Blocks, inputs: Inputs) -> bytearray:
        """Whether each block may be left out and is history."""
        may = bytearray(inputs.memo.column("may leave", blocks, _may_be_a_repeat))
        for place in inputs.held_places(self, blocks, unsettled=True):
            may[place] = False
        return may

    def _as_logged(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """Blocks that stand as the log has them, without what others of it say, those before the
        first of them too."""
        with followed("logged repeats", LoggedRepeats, inputs) as repeats:
            return self._unlike(blocks, repeats, inputs)

    def _unlike(self, blocks: Blocks, repeats: LoggedRepeats, inputs: Inputs) -> Blocks:
        key_of = _keys(inputs)
        calls_of = inputs.memo.computed("call_keys", _call_keys)
        repeats.follow(inputs, key_of, calls_of)
        may = self._may_leave(blocks, inputs)
        if self.strategy == "exact":
            return _without(
                {p for p, b in enumerate(blocks) if may[p] and repeats.is_said(b)}, blocks
            )
        called: dict[str, int] = {}
        held: dict[str, int] = {}
        for place, block in enumerate(blocks):
            if not may[place]:
                held.setdefault(key_of(block), block.order)
            if not block.failed:
                called.update(dict.fromkeys(calls_of(block), block.order))
        leaving = {
            place
            for place, block in enumerate(blocks)
            if may[place]
            and (repeats.is_superseded(block, called) or repeats.is_told(block, called, held))
        }
        return _without(leaving, blocks)

    def _earlier_texts(
        self, blocks: Blocks, may: bytearray, absent: Set[int], inputs: Inputs
    ) -> set[int]:
        """The places of the blocks that may leave and say what an earlier one does that is not
        absent."""
        leaving: set[int] = set()
        make = partial(RepeatedTexts, _keys(inputs))
        with inputs.memo.growing(_key(self, "texts", blocks), make) as texts:
            texts.follow(blocks)
            for group in texts.groups():
                present = (
                    group if absent.isdisjoint(group) else [p for p in group if p not in absent]
                )
                leaving.update(place for place in present[1:] if may[place])
        return leaving

    def _earlier_calls(self, blocks: Blocks, may: bytearray, inputs: Inputs) -> set[int]:
        """The places of the blocks that may leave and whose calls were made again, or failed."""
        make = partial(RepeatedCalls, inputs.memo.computed("call_keys", _call_keys))
        with inputs.memo.growing(_key(self, "calls", blocks), make) as calls:
            calls.follow(blocks)
            return {place for place in calls.superseded if may[place]}

    def _judged(self, blocks: Blocks, may: bytearray, leaving: set[int], inputs: Inputs) -> Blocks:
        """Without those that a model found said again later."""
        for place in leaving:
            may[place] = False
        rest = _without(leaving, blocks)
        open_to = tuple(compress(blocks, may))
        if len(open_to) < 2:
            return rest
        source = sha256(b"".join(compress(inputs.digests(blocks), may))).hexdigest()
        task = Task(kind="duplicates", model=self.model, blocks=open_to, source=source)
        answer = inputs.ask(task)
        if answer is None:
            may = self._may_leave(rest, inputs)
            return _without(self._earlier_calls(rest, may, inputs), rest)
        pairs: list[list[int]] = answer.value
        duplicates = {open_to[earlier] for earlier, later in pairs if 0 <= earlier < later}
        return tuple(block for block in rest if block not in duplicates)


def _keys(inputs: Inputs) -> Callable[[Block], str]:
    return inputs.memo.computed("exact_key", _exact)


def _key(word: Dedup, what: str, blocks: Blocks) -> tuple[object, ...]:
    return (word, what, blocks[0].source if blocks else "")


def _without(leaving: Set[int], blocks: Blocks) -> Blocks:
    if not leaving:
        return blocks
    stays = bytearray(b"\1") * len(blocks)
    for place in leaving:
        stays[place] = False
    return tuple(compress(blocks, stays))


def _may_be_a_repeat(block: Block) -> bool:
    return not (has_own_reason(block) or _is_short_answer(block))


def _is_short_answer(block: Block) -> bool:
    """Whether it says what it says of what it answers: "Done." of a second task is no repeat."""
    if block.role != "assistant" or block.has_calls:
        return False
    return len(block.plain_text) <= SHORT_ANSWER


def _exact(block: Block) -> str:
    calls = "\n".join(_call_keys(block))
    media = len(block.messages) and sum(
        not hasattr(part, "text") and not isinstance(part, ToolCall)
        for message in block.messages
        for part in message.parts
    )
    own = block.id if media else ""
    return exact_key("\n".join((block.role, block.author, calls, block.plain_text, own)))


def _call_keys(block: Block) -> tuple[str, ...]:
    """Author, tool and arguments of every call, the arguments in canonical form."""
    return tuple(
        f"{block.author}\n{part.name}\n{_canonical(part.arguments)}"
        for message in block.messages
        for part in message.parts
        if isinstance(part, ToolCall)
    )


def _canonical(arguments: str) -> str:
    try:
        value = msgspec.json.decode(arguments)
        if is_too_deep(arguments, value):
            return arguments
        return msgspec.json.encode(value, order="sorted").decode()
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return arguments
