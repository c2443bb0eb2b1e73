"""`C.compact()`: what is old becomes a line that names it and says where the whole is.

Nothing is lost: the original stays in the log, and its ref brings it back. Raw > compacted >
summarized (context-algebra.md#compaction). The text holds no age and no clock, so that a compacted
block keeps its bytes and the provider's cache keeps its prefix.
"""

from typing import ClassVar, Literal

import msgspec

from contextwright.atoms.followed_log import followed
from contextwright.atoms.logged_gains import LoggedGains
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.block_texts import rewrite, shorten_results
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.protection import whole_of_its_own
from contextwright.errors import SpecError
from contextwright.session.event import ToolCall
from contextwright.spec.inputs import Inputs, with_source
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.ranges import EVERY, Ranges, ValueRange
from contextwright.spec.traits import Traits
from contextwright.spec.word_roles import Abstract, Standing
from contextwright.text.call_arguments import shorten_arguments
from contextwright.text.content_router import shorten
from contextwright.text.ref_notes import full_output_note

HEAD_TOKENS = 100
"""What stays of a long agent output (context-algebra.md#compaction)."""


RESULT_TOKENS = 175
"""What stays of a tool result. Of the values that later calls need and only results held, 94 % are
in sight in tau-bench's airline sessions (../reference/values-in-sight.md); at 150, 83 %. At 200 it
is 99 %, but the demo's calls cost half as much again: less room lasts less long."""
ARGUMENT_TOKENS = 40
"""What stays of a long argument: of a file that was written, its outline beside the path."""
LONG = 150
"""Percent of what a result keeps from which on it becomes shorter in any case: what it keeps may
count some more together than its pieces do apart."""


class Compact(Abstract, Standing, frozen=True, kw_only=True):
    """Replace tool results, long agent outputs and long arguments of calls by what identifies
    them and a ref.

    Left alone: what is protected (`blocks.protection`), what has not settled yet (a running turn
    that is short, the newest exchanges of one that is long), and whatever would not get shorter.

    Args:
        strategy: `all`; `tool_results`, agents' words and calls stay whole; `stale`, only blocks
            that are at least `stale_after` old.
        stale_after: age in turns, or in steps of a turn that is long; at least 1.
        min_tokens: results, outputs and arguments of up to so many tokens stay as they are.
        max_tokens: tokens that a compacted result may keep.
        exempt: tools whose results stay: those that truncate themselves.
        min_gain: tokens that all of it must save together; less, and nothing is done
            (message-compiler.md#compaction-decision).
    """

    word: ClassVar[str] = "compact"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS
    ranges: ClassVar[Ranges] = {
        "strategy": EVERY,
        "stale_after": ValueRange(1, 20),
        "min_tokens": ValueRange(25, 1600, log=True),
        "max_tokens": ValueRange(40, 3200, log=True),
        "min_gain": ValueRange(0, 400),
    }

    strategy: Literal["all", "tool_results", "stale"] = "all"
    stale_after: int = 5
    min_tokens: int = HEAD_TOKENS
    max_tokens: int = RESULT_TOKENS
    exempt: tuple[str, ...] = ()
    min_gain: int = 0

    def __post_init__(self) -> None:
        if self.stale_after < 1:
            raise SpecError(
                f"stale_after is {self.stale_after}: what is new (age 0) is never compacted",
                where=repr(self),
                fix="C.compact(strategy='stale', stale_after=1) compacts all finished turns",
            )
        if self.max_tokens < 1 or self.min_tokens < 1:
            raise SpecError(
                "min_tokens and max_tokens are at least 1", where=repr(self), fix="C.compact()"
            )

    @property
    def traits(self) -> Traits:
        """`stale` goes by age."""
        return Traits(
            min_age=self.stale_after if self.strategy == "stale" else None,
            view="log" if self.min_gain else "block",  # a gain is the sum over all
            maps=not self.min_gain,
        )

    def stands_by(self, inputs: Inputs) -> object | None:
        """Whether what has settled is worth it; `stale` goes by age."""
        if self.strategy == "stale":
            return None
        return self.min_gain <= 0 or self._logged_gain(inputs) >= self.min_gain

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks, the old and long ones compacted."""
        made = self._applied(blocks, inputs)
        if self.min_gain and made != blocks and self._gain(blocks, made, inputs) < self.min_gain:
            return blocks
        return made

    def _gain(self, blocks: Blocks, made: Blocks, inputs: Inputs) -> int:
        """Tokens that all of it saves; of blocks that stand as the log has them, also before the
        first of them."""
        changed = [pair for pair in zip(blocks, made, strict=True) if pair[0] is not pair[1]]
        asks_log = inputs.asks_log(self)
        if asks_log:
            changed = [pair for pair in changed if pair[0].order >= inputs.settled]
        gain = sum(inputs.cost(old) - inputs.cost(new) for old, new in changed)
        return gain + self._logged_gain(inputs) if asks_log else gain

    def _logged_gain(self, inputs: Inputs) -> int:
        """Tokens that it saves of what has settled."""
        snapshot, stop = inputs.snapshot, inputs.settled
        made = inputs.memo.table((self, inputs.counter_id))

        def gain_of(block: Block) -> int:
            old = with_source(block, "history")
            if whole_of_its_own(old):
                return 0
            new = made.remembered(old, lambda old: self.compacted(old, inputs))
            return 0 if new is old else inputs.cost(old) - inputs.cost(new)

        if self.strategy == "stale":
            stop = min(stop, snapshot.first_within(self.stale_after - 1))
        held = (*inputs.protection.exchanges, *inputs.reading())
        with followed(("logged gains", self, inputs.cost), LoggedGains, inputs) as gains:
            return gains.saved(stop, held, gain_of, inputs)

    def _applied(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        def change(block: Block) -> Block:
            return self.compacted(block, inputs)

        if self.strategy != "stale":
            return inputs.rewritten(self, blocks, change)
        fresh = inputs.snapshot.first_within(self.stale_after - 1)
        changed = inputs.rewritten(self, blocks, change, before=fresh)
        return tuple(
            new if old.order >= 0 else old for old, new in zip(blocks, changed, strict=True)
        )

    def _is_exempt(self, call: ToolCall) -> bool:
        return call.name in self.exempt

    def is_long(self, block: Block, inputs: Inputs) -> bool:
        """Whether a block that nothing holds has a result that becomes shorter whatever it says,
        and then names its ref. False where its age may hold it."""
        if self.strategy == "stale" or self.min_gain or whole_of_its_own(block):
            return False
        calls = [part for m in block.messages for part in m.parts if isinstance(part, ToolCall)]
        if any(map(self._is_exempt, calls)):
            return False
        note = inputs.count(full_output_note(block.ref, 10**9))
        most = max(self.min_tokens, LONG * max(self.max_tokens, 2 * note) // 100)
        return any(inputs.count(one.text) > most for one in block.results)

    def least_of(self, block: Block, inputs: Inputs) -> Block:
        """The block without its long texts, as if nothing stood for them."""
        count = inputs.count

        def least(text: str) -> str:
            return "" if count(text) > self.min_tokens else text

        messages = rewrite(
            block,
            on_result=lambda text, _call, _ref: least(text),
            on_text=lambda text, _ref: least(text),
            on_call=lambda call, _ref: least(call.arguments),
        )
        same = messages is block.messages
        return block if same else msgspec.structs.replace(block, messages=messages)

    def compacted(self, block: Block, inputs: Inputs) -> Block:
        """One block, compacted where that makes it shorter."""
        count, least = inputs.count_in_passing, max(self.min_tokens, HEAD_TOKENS)

        def on_text(text: str, ref: str) -> str:
            if count(text) <= least:
                return text
            most = HEAD_TOKENS + count(full_output_note(ref, count(text))) + 1
            if count(text) <= max(self.min_tokens, most):
                return text
            return shorten(text, most, count, ref=ref).text

        def on_call(call: ToolCall, ref: str) -> str:
            if self._is_exempt(call):
                return call.arguments
            return shorten_arguments(
                call.arguments,
                min_tokens=self.min_tokens,
                max_tokens=ARGUMENT_TOKENS,
                count=count,
                ref=ref,
            )

        words = self.strategy != "tool_results"
        messages = shorten_results(
            block,
            count,
            min_tokens=self.min_tokens,
            max_tokens=self.max_tokens,
            is_exempt=self._is_exempt,
            on_text=on_text if words else None,
            on_call=on_call if words else None,
        )
        if messages is block.messages or block.fidelity < Fidelity.COMPACTED:
            return block
        why = f"over {self.min_tokens:,} tokens"
        return block.lower(Fidelity.COMPACTED, messages=messages, why=why)
