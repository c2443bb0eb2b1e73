"""`C.step()`: the step at hand, its constraints and its acceptance checklist
(context-packs.md#step)."""

from typing import ClassVar, Literal

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import CacheClass, Layer, Trust
from contextwright.blocks.ref import Ref
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Traits
from contextwright.tasks.plan_step import PLAN, Constraints, Criterion, Step, step_of
from contextwright.tasks.roles import (
    CHECKLIST,
    IN_PAYLOAD,
    IN_SYSTEM,
    RECITE,
    REPAIR,
    lines_of,
)

Contract = Literal["system", "payload", "none"]


class ForStep(Atom, frozen=True, kw_only=True):
    """What the plan says of the step at hand. A spec with it makes a pack: its texts stand as
    sections in the newest user message, in front of the user's own words.

    Args:
        role: `planner`, `operator`, `critic`, `reviewer`, or any other name.
        contract: where the rules for reading a pack stand: in the `system` instruction, at the
            head of the `payload`, or nowhere.
        recite: whether the model is to repeat step and checklist first.
        key: state key of the step.

    Raises:
        StepError: at the compile, where the state has no step, or one without a checklist.
    """

    word: ClassVar[str] = "step"
    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.SELECT

    role: str = "operator"
    contract: Contract = "system"
    recite: bool = False
    key: str = PLAN

    @property
    def traits(self) -> Traits:
        """It makes a pack of the request; the application keeps the plan."""
        return Traits(step_key=self.key, missing_key="normal")

    def reads(self) -> tuple[str, ...]:
        """The step's state key."""
        return (self.key,)

    def bring(self, inputs: Inputs) -> Blocks:
        """A block a line; all of them stay, but the background may be shortened."""
        step = self.of(inputs)
        lines = [("role", line) for line in lines_of(self.role, step.step_id)]
        if self.contract == "payload":
            lines = [*(("rules", line) for line in IN_PAYLOAD), *lines]
        lines += [("goal", step.goal)] if step.goal else []
        lines += [("step", line) for line in step.do]
        lines += [("constraints", line) for line in _limits(step.constraints)]
        lines += [("acceptance", line) for line in self._checklist(step)]
        blocks = [self._block(source, place, line) for place, (source, line) in enumerate(lines)]
        if step.background:
            blocks.append(self._block("background", 0, step.background, tier=2))
        if self.contract == "system":
            blocks.insert(0, _contract())
        return tuple(blocks)

    def of(self, inputs: Inputs) -> Step:
        """The step at hand.

        Raises:
            StepError: there is none, or it is incomplete.
        """
        return step_of(inputs.snapshot.state.get(self.key), f"state {self.key!r}")

    def _checklist(self, step: Step) -> list[str]:
        lines = [_item(criterion, criterion.id in step.missing) for criterion in step.acceptance]
        lines += [REPAIR] if step.missing else []
        lines += [RECITE] if self.recite else []
        return [*lines, CHECKLIST]

    def _block(self, source: str, place: int, text: str, tier: int = 1) -> Block:
        return Block(
            id=f"step:{source}/{place}",
            source=source,
            layer=Layer.TASK,
            text=text,
            tier=tier,
            cache=CacheClass.DYNAMIC,
            ref=str(Ref("state", self.key)),
            lineage=(f"state:{self.key}",),
        )


def _contract() -> Block:
    return Block(
        id="step:contract",
        source="contract",
        layer=Layer.SYSTEM,
        text=IN_SYSTEM,
        tier=1,
        cache=CacheClass.STABLE,
        trust=Trust.OPERATOR,
    )


def _item(criterion: Criterion, missing: bool) -> str:
    proof = " (with evidence)" if criterion.needs_evidence else ""
    return f"[ ] {criterion.id}: {'MISSING: ' if missing else ''}{criterion.text}{proof}"


def _limits(limits: Constraints) -> list[str]:
    """The limits that were set: the numbers in one line, then what was said in words."""
    numbers = [
        f"Tokens <= {limits.tokens:,}" if limits.tokens else "",
        f"Latency <= {_plain(limits.latency_s)}s" if limits.latency_s else "",
        f"cost <= ${_dollars(limits.cost_usd)}" if limits.cost_usd else "",
        f"Risk: {limits.risk}" if limits.risk != "low" else "",
    ]
    return [line for line in ("; ".join(filter(None, numbers)), *limits.other) if line]


def _plain(number: float) -> str:
    """A number as it was given, without an exponent."""
    whole, _, rest = f"{number:.6f}".partition(".")
    return f"{whole}.{rest}".rstrip("0").rstrip(".")


def _dollars(amount: float) -> str:
    """With cents, and with what is less than a cent."""
    whole, _, rest = _plain(amount).partition(".")
    return f"{whole}.{rest:0<2}"
