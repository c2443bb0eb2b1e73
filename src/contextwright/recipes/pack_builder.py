"""The Pack Builder: a spec with the layers of a pack in their order (context-packs.md#layers)."""

from functools import reduce
from operator import add

from contextwright.atoms.budget.allocate import Preset, Profile
from contextwright.atoms.select.step import Contract
from contextwright.errors import SpecError, is_number
from contextwright.recipes.profiles import Recipe
from contextwright.spec.expr import Expr
from contextwright.words import C

TAIL = 5
"""Turns that stay as messages."""
STRIDE = 4
"""Turns by which their beginning moves: fewer than elsewhere, for a pack is small."""


class PackBuilder(Recipe, frozen=True, kw_only=True, eq=False):
    """Builds a Context Pack for the step that the state key `plan` holds.

        spec = PackBuilder(role="planner", profile="research").spec
        pack = compile(session, spec, model="gpt-5")

    Args:
        role: who reads the pack: `planner`, `operator`, `critic`, `reviewer`, or another name.
        profile: what kind of task it is, which decides the shares of the layers.
        preset: `quality` or `cost` first, or `balanced`.
        contract: where the rules for reading a pack stand.
        tail: turns that stay as messages, up to three more so that their beginning keeps its bytes
            for four turns; old tool results in them as excerpts with a ref; what was before is
            summarized in the payload.
        tools: names of the tools in scope; None for those that the step or the state names.
        evidence: pieces of evidence at most.
        memory: memories at most.
        more_evidence, more_memory: specs whose blocks fill these layers beside the state's:
            `C.from_state("findings")`, `C.relevant(top_k=5)`.
        context: further terms, in a section of their own.
        max_tokens: the window to share out; 0 for the model's.
        recite: whether the model is to say the step again first.
    """

    role: str = "operator"
    profile: Profile = "balanced"
    preset: Preset = "balanced"
    contract: Contract = "system"
    tail: int = TAIL
    tools: tuple[str, ...] | None = None
    evidence: int = 8
    memory: int = 5
    more_evidence: Expr | None = None
    more_memory: Expr | None = None
    context: Expr | None = None
    max_tokens: int = 0
    recite: bool = False

    def __post_init__(self) -> None:
        if self.tools is not None and (isinstance(self.tools, str) or not self.tools):
            raise SpecError(
                f"expected names or None, got {self.tools!r}",
                where="PackBuilder(tools=...)",
                fix="give a tuple of names; for no tool at all, Step(tools=())",
            )

    @property
    def spec(self) -> Expr:
        """The layers as a spec: task, tools, evidence, memory, conversation, and the limit."""
        # what is no number the window names
        stride = min(STRIDE, self.tail) if is_number(self.tail) else STRIDE
        terms: list[Expr] = [
            C.step(self.role, contract=self.contract, recite=self.recite),
            C.tools(*(self.tools or ())),
            C.evidence(top_k=self.evidence),
            C.memory(top_k=self.memory),
        ]
        if self.more_evidence is not None:
            terms.append(self.more_evidence | C.layer("evidence"))
        if self.more_memory is not None:
            terms.append(self.more_memory | C.layer("memory"))
        if self.context is not None:
            terms.append(self.context)
        terms.append(C.window(self.tail, stride=stride) | C.compact("tool_results"))
        terms.append(C.summarize(scope="before_window"))
        # no steps: in a pack nothing is dropped before all is as short as it may be
        return reduce(add, terms) | C.allocate(
            self.profile, preset=self.preset, max_tokens=self.max_tokens, steps=False
        )
