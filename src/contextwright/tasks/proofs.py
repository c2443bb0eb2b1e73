"""What is listed as proof, and which items of the step's checklist it speaks to
(context-packs.md#evidence)."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import Layer
from contextwright.blocks.ref import parse_ref
from contextwright.errors import RefError
from contextwright.tasks.plan_step import EVIDENCE, Step, is_of_step, names_of, step_in
from contextwright.text.search_terms import content_words
from contextwright.typed_decoding import converted


class Proof(msgspec.Struct, frozen=True, omit_defaults=True):
    """An artifact as the state key `evidence` lists it.

    Args:
        uri: its ref, such as `artifact://tasks/42/step-3/report.md`.
        summary: what it says, in a line or two.
        covers: ids of the criteria that it proves; with none, those that its summary speaks of.
        task, step: whose criteria these are; of others it proves those that its summary speaks of.
        tool: the tool that made it. event: the event that it came from.
        time_ms: when.
    """

    uri: str
    summary: str = ""
    covers: tuple[str, ...] = ()
    tool: str = ""
    event: str = ""
    task: str = ""
    step: str = ""
    time_ms: int | None = None


NO_PROOF = "evidence is what the session holds: store the page or the file as an artifact"


def is_outside(uri: str) -> bool:
    """Whether a ref names what anybody may change behind the session's back."""
    return uri.startswith(("https://", "file://"))


def proofs(listed: Any) -> tuple[Proof, ...]:
    """The artifacts, events and state keys that a state value lists as evidence, oldest first; what
    is no entry is passed over, and so are addresses and files: they prove nothing."""
    return tuple(proof for proof in listed_proofs(listed) if not is_outside(proof.uri))


def listed_proofs(listed: Any) -> tuple[Proof, ...]:
    """All that a state value lists, addresses and files included."""
    by_uri: dict[str, Proof] = {}
    items: Any = listed if isinstance(listed, (list, tuple)) else ()
    for item in items:
        try:
            proof = converted(_entry(item), Proof)
        except msgspec.ValidationError:
            continue
        uri = plain_uri(proof.uri)
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


def plain_uri(uri: str) -> str:
    """A ref as it is written, on one line; nothing where it is none."""
    try:
        ref = parse_ref(uri)
    except RefError:
        return ""
    return uri if ref.scheme == "https" and uri.isprintable() and " " not in uri else str(ref)


def covered(proof: Proof, step: Step | None) -> frozenset[str]:
    """Ids of the criteria of a step that an artifact speaks to: those that it names, or else those
    half of whose words its summary has."""
    if step is None:
        return frozenset()
    if proof.covers and is_of_step(_whose(proof), names_of(step)):
        return frozenset(proof.covers) & {criterion.id for criterion in step.acceptance}
    proof_words = set(content_words(f"{proof.summary} {proof.uri}"))
    ids: set[str] = set()
    for criterion in step.acceptance:
        wanted = set(content_words(criterion.text))
        if wanted and 2 * len(wanted & proof_words) >= len(wanted):
            ids.add(criterion.id)
    return frozenset(ids)


def _whose(proof: Proof) -> dict[str, str]:
    """Of which step an artifact says that its `covers` are: `a1` is a criterion of each."""
    return {key: name for key, name in (("task", proof.task), ("step", proof.step)) if name}


def needed(blocks: Iterable[Block], state: Mapping[str, Any]) -> tuple[str, ...]:
    """Ids of the criteria that want evidence and of which no block in the request is any."""
    step = step_in(state)
    wanting = [one for one in step.acceptance if one.needs_evidence] if step is not None else []
    have = set[str]().union(*_covers(blocks, state).values()) if wanting else set[str]()
    return tuple(one.id for one in wanting if one.id not in have)


def essential(blocks: Blocks, state: Mapping[str, Any]) -> frozenset[Block]:
    """The evidence that the checklist can not do without: for every criterion that some covers,
    one piece at least, the one that covers most, of equals the newest."""
    covers, have, chosen = _covers(blocks, state), set[str](), set[Block]()
    age = {block: place for place, block in enumerate(covers)}
    for block in sorted(covers, key=lambda block: (block.score, age[block]), reverse=True):
        if not covers[block] <= have:
            chosen.add(block)
            have |= covers[block]
    return frozenset(chosen)


def _covers(blocks: Iterable[Block], state: Mapping[str, Any]) -> dict[Block, frozenset[str]]:
    """Each piece of evidence with the ids of the criteria that it covers, as the state lists it,
    or as its own words have it."""
    evidence = [block for block in blocks if block.layer is Layer.EVIDENCE]
    step = step_in(state) if evidence else None
    listed = {proof.uri: proof for proof in proofs(state.get(EVIDENCE))} if step is not None else {}
    return {
        block: covered(listed.get(block.ref) or Proof("", block.plain_text), step)
        for block in evidence
    }
