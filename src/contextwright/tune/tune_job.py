"""What a search is of, as plain data: a study of another job is never gone on with."""

from collections.abc import Sequence

import msgspec

from contextwright.compiler.plan import plan
from contextwright.engine.default_spec import limited_spec
from contextwright.errors import ModelError, SpecError, nearest
from contextwright.spec.expr import Expr
from contextwright.sweep.sweep_job import MODEL, SweepJob, SweepSpec
from contextwright.tokens.models import model_info
from contextwright.words import C

OBJECTIVES = {"calls": 1, "values": 1, "cost": -1, "prefix": 1}
"""What can be searched for, and whether more of it is better: calls whose values are all in sight,
values in sight, cost as a share of sending everything, tokens that the provider's cache reads."""
USUAL_OBJECTIVES = ("values", "cost", "prefix")
VERDICT = ("calls", "cost")
"""What a spec must win one of without losing the other, to be taken in the default's place."""


class TuneJob(msgspec.Struct, frozen=True, kw_only=True):
    """A search.

    Args:
        spaces: the specs whose options and words are varied.
        default: what a spec must beat.
        budget: tokens of a request at most.
        model, window: as of a sweep.
        objectives: of `OBJECTIVES`, what is searched for.
        seed: of the search, of the split and of the intervals.
    """

    spaces: tuple[SweepSpec, ...]
    default: SweepSpec
    budget: int
    model: str = MODEL
    window: int | None = None
    objectives: tuple[str, ...] = USUAL_OBJECTIVES
    seed: int = 0

    @classmethod
    def of(
        cls,
        spaces: Sequence[Expr],
        budget: int,
        *,
        default: Expr | None = None,
        model: str = MODEL,
        window: int | None = None,
        objectives: Sequence[str] = USUAL_OBJECTIVES,
        seed: int = 0,
    ) -> "TuneJob":
        """A search over specs; without any, over `usual_spaces`; by default against what is sent
        where nobody gives a spec.

        Raises:
            SpecError: an unknown objective, no positive budget, a model without prices.
        """
        for name in objectives:
            if name not in OBJECTIVES:
                fix = nearest(name, OBJECTIVES)
                raise SpecError(f"{name!r} is no objective", where="objectives", fix=fix)
        if budget < 1 or not objectives:
            what, fix = f"the budget is {budget}", "give tokens, and an objective at least"
            raise SpecError(what, where="tune(budget=...)", fix=fix)
        _check_prices(model)
        specs = [_limited(space, budget) for space in spaces or usual_spaces()]
        return cls(
            spaces=tuple(SweepSpec.of(spec) for spec in specs),
            default=SweepSpec.of(default or limited_spec(budget)),
            budget=budget,
            model=model,
            window=window,
            objectives=tuple(dict.fromkeys(objectives)),
            seed=seed,
        )

    def sweep_job(self, specs: Sequence[SweepSpec], share: float = 1.0) -> SweepJob:
        """The sweep of some specs over the first calls of every session."""
        return SweepJob(tuple(specs), self.model, self.window, share)


def usual_spaces() -> tuple[Expr, ...]:
    """What is searched where nobody says: rare steps, and a window of steps whose older results
    are short."""
    return (
        C.default() | C.compact() | C.compaction(),
        C.default() | C.dedup() | C.compress_results() | C.compaction(),
        C.window(steps=20) | C.compact() | C.fit(1),
    )


def _limited(space: Expr, budget: int) -> Expr:
    return space if plan(space).terminal is not None else space | C.budget(budget)


def _check_prices(model: str) -> None:
    try:
        price = model_info(model).input_price
    except ModelError:
        price = 0
    if not price:
        raise SpecError(
            f"no prices are known of {model}: cost can not be held against cost",
            where="tune(model=...)",
            fix="take a model with prices, or register_model(..., input_price=...)",
        )
