"""Acceptance gating: a reply is held against its step's checklist; what is missing makes the
next pack a repair pack (document 001)."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from contextwright.atoms.select.evidence import covered, proofs
from contextwright.session.session import Session
from contextwright.session.step import EVIDENCE, PLAN, Criterion, Step, step_of

_MARK = re.compile(
    r"^[\s>*+-]*(?:\d+[.)]\s*)?\[(?P<mark>[ xX\u2713\u2714\u2717\u2718-])\]\s*(?P<said>.+)$",
    re.MULTILINE,
)
_MET = frozenset("xX\u2713\u2714")
_ARTIFACT = re.compile(r"artifact://[^\s)\]>\"',;]+")


class Verdict(msgspec.Struct, frozen=True):
    """What a reply met of a checklist.

    Args:
        met: ids of the criteria that it met.
        missing: ids of the others, in the checklist's order; `why`, each with the reason.
    """

    met: tuple[str, ...]
    missing: tuple[str, ...]
    why: dict[str, str]

    @property
    def accepted(self) -> bool:
        """Whether nothing is missing."""
        return not self.missing


def gate(reply: str, step: Step, evidence: Any = ()) -> Verdict:
    """Hold a reply against the checklist of its step.

    An item is met where the reply marks it `[x]` by its id or its text, never where it says
    nothing of it; one that needs evidence, where the reply also names an artifact that is
    listed for it.

    Args:
        evidence: the artifacts there are, as the state key `evidence` lists them.
    """
    step = step_of(step)
    marks = _marks(reply, step.acceptance)
    named = {match.rstrip(".,:;") for match in _ARTIFACT.findall(reply)}
    listed = [proof for proof in proofs(evidence) if proof.uri in named]
    why: dict[str, str] = {}
    for one in step.acceptance:
        if one.id not in marks:
            why[one.id] = "the reply does not say"
        elif not marks[one.id]:
            why[one.id] = "the reply says that it is not met"
        elif one.needs_evidence and not any(covered(proof, [one]) for proof in listed):
            why[one.id] = "the reply names no listed artifact that proves it"
    met = tuple(one.id for one in step.acceptance if one.id not in why)
    return Verdict(met, tuple(why), why)


def gated(session: Session, reply: str) -> Verdict:
    """Hold a reply against the step at hand; with something missing, the next pack says so.

    Raises:
        StepError: the session has no step.
    """
    step = step_of(session.state.get(PLAN))
    verdict = gate(reply, step, session.state.get(EVIDENCE))
    if verdict.missing != step.missing:
        repaired = msgspec.structs.replace(step, missing=verdict.missing)
        session.update({PLAN: repaired.to_state()})
    return verdict


def _marks(reply: str, criteria: tuple[Criterion, ...]) -> Mapping[str, bool]:
    """Id to whether it was marked as met; the last mark of an item counts."""
    found: dict[str, bool] = {}
    for match in _MARK.finditer(reply):
        said = match["said"].strip().strip("*_`").strip()
        for one in criteria:
            if _speaks_of(said, one):
                found[one.id] = match["mark"] in _MET
                break
    return found


def _speaks_of(said: str, one: Criterion) -> bool:
    head = re.split(r"[\s:.)\u2014-]", said, maxsplit=1)[0].strip("*_`")
    if head.casefold() == one.id.casefold():
        return True
    return _folded(one.text) in _folded(said)


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
