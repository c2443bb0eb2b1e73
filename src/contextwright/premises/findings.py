"""What premise checks give back: a verdict for every presupposition, and one for the question."""

from collections.abc import Sequence
from typing import Literal

import msgspec

Verdict = Literal["valid", "unknown", "invalid"]
PresuppositionKind = Literal["event", "exists", "problem"]

SUGGESTION = "Please verify the premise of your question."
"""Document 004's words."""


class Presupposition(msgspec.Struct, frozen=True):
    """Something that a question takes for granted.

    Args:
        text: it as a sentence.
        terms: its telling words, stemmed as an index has them.
        kind: `event`, it is or was so; `exists`; `problem`, something is wrong with it.
        negated: whether it says that something is not so.
    """

    text: str
    terms: tuple[str, ...] = ()
    kind: PresuppositionKind = "event"
    negated: bool = False


class Finding(msgspec.Struct, frozen=True):
    """The verdict on one presupposition.

    Args:
        premise: the presupposition.
        verdict: `valid`, a statement supports it; `invalid`, one contradicts it; else `unknown`.
        reason: why, in a sentence.
        evidence: ids of what supports or contradicts it, the nearest first.
        known: what is known instead, quoted.
        near: places of the items that come nearest; a model is shown these.
    """

    premise: Presupposition
    verdict: Verdict
    reason: str = ""
    evidence: tuple[str, ...] = ()
    known: str = ""
    near: tuple[int, ...] = ()


class PremiseResult(msgspec.Struct, frozen=True):
    """The verdict on a question: the worst of its presuppositions'.

    Args:
        valid: whether every presupposition is supported; True where there is none. Where only
            this or `verdict` says otherwise, both do: `PremiseResult(valid=False)` is `invalid`.
        invalid_premise: the presupposition of that verdict; empty where all are valid.
        reason: why.
        suggestion: what to do about it.
        verdict: `valid`, `unknown` or `invalid`.
        evidence: ids of what the verdict rests on.
        findings: one for each presupposition, in the question's order.
    """

    valid: bool = True
    invalid_premise: str = ""
    reason: str = ""
    suggestion: str = ""
    verdict: Verdict = "valid"
    evidence: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        if self.verdict != "valid":
            msgspec.structs.force_setattr(self, "valid", False)
        elif not self.valid:
            msgspec.structs.force_setattr(self, "verdict", "invalid")


def result_of(findings: Sequence[Finding]) -> PremiseResult:
    """The result of a question with these findings."""
    for verdict in ("invalid", "unknown"):
        worst = next((each for each in findings if each.verdict == verdict), None)
        if worst is not None:
            hint = f"{SUGGESTION} Known instead: {worst.known}" if worst.known else SUGGESTION
            return PremiseResult(
                verdict=worst.verdict,
                invalid_premise=worst.premise.text,
                reason=worst.reason,
                suggestion=hint,
                evidence=worst.evidence,
                findings=tuple(findings),
            )
    refs = dict.fromkeys(ref for each in findings for ref in each.evidence)
    return PremiseResult(evidence=tuple(refs), findings=tuple(findings))
