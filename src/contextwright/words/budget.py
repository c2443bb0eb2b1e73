"""BUDGET and PROTECT: tiers and limits; is the context safe, current, complete?"""

from collections.abc import Iterable
from typing import Literal

from contextwright.atoms.budget.allocate import Allocate, Preset, Profile
from contextwright.atoms.budget.budget import Budget, Overflow
from contextwright.atoms.budget.compaction import Compaction
from contextwright.atoms.budget.fit import Fit, FitStrategy
from contextwright.atoms.budget.priority import Priority
from contextwright.atoms.protect.fresh import Fresh
from contextwright.atoms.protect.premise import Premise
from contextwright.atoms.protect.redact import Redact
from contextwright.atoms.protect.validate import Check, Validate
from contextwright.spec.expr import make
from contextwright.words.names import Names, names_of


class LimitWords:
    """BUDGET and PROTECT: tiers and limits; is the context safe, current, complete?"""

    @staticmethod
    def priority(tier: int) -> Priority:
        """1 critical, 2 important, 3 supplementary, 4 archive."""
        return make(Priority, tier=tier)

    @staticmethod
    def budget(max_tokens: int, *, overflow: Overflow = "truncate_oldest") -> Budget:
        """At most so many tokens, as they are sent."""
        return make(Budget, max_tokens=max_tokens, overflow=overflow)

    @staticmethod
    def compaction(
        max_tokens: int = 0,
        *,
        soft: int = 80,
        headroom: int = 0,
        low: int = 49,
        eager: bool = True,
    ) -> Compaction:
        """Rare steps down, and in between a prefix that keeps its bytes."""
        return make(
            Compaction, max_tokens=max_tokens, soft=soft, headroom=headroom, low=low, eager=eager
        )

    @staticmethod
    def fit(target_tokens: int, *, strategy: FitStrategy = "cascade") -> Fit:
        """Shorten by a cascade until it fits."""
        return make(Fit, target_tokens=target_tokens, strategy=strategy)

    @staticmethod
    def allocate(
        profile: Profile = "balanced", *, preset: Preset = "balanced", max_tokens: int = 0
    ) -> Allocate:
        """The window shared out among the layers of a pack."""
        return make(Allocate, profile=profile, preset=preset, max_tokens=max_tokens)

    @staticmethod
    def fresh(
        max_age: int,
        *,
        stale_action: Literal["exclude", "warn", "compact", "summarize"] = "exclude",
    ) -> Fresh:
        """What is more than `max_age` turns old is left out, marked or shortened."""
        return make(Fresh, max_age=max_age, stale_action=stale_action)

    @staticmethod
    def premise(*, unknown: bool = False, model: str = "", keys: Names = ()) -> Premise:
        """A warning where the question takes for granted what is not so."""
        return make(Premise, unknown=unknown, model=model, keys=names_of(keys))

    @staticmethod
    def redact(patterns: Names = (), *, fields: Names = ()) -> Redact:
        """What these patterns find and these fields hold is not sent."""
        return make(Redact, patterns=names_of(patterns), fields=names_of(fields))

    @staticmethod
    def validate(
        checks: Iterable[Check] | Check,
        *,
        keys: Names = (),
        max_age: int = 20,
        on_failure: Literal["annotate", "raise"] = "annotate",
        model: str = "",
    ) -> Validate:
        """Check the assembled context; warn in it, or fail."""
        wanted: tuple[Check, ...] = (checks,) if isinstance(checks, str) else tuple(checks)  # pyright: ignore[reportAssignmentType]
        return make(
            Validate,
            checks=wanted,
            keys=names_of(keys),
            max_age=max_age,
            on_failure=on_failure,
            model=model,
        )
