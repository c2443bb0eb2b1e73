"""Terminals: how many tokens a request may have, and the stages that run, in order, where it has
more.

A terminal declares its stages as values; the compiler interprets them. So a terminal of one's own
needs no code of the compiler: it names its limit, its order and its stages.
"""

from typing import ClassVar, Literal

import msgspec

from contextwright.spec.expr import Atom
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import View

Order = Literal["age", "tier", "salience", "layer"]
"""What is dropped first: the oldest; the highest tier number, then the lowest score; the same with
salience for what has no score; the layer that gives way first (memory, evidence, conversation)."""


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is done where a request is over its limit. A stage runs only if those before
    it were not enough."""

    name: ClassVar[str] = ""
    """What the manifest calls it, behind the terminal's label."""
    last: ClassVar[bool] = False
    """Whether it may touch what is protected (`blocks.protection`): nothing else could go."""
    standing: ClassVar[bool] = False
    """Whether it runs at every compile, and before all others: what it did once holds on."""

    @property
    def view(self) -> View:
        """How far it looks: `block`, if it shortens a block alone, or drops the oldest first."""
        return "all"


class BlockStage(Stage, frozen=True, kw_only=True):
    """A stage that shortens a block alone, or drops the oldest first."""

    @property
    def view(self) -> View:
        """A block, and its age."""
        return "block"


class Run(Stage, frozen=True, kw_only=True):
    """Apply a word of the spec to all blocks.

    Args:
        step: any transform, such as `Compact()`.
        title: what the manifest calls it.
    """

    step: Atom
    title: str

    @property
    def view(self) -> View:
        """That of the word."""
        return self.step.traits.view


class DropTier(BlockStage, frozen=True, kw_only=True):
    """Drop the lowest tier that was set, if one was set below important."""

    name: ClassVar[str] = "lowest tier"


class SummarizeOldest(Stage, frozen=True, kw_only=True):
    """One summary of the oldest exchanges, as many as it takes.

    Args:
        max_tokens: of the summary. rule_tokens: beside these, for rules and decisions that hold.
        grain: exchanges by which the summarized part grows, so that the summary keeps its bytes
            in between.
    """

    name: ClassVar[str] = "summarize oldest"

    max_tokens: int
    rule_tokens: int = 0
    grain: int = 8


class SummarizeLargest(Stage, frozen=True, kw_only=True):
    """Summarize the largest blocks, one by one.

    Args:
        min_tokens: smaller blocks stay: a summary would hardly be shorter.
    """

    name: ClassVar[str] = "largest"

    min_tokens: int = 100


class CompactLargest(BlockStage, frozen=True, kw_only=True):
    """Compact the largest blocks, one by one."""

    name: ClassVar[str] = "compact largest"


class ShrinkLayers(Stage, frozen=True, kw_only=True):
    """Shorten, then drop, layer by layer, what is over the layer's share
    (context-packs.md#allocation). Only for a terminal that declares its `layers`."""

    @property
    def view(self) -> View:
        """The newest of the conversation, one by one."""
        return "near"


class Drop(BlockStage, frozen=True, kw_only=True):
    """Drop what nothing holds, one by one, in the terminal's order."""


class CompactLongTurn(BlockStage, frozen=True, kw_only=True):
    """Compact what has settled of a running turn that is long, oldest first: an agent's one task
    is all of its history, and its calls stay in sight behind their refs."""

    name: ClassVar[str] = "compact long turn"


class CompactRunning(BlockStage, frozen=True, kw_only=True):
    """Compact the running turn's trace, oldest first.

    Args:
        newest: exchanges at the end that stay as they are: what a call gave is read by the next
            one or two.
    """

    name: ClassVar[str] = "compact running turn"

    newest: int = 3


class DropRunning(BlockStage, frozen=True, kw_only=True):
    """Drop the running turn's trace, oldest first."""

    name: ClassVar[str] = "drop running turn"


class CapResults(BlockStage, frozen=True, kw_only=True):
    """Cut every result and output that may be changed, oldest first.

    Args:
        part: each may keep one `part`-th of the limit.
    """

    name: ClassVar[str] = "cap"

    part: int


class ShortenTask(BlockStage, frozen=True, kw_only=True):
    """Shorten the task's first message item by item, where it is long."""

    name: ClassVar[str] = "shorten task, cap what is protected"
    last: ClassVar[bool] = True


class CapProtected(BlockStage, frozen=True, kw_only=True):
    """Cut also what is protected of what an agent or a tool gave, in ever smaller pieces: halved
    from half of the limit, as little as it takes."""

    name: ClassVar[str] = "cap what is protected"
    last: ClassVar[bool] = True


class Refuse(Stage, frozen=True, kw_only=True):
    """Fail the compile.

    Args:
        reason: why nothing may go, for the error.
    """

    reason: str


class FoldHistory(Stage, frozen=True, kw_only=True):
    """Rare steps down, and in between a prefix that keeps its bytes.

    Args:
        due: percent of the limit from which on a step is due.
        headroom: tokens of the limit that stay free: a step is due before they are used.
        low: percent of what is due that a step goes down to.
        eager: whether results are shortened early, where it pays.
    """

    standing: ClassVar[bool] = True

    due: int = 80
    headroom: int = 0
    low: int = 47
    eager: bool = True

    @property
    def view(self) -> View:
        """What it did with older blocks it remembers."""
        return "fold"

    def due_at(self, limit: int) -> int:
        """Tokens of a request from which on a step is due: the soft threshold, or before the
        headroom is used (message-compiler.md#compaction-decision)."""
        return max(1, min(limit * self.due // 100, limit - self.headroom))


SOFT = 80
"""Percent of a limit from which on a compaction is due, where nothing else is said."""
LOW = 50
"""Percent of what a limit leaves for exchanges that a step goes down to."""
LAST_RESORT: tuple[Stage, ...] = (
    CapResults(part=2),
    CompactRunning(),
    CapResults(part=8),
    ShortenTask(),
    DropRunning(),
    CapProtected(),
)
"""What is done before a compile fails: also what must stay is shortened, in ever smaller pieces."""


class LayerShares(msgspec.Struct, frozen=True):
    """How a window is shared out among the layers of a pack (context-packs.md#allocation).

    Args:
        profile: the layers' shares by the kind of task.
        preset: how much stays free for the answer and how much the stable layers may have.
        max_tokens: the window; 0 for the step's own limit, or the model's window.
    """

    profile: str
    preset: str
    max_tokens: int = 0


class Terminal(Atom, frozen=True, kw_only=True):
    """A word that limits the request: it comes last, once.

    One of your own declares its `limit`, and of the others what differs from the defaults.
    """

    kind: ClassVar[Kind] = Kind.TERMINAL
    verb: ClassVar[Verb] = Verb.BUDGET

    def limit(self, window: int) -> int:
        """Tokens that the whole request may have.

        Args:
            window: tokens that the model's window leaves for a request.
        """
        return window

    @property
    def label(self) -> str:
        """What the manifest and the names of the stages call it."""
        return self.word

    @property
    def order(self) -> Order:
        """What is dropped first."""
        return "age"

    @property
    def stages(self) -> tuple[Stage, ...]:
        """What is done where a request is over the limit, cheap before dear, reversible before
        lossy (rules.md#cheap-first). Where the last was not enough, the compile fails."""
        return (CompactLongTurn(), Drop(), *LAST_RESORT)

    @property
    def step_low(self) -> int:
        """Percent of what the limit leaves for exchanges that a step goes down to, after which
        every byte stays until the next (rules.md#steps-down); 0 for a limit that is filled anew
        at each request."""
        own = any(stage.standing or isinstance(stage, Refuse) for stage in self.stages)
        return 0 if own or self.layers is not None else LOW

    @property
    def step_turns(self) -> bool:
        """Whether a step also comes where a turn begins, below the limit, where turns are long: for
        a limit that shortens before it drops."""
        return False

    @property
    def layer_low(self) -> int:
        """The same of what shares its window out: percent of its share that the conversation goes
        down to."""
        return LOW if self.layers is not None else 0

    def due_at(self, limit: int) -> int:
        """Tokens of a request from which on a compaction is due (message-compiler.md#token-budget):
        where its step begins, if it has one."""
        steps = (stage for stage in self.stages if isinstance(stage, FoldHistory))
        return next((step.due_at(limit) for step in steps), limit * SOFT // 100)

    @property
    def layers(self) -> LayerShares | None:
        """How it shares the window out among the layers; None: all of it is for all."""
        return None


class ModelWindow(Terminal, frozen=True, kw_only=True):
    """What limits a request where the spec says nothing: no word, but the model's window."""

    @property
    def label(self) -> str:
        """What the manifest calls it."""
        return "window of the model"
