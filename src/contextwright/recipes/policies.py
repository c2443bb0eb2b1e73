"""The policies of document 002 as contracts, with their default implementations.

Drivers depend on none of them: `Compiler` is the only runtime contract. They name what a spec's
words decide, for those who replace one: a policy over blocks is an `Atom` of one's own
(`docs/how-to/policies.md`).
"""

from collections.abc import Iterable
from typing import Protocol

import msgspec

from contextwright.atoms.compress.isolate import Isolate
from contextwright.blocks.block import Blocks
from contextwright.compiler.context_budget import ContextBudget
from contextwright.compiler.pack import Pack
from contextwright.render.target import Target
from contextwright.session.event import Event
from contextwright.session.exchange import Exchange
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.session.views import conversation_view, reasoning_view
from contextwright.spec.inputs import Inputs


class RouteStepOutput(Protocol):
    """Where what a step gave goes."""

    def route(self, session: Session, output: Iterable[Event]) -> None:
        """Write it."""
        ...


class ProjectContextView(Protocol):
    """The readings of a log."""

    def conversation_view(self, snapshot: Snapshot) -> list[Exchange]:
        """The clean thread."""
        ...

    def reasoning_view(self, snapshot: Snapshot) -> list[Exchange]:
        """With the tool trace."""
        ...


class EstimateTokens(Protocol):
    """What a compiled request takes."""

    def estimate(self, pack: Pack) -> int:
        """Tokens."""
        ...


class ComputeTokenBudget(Protocol):
    """The room for a request."""

    def budget_for(self, target: Target, used: int) -> ContextBudget:
        """The budget, so much of it used."""
        ...


class DecideCompaction(Protocol):
    """When room must be made."""

    def should_compact(self, budget: ContextBudget) -> bool:
        """Whether it must."""
        ...


class TransformContext(Protocol):
    """A transform of blocks: isolation, normalizing, one stage of a compaction. Every atom that
    stands behind a pipe is one."""

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """What comes out; what is missing then stands in the manifest."""
        ...


class DefaultStepOutputRouter(msgspec.Struct, frozen=True):
    """Appends to the log, with tags.

    Args:
        tags: set on every event.
    """

    tags: tuple[str, ...] = ()

    def route(self, session: Session, output: Iterable[Event]) -> None:
        """Append each event, its tags and ours."""
        for event in output:
            tags = tuple(dict.fromkeys((*event.tags, *self.tags)))
            session.append(msgspec.structs.replace(event, tags=tags))


class DefaultContextProjector(msgspec.Struct, frozen=True):
    """Both views of the one log; `C.view(...)` in a spec."""

    def conversation_view(self, snapshot: Snapshot) -> list[Exchange]:
        """What was said, without the tool trace."""
        return conversation_view(snapshot)

    def reasoning_view(self, snapshot: Snapshot) -> list[Exchange]:
        """Everything."""
        return reasoning_view(snapshot)


class DefaultTokenEstimator(msgspec.Struct, frozen=True):
    """The target's own tokenizer over what is sent: a pack's count."""

    def estimate(self, pack: Pack) -> int:
        """Tokens of the whole request."""
        return pack.tokens


class DefaultTokenBudget(msgspec.Struct, frozen=True):
    """Window and reserves of the target.

    Args:
        soft: percent of the room from which on a compaction is due.
    """

    soft: int = 80

    def budget_for(self, target: Target, used: int) -> ContextBudget:
        """The budget, so much of it used."""
        return ContextBudget(
            window=target.window,
            used=used,
            reserved_output=target.reserved_output,
            reserved_system=target.reserved_system,
            soft_threshold=target.max_input * self.soft // 100,
        )


class ThresholdCompactionDecision(msgspec.Struct, frozen=True):
    """Due at the soft threshold, or where less than `headroom` tokens are left.

    Args:
        headroom: tokens that should stay free.
    """

    headroom: int = 0

    def should_compact(self, budget: ContextBudget) -> bool:
        """Whether a compaction is due."""
        return budget.over_soft_threshold() or budget.remaining() < self.headroom


BoundaryIsolationPolicy = Isolate(policy="boundary")
ObservationMaskingPolicy = Isolate(policy="masking")
TransparentPolicy = Isolate(policy="transparent")
