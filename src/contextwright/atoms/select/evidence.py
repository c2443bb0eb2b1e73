"""`C.evidence(...)`: artifacts that prove something, as summaries with their addresses
(context-packs.md#evidence)."""

from typing import ClassVar

from contextwright.blocks.block import SCORE_ONE, Block, Blocks
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.errors import SpecError
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.ranges import Ranges, ValueRange
from contextwright.spec.traits import Gives, Traits
from contextwright.tasks.plan_step import EVIDENCE, Step, step_in
from contextwright.tasks.proofs import (
    NO_PROOF,
    Proof,
    covered,
    is_outside,
    listed_proofs,
    plain_uri,
)
from contextwright.tasks.scores import best

SHOWN = 600
"""Characters of an artifact that nobody summarized."""


class Evidence(Atom, frozen=True, kw_only=True):
    """Summaries and addresses of artifacts; never the artifacts themselves.

    Args:
        uris: refs to show; without any, all that the state lists.
        top_k: at most so many: those that cover most of the checklist, of equals the newest.
        key: state key of the list.
    """

    word: ClassVar[str] = "evidence"
    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.SELECT
    variadic: ClassVar[str] = "uris"
    ranges: ClassVar[Ranges] = {"top_k": ValueRange(1, 30)}

    uris: tuple[str, ...] = ()
    top_k: int = 8
    key: str = EVIDENCE

    def __post_init__(self) -> None:
        if self.top_k < 1:
            raise SpecError(f"top_k is {self.top_k}", where=repr(self), fix="give at least 1")

    def cites(self) -> tuple[str, ...]:
        """The refs that are named."""
        return self.uris

    @property
    def traits(self) -> Traits:
        """A service lists what is not named here."""
        return Traits(
            gives=Gives.OFTEN_NOTHING, hydrates={} if self.uris else {self.key: self.top_k}
        )

    def over(self, inputs: Inputs) -> Blocks:
        """A block an artifact, oldest first."""
        state = inputs.snapshot.state
        named = tuple(plain_uri(uri) or uri for uri in self.uris)
        value = state.get(self.key)
        if not named and not isinstance(value, (list, tuple)):
            kind = "no value" if value is None else f"a {type(value).__name__}"
            inputs.notes.append(f"{self!r} expects a list under the state's {self.key!r}: {kind}")
        listed = {proof.uri: proof for proof in listed_proofs(value)}
        for uri in [uri for uri in listed if is_outside(uri) and uri not in named]:
            inputs.notes.append(f"{uri[:120]} is not cited: {NO_PROOF}")
            del listed[uri]
        wanted = named or tuple(listed)
        step = step_in(inputs.snapshot.state)
        cited = [listed.get(uri) or _unlisted(uri, inputs) for uri in wanted]
        return tuple(self._block(proof, step) for proof in cited if proof is not None)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The pieces that cover most of the checklist, the one that covers most last."""
        age = {block.id: place for place, block in enumerate(blocks)}
        return best(blocks, self.top_k, lambda block: (block.score, age[block.id]))

    def _block(self, proof: Proof, step: Step | None) -> Block:
        criteria = len(step.acceptance) if step is not None else 0
        share = len(covered(proof, step)) * SCORE_ONE // max(1, criteria)
        return Block(
            id=f"evidence:{proof.uri}",
            source="evidence",
            layer=Layer.EVIDENCE,
            text=proof.summary,
            score=share,
            cache=CacheClass.DYNAMIC,
            ref=proof.uri,
            lineage=tuple(filter(None, (proof.uri, proof.event))),
        )


def _unlisted(uri: str, inputs: Inputs) -> Proof | None:
    """An artifact that is only named: its own beginning stands for a summary."""
    text = inputs.resolve(uri)
    if text is None:
        return None
    head = " ".join(text[:SHOWN].split())
    return Proof(uri=uri, summary=head + (" ..." if len(text) > SHOWN else ""))
