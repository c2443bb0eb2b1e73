"""`C.evidence(...)`: artifacts that prove something, as summaries with their addresses
(context-packs.md#evidence)."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import msgspec

from contextwright.blocks.block import SCORE_ONE, Block, Blocks
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.blocks.ref import parse_ref
from contextwright.errors import RefError, SpecError
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Gives, Traits
from contextwright.tasks.plan_step import EVIDENCE, Criterion, step_in
from contextwright.tasks.scores import best
from contextwright.text.search_terms import content_words

SHOWN = 600
"""Characters of an artifact that nobody summarized."""


class Proof(msgspec.Struct, frozen=True, omit_defaults=True):
    """An artifact as the state key `evidence` lists it.

    Args:
        uri: its ref, such as `artifact://tasks/42/step-3/report.md`.
        summary: what it says, in a line or two.
        covers: ids of the criteria that it proves; with none, those that its summary speaks of.
        tool: the tool that made it. event: the event that it came from.
        time_ms: when.
    """

    uri: str
    summary: str = ""
    covers: tuple[str, ...] = ()
    tool: str = ""
    event: str = ""
    step: str = ""
    time_ms: int | None = None


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

    uris: tuple[str, ...] = ()
    top_k: int = 8
    key: str = EVIDENCE

    def __post_init__(self) -> None:
        if self.top_k < 1:
            raise SpecError(f"top_k is {self.top_k}", where=repr(self), fix="give at least 1")

    @property
    def traits(self) -> Traits:
        """A service lists what is not named here."""
        return Traits(
            gives=Gives.OFTEN_NOTHING, hydrates={} if self.uris else {self.key: self.top_k}
        )

    def over(self, inputs: Inputs) -> Blocks:
        """A block an artifact, oldest first."""
        listed = {proof.uri: proof for proof in proofs(inputs.snapshot.state.get(self.key))}
        wanted = tuple(_plain(uri) or uri for uri in self.uris) or tuple(listed)
        criteria = criteria_of(inputs.snapshot.state)
        cited = [listed.get(uri) or _unlisted(uri, inputs) for uri in wanted]
        return tuple(self._block(proof, criteria) for proof in cited if proof is not None)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The pieces that cover most of the checklist, the one that covers most last."""
        age = {block.id: place for place, block in enumerate(blocks)}
        return best(blocks, self.top_k, lambda block: (block.score, age[block.id]))

    def _block(self, proof: Proof, criteria: tuple[Criterion, ...]) -> Block:
        share = len(covered(proof, criteria)) * SCORE_ONE // max(1, len(criteria))
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


def proofs(listed: Any) -> tuple[Proof, ...]:
    """The artifacts that a state value lists, oldest first; what is no entry is passed over."""
    by_uri: dict[str, Proof] = {}
    items: Any = listed if isinstance(listed, (list, tuple)) else ()
    for item in items:
        try:
            proof = msgspec.convert(_entry(item), Proof)
        except msgspec.ValidationError:
            continue
        uri = _plain(proof.uri)
        if uri:
            by_uri.pop(uri, None)
            by_uri[uri] = msgspec.structs.replace(proof, uri=uri)
    return tuple(sorted(by_uri.values(), key=lambda proof: proof.time_ms or 0))


def _entry(item: Any) -> Any:
    """An entry as applications write it: an address alone, a criterion alone, times that are not
    whole, null for what is not known."""
    if not isinstance(item, Mapping):
        return {"uri": item}
    entry: dict[str, Any] = {str(key): value for key, value in item.items() if value is not None}  # pyright: ignore
    if isinstance(entry.get("covers"), str):
        entry["covers"] = (entry["covers"],)
    if isinstance(entry.get("time_ms"), float):
        entry["time_ms"] = int(entry["time_ms"])
    return entry


def _plain(uri: str) -> str:
    """A ref as it is written, on one line; nothing where it is none."""
    try:
        ref = parse_ref(uri)
    except RefError:
        return ""
    return uri if ref.scheme == "https" and uri.isprintable() and " " not in uri else str(ref)


def covered(proof: Proof, criteria: Iterable[Criterion]) -> frozenset[str]:
    """Ids of the criteria that an artifact speaks to: those that it names, or else those half
    of whose words its summary has."""
    if proof.covers:
        return frozenset(proof.covers) & {criterion.id for criterion in criteria}
    proof_words = set(content_words(f"{proof.summary} {proof.uri}"))
    ids: set[str] = set()
    for criterion in criteria:
        wanted = set(content_words(criterion.text))
        if wanted and 2 * len(wanted & proof_words) >= len(wanted):
            ids.add(criterion.id)
    return frozenset(ids)


def criteria_of(state: Mapping[str, Any]) -> tuple[Criterion, ...]:
    """The criteria of the step at hand; none where there is no step."""
    step = step_in(state)
    return step.acceptance if step is not None else ()


def needed(state: Mapping[str, Any]) -> tuple[str, ...]:
    """Ids of the criteria that want evidence and have none."""
    criteria = [one for one in criteria_of(state) if one.needs_evidence]
    have: set[str] = set()
    for proof in proofs(state.get(EVIDENCE)):
        have |= covered(proof, criteria)
    return tuple(one.id for one in criteria if one.id not in have)


def _unlisted(uri: str, inputs: Inputs) -> Proof | None:
    """An artifact that is only named: its own beginning stands for a summary."""
    text = inputs.resolve(uri)
    if text is None:
        return None
    head = " ".join(text[:SHOWN].split())
    return Proof(uri=uri, summary=head + (" ..." if len(text) > SHOWN else ""))
