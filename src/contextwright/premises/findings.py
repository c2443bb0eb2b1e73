"""What premise checks give back: a verdict for every presupposition, and one for the question."""

from collections.abc import Sequence
from typing import Literal

import msgspec

Verdict = Literal["valid", "unknown", "invalid"]
PresuppositionKind = Literal["event", "exists", "problem"]

SUGGESTION = "Please verify the premise of your question."
"""The source's own words (cooling-and-forgetting.md#mu-operator)."""


class Presupposition(msgspec.Struct, frozen=True):
    """Something that a question takes for granted, as a sentence.

    Args:
        terms: its telling words, stemmed as an index has them.
        kind: `event`, it is or was so; `exists`; `problem`, something is wrong with it.
        negated: whether it says that something is not so.
    """

    text: str
    terms: tuple[str, ...] = ()
    kind: PresuppositionKind = "event"
    negated: bool = False


class PremiseFinding(msgspec.Struct, frozen=True):
    """The verdict on one presupposition, and the reason in a sentence.

    Args:
        verdict: `valid`, a statement supports it; `invalid`, one contradicts it; else `unknown`.
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
    """The verdict on a question: the worst of its presuppositions', with its reason and evidence.

    Args:
        valid: whether every presupposition is supported; True where there is none. Where only
            this or `verdict` says otherwise, both do: `PremiseResult(valid=False)` is `invalid`.
        invalid_premise: the presupposition of that verdict; empty where all are valid.
        suggestion: what to do about it.
        findings: one for each presupposition, in the question's order.
    """

    valid: bool = True
    invalid_premise: str = ""
    reason: str = ""
    suggestion: str = ""
    verdict: Verdict = "valid"
    evidence: tuple[str, ...] = ()
    findings: tuple[PremiseFinding, ...] = ()

    def __post_init__(self) -> None:
        if self.verdict != "valid":
            msgspec.structs.force_setattr(self, "valid", False)
        elif not self.valid:
            msgspec.structs.force_setattr(self, "verdict", "invalid")


def result_of(findings: Sequence[PremiseFinding]) -> PremiseResult:
    """The result of a question with these findings."""
    rows = tuple(findings)
    for verdict in ("invalid", "unknown"):
        for worst in (each for each in rows if each.verdict == verdict):
            hint = f"{SUGGESTION} Known instead: {worst.known}" if worst.known else SUGGESTION
            text, reason = worst.premise.text, worst.reason
            return PremiseResult(False, text, reason, hint, verdict, worst.evidence, rows)
    refs = dict.fromkeys(ref for each in rows for ref in each.evidence)
    return PremiseResult(evidence=tuple(refs), findings=rows)
