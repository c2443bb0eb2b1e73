"""The layers of a Context Pack (document 001), the phases of a request (document 003)."""

from typing import Literal

from contextwright.atoms.budget.cap import Cap
from contextwright.atoms.budget.layer import AsLayer, Name
from contextwright.atoms.budget.phase import Phase
from contextwright.atoms.compress.clock_last import ClockLast
from contextwright.atoms.compress.vary import Vary
from contextwright.atoms.select.evidence import Evidence
from contextwright.atoms.select.failures import Failures
from contextwright.atoms.select.memory import Memory
from contextwright.atoms.select.recite import Recite
from contextwright.atoms.select.step import Contract, ForStep
from contextwright.atoms.select.tools import StepTools
from contextwright.spec.expr import make
from contextwright.tasks.plan_step import PLAN


class PackWords:
    """The layers of a Context Pack (document 001), the phases of a request (document 003)."""

    @staticmethod
    def step(
        role: str = "operator", *, contract: Contract = "system", recite: bool = False
    ) -> ForStep:
        """The step at hand, its limits and its checklist; makes a pack of the request."""
        return make(ForStep, role=role, contract=contract, recite=recite)

    @staticmethod
    def tools(*names: str, examples: bool = True) -> StepTools:
        """Only these tools, or those of the step, are sent."""
        return make(StepTools, names=names, examples=examples)

    @staticmethod
    def evidence(*uris: str, top_k: int = 8) -> Evidence:
        """Summaries and addresses of artifacts: these, or those that the state lists."""
        return make(Evidence, uris=uris, top_k=top_k)

    @staticmethod
    def memory(top_k: int = 5, *, min_score: float = 0.05) -> Memory:
        """What is remembered that matters for the step, with its dates."""
        return make(Memory, top_k=top_k, min_score=min_score)

    @staticmethod
    def layer(name: Name) -> AsLayer:
        """What stands to the left as a layer of a pack."""
        return make(AsLayer, name=name)

    @staticmethod
    def phase(name: Literal["system", "user", "runtime"]) -> Phase:
        """How long these texts stay the same, and so where they stand."""
        return make(Phase, name=name)

    @staticmethod
    def cap(max_tokens: int) -> Cap:
        """The most that what stands to the left may take."""
        return make(Cap, max_tokens=max_tokens)

    @staticmethod
    def recite(todo: str = "todo", *, key: str = PLAN) -> Recite:
        """Goal, progress and next step, at the very end."""
        return make(Recite, todo=todo, key=key)

    @staticmethod
    def failures(n: int = 5) -> Failures:
        """What went wrong before, and what worked instead."""
        return make(Failures, n=n)

    @staticmethod
    def vary(seed: int = 0) -> Vary:
        """DYNAMIC texts in another form from turn to turn."""
        return make(Vary, seed=seed)

    @staticmethod
    def clock_last() -> ClockLast:
        """Times of day out of the texts that a cache may hold, to the end."""
        return make(ClockLast)
