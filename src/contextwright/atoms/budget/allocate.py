"""`C.allocate(...)`: the window shared out among the layers of a pack
(context-packs.md#allocation)."""

from typing import ClassVar, Literal

from contextwright.errors import SpecError
from contextwright.spec.ranges import EVERY, Ranges, ValueRange
from contextwright.spec.terminal import (
    LAST_RESORT,
    LayerShares,
    Order,
    ShrinkLayers,
    Stage,
    Terminal,
)

Profile = Literal["balanced", "research", "requirements", "tests"]
Preset = Literal["balanced", "quality", "cost"]


class Allocate(Terminal, frozen=True, kw_only=True):
    """Floors for system, task, tools and the answer; the rest of the window for evidence, memory
    and conversation by the profile and by what the step and the session say. What a layer does
    not need goes to those that need more.

    Where it does not fit: memory is summarized, then older evidence, examples of tools go, the
    step's background is shortened; then the least telling memories are dropped, the evidence
    that covers least, the oldest of the conversation. System, task and tools never.

    Args:
        profile: what kind of task: its shares of evidence, memory and conversation.
        preset: how much stays free for the answer and how much the stable layers may have:
            `quality` the most, `cost` the least, and then only half of the rest is shared out.
        max_tokens: the window; 0 for the model's, or the step's own limit.
        steps: whether a conversation that is over its share goes down to half of it at once, and
            leaves all as it is until it is over it again (rules.md#steps-down); False: as little
            as it takes, at every request.

    Raises:
        StepError: at the compile, where the floors alone are more than the window: split the step.
    """

    word: ClassVar[str] = "allocate"
    ranges: ClassVar[Ranges] = {"preset": EVERY, "max_tokens": ValueRange(25, 100, of_budget=True)}

    profile: Profile = "balanced"
    preset: Preset = "balanced"
    max_tokens: int = 0
    steps: bool = True

    def __post_init__(self) -> None:
        if self.max_tokens < 0:
            raise SpecError(
                f"max_tokens is {self.max_tokens}",
                where=repr(self),
                fix="give a positive number of tokens, or 0 for the model's window",
            )

    @property
    def order(self) -> Order:
        """The layer that gives way first."""
        return "layer"

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Layer by layer."""
        return (ShrinkLayers(), *LAST_RESORT)

    @property
    def layers(self) -> LayerShares:
        """How the window is shared out; the layers' shares are the limit."""
        return LayerShares(self.profile, self.preset, self.max_tokens)

    @property
    def layer_low(self) -> int:
        """None without `steps`."""
        return super().layer_low if self.steps else 0
