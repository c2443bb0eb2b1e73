"""Whether what a question takes for granted is so, by what was said and noted before.

Three rules. What negates a premise, or gives another value, makes it invalid, if nothing newer
says it again. What is told of somebody else, and not of the one that it is said of, makes it
invalid where that is plain, unknown where it is not. What nothing tells is unknown.
"""

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from contextwright.premises.attribution import Known, Told, known, told
from contextwright.premises.claims import Claim, claims, clash
from contextwright.premises.presuppositions import Premise
from contextwright.retrieval.item import Item
from contextwright.retrieval.stems import stems

Verdict = Literal["valid", "unknown", "invalid"]

SUGGESTION = "Please verify the premise of your question."
SUPPORTED = 0.4
"""Cover from which a sentence tells a premise, where nobody in particular is spoken of. Alarms at
questions that have an answer in the chat (BEAM): 13 % with .5, 6 % with .4."""
LEAST = 0.1
"""The same where somebody is: words differ, and the others' lines are there to compare with."""
ASTRAY = 0.03
"""How much more the others' lines cover than the person's own for a premise to be unknown."""
PLAINLY = 0.2
"""The same for it to be invalid, and `SURE` the cover that takes."""
SURE = 0.5
SAME = 0.75
"""Cover from which a clause speaks of the premise itself, and may deny it."""
SHARES = (1.0, 0.5, 0.25)
"""What the best three messages count. LoCoMo, area under the curve: .877 with the best, .885."""
REFS = 3
"""Ids that a finding names."""
NEAR = 4
"""Places on each side that are shown to a model."""
QUOTED = 240
"""Characters of a sentence that is quoted."""
NAMED = 60
"""Characters of a name."""
CLAUSE = 25
"""Words of a clause that may deny something: in a longer one a `not` may belong to anything."""
_CLAUSE = re.compile(r"[,;:\u2014()]|\s-\s|\b(?:but|because|and|so|although|though|while|until)\b")
_NOT = re.compile(
    r"\b(?:\w+n['\u2019]t|(?:d(?:o|oes|id)|is|are|was|were|ha[sd]|have|wo)nt|not|never|no longer"
    r"|neither|nor|cannot|cant|denied|false)\b",
    re.IGNORECASE,
)
_IF = re.compile(r"\b(?:if|unless|whether|in case|make sure|ensure|may|might)\b", re.IGNORECASE)
_NOT_YET = re.compile(
    r"\bnot only\b|\bcan['\u2019]?t wait\b|\bnot sure\b|\bwhy not\b", re.IGNORECASE
)
_NONE = re.compile(
    r"^\W*(?:(?:nobody|no one|nothing)(?: (?:has|have|had|ever|was|is))*"
    r"|none of (?:the|my|your|our|his|her|its|their|these|those)|no(?! one\b))\s+(\w+)",
    re.IGNORECASE,
)
"""`no server crashed`, `nobody deleted it`: this denies what the next word is about."""
_NOT_THERE = re.compile(
    r"\b(?:(?:does|do|did)(?:n['\u2019]?t| not) exist|never existed|no such|fictional|imaginary"
    r"|there (?:is|are|was|were) (?:no|not|never)|is(?:n['\u2019]?t| not) (?:a )?real"
    r"|made[- ]up)\b",
    re.IGNORECASE,
)
_HAS_NOT = re.compile(
    r"\b(?:do|does|did)(?:n['\u2019]?t| not) (?:have|own)|\b(?:have|has|had|own|got) no\b"
    r"|\bnever (?:had|owned)|\bno longer (?:have|has|own)",
    re.IGNORECASE,
)
_SOLVED = re.compile(
    r"\b(?:fixed|resolved|solved|works (?:fine|again|now)|no longer (?:fails?|crash))\b"
    r"|\bworks[.!]*$",
    re.IGNORECASE,
)
_BROKEN = re.compile(
    r"\b(?:error|bug|issue|problem|wrong|broken|breaks?|fail\w*|crash\w*|slow|stuck|hang\w*"
    r"|leak\w*|flaky|exception|trouble"
    r"|not work\w*|doesn['\u2019]?t|can['\u2019]?t|cannot|won['\u2019]?t)\b",
    re.IGNORECASE,
)
_SPEAKER = frozenset(re.findall(r"\w+", "i me my mine we us our ours myself"))
_SPOKEN_TO = frozenset(re.findall(r"\w+", "you your yours yourself"))


class Finding(msgspec.Struct, frozen=True):
    """What was found about one premise.

    Args:
        premise: what is taken for granted.
        verdict: `valid`, something tells it; `unknown`, nothing does; `invalid`, something
            stands against it.
        reason: why, in a sentence.
        evidence: ids of what supports it, or stands against it, the nearest first.
        known: what is known instead, as it was said.
        near: places of the items that come nearest, on either side.
    """

    premise: Premise
    verdict: Verdict
    reason: str = ""
    evidence: tuple[str, ...] = ()
    known: str = ""
    near: tuple[int, ...] = ()


class PremiseResult(msgspec.Struct, frozen=True):
    """What was found about a question.

    Args:
        valid: whether something tells every premise. Where only one of this and `verdict` says
            that not all is well, both do: `PremiseResult(valid=False)` is `invalid`.
        invalid_premise: the premise of that verdict, as a sentence; empty where all are valid.
        reason: why.
        suggestion: what to do about it.
        verdict: the worst of its premises'; `valid` where it has none.
        evidence: ids of what supports the premises, or stands against that one.
        findings: one for each premise, in the question's order.
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


def check_premises(
    premises: Sequence[Premise], items: Sequence[Item], *, asker: str = "", listener: str = ""
) -> PremiseResult:
    """Hold premises against what was said, the newest last.

    Args:
        items: texts, each with the name of who said it as its `role`.
        asker: who `I` is. listener: who `you` is.
    """
    asked = {word for premise in premises for word in premise.what}
    base = known(items, asked)
    if not listener and asker in base.speakers and len(base.speakers) == 2:
        (listener,) = base.speakers - {asker}
    return result_of([_finding(premise, base, asker, listener) for premise in premises])


def result_of(findings: Sequence[Finding]) -> PremiseResult:
    """The result that findings make."""
    for verdict in ("invalid", "unknown"):
        worst = next((one for one in findings if one.verdict == verdict), None)
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
    refs = dict.fromkeys(ref for one in findings for ref in one.evidence)
    return PremiseResult(evidence=tuple(refs), findings=tuple(findings))


def _finding(premise: Premise, base: Known, asker: str, listener: str) -> Finding:
    named = _people(premise, base, asker, listener)
    names = {root for who in named for root in stems(who)}
    what = [word for word in premise.what if word not in names]
    if not what and named & base.speakers:
        return Finding(premise, "valid")
    what = what or list(premise.what)
    person = next(iter(named)) if len(named) == 1 else ""
    rows = told(what, base)
    mine = [row for row in rows if not person or row.whose in {person, ""}]
    others = [row for row in rows if person and row.whose not in {person, ""}]
    # of one word, nobody knows what it is said of
    plain = len(what) > 1 or bool(named) or premise.kind != "event"
    denied = _denied(premise, what, base, mine) if plain else None
    against = denied or _otherwise(premise, mine)
    if against is not None:
        reason = f"{_name(against.item.role) or 'what is known'} says otherwise"
        found = Finding(premise, "invalid", reason, (against.item.id,), _quote(against))
        mine = [against, *mine]
    elif others and (astray := _astray(premise, person, what, mine, others)):
        found = astray
    else:
        found = _supported(premise, mine, LEAST if named else SUPPORTED)
    return msgspec.structs.replace(found, near=_near(mine, others))


def _supported(premise: Premise, mine: Sequence[Told], least: float) -> Finding:
    cover = mine[0].cover if mine else 0.0
    if premise.kind == "problem" and mine and not _BROKEN.search(mine[0].item.text):
        cover /= 2
    if cover < least:
        known = _quote(mine[0]) if cover >= least / 2 else ""
        return Finding(premise, "unknown", "nothing that is known says so", (), known)
    return Finding(premise, "valid", "", _refs(mine, max(least, SUPPORTED * cover)))


def _astray(
    premise: Premise, person: str, what: Sequence[str], mine: Sequence[Told], others: Sequence[Told]
) -> Finding | None:
    """The finding where it is rather told of somebody else."""
    gap = _gap(others, mine)
    if gap <= ASTRAY:
        return None
    nearest = others[0]
    sure = gap > PLAINLY and nearest.cover >= SURE and len(what) > 1
    reason = f"that is told of {_name(nearest.whose)}, not of {_name(person)}"
    refs = _refs(others, nearest.cover * 0.8)
    return Finding(premise, "invalid" if sure else "unknown", reason, refs, _quote(nearest))


def _gap(others: Sequence[Told], mine: Sequence[Told]) -> float:
    """How much more the best messages of the others cover."""
    theirs, own = _best(others), _best(mine)
    counted = SHARES[: max(len(theirs), len(own))]
    total = sum(share * cover for share, cover in zip(counted, theirs, strict=False))
    total -= sum(share * cover for share, cover in zip(counted, own, strict=False))
    return total / sum(counted)


def _best(rows: Sequence[Told]) -> list[float]:
    """What the best messages cover, each with its best sentence."""
    best: dict[int, float] = {}
    for row in rows:
        best.setdefault(row.place, row.cover)
        if len(best) == len(SHARES):
            break
    return list(best.values())


def _denied(
    premise: Premise, what: Sequence[str], base: Known, rows: Sequence[Told]
) -> Told | None:
    """What denies a premise, if nothing newer says it."""
    newest: tuple[int, bool, Told] | None = None
    for row in rows:
        if row.cover < SAME:
            break
        if row.text.endswith("?") or (newest and newest[0] >= row.place):
            continue
        says = _says(premise, what, base, row.text)
        if says is not None:
            newest = (row.place, says, row)
    return newest[2] if newest is not None and not newest[1] else None


def _says(premise: Premise, what: Sequence[str], base: Known, text: str) -> bool | None:
    """Whether a sentence says a premise or denies it; None where it does neither."""
    total = sum(base.rarity[word] for word in what) or 1.0
    for clause in [text, *_CLAUSE.split(text)][::-1]:
        have = set(stems(clause)) if len(clause.split()) <= CLAUSE else set[str]()
        if sum(base.rarity[word] for word in what if word in have) < SAME * total:
            continue
        if _IF.search(text):
            return None
        if premise.kind == "exists":
            return not _NOT_THERE.search(clause)
        if premise.kind == "has":
            return not _HAS_NOT.search(clause)
        if premise.kind == "problem":
            if _NOT_THERE.search(clause):
                return False
            return not _SOLVED.search(clause) or bool(_NOT.search(clause))
        plain = _NOT_YET.sub(" ", clause)
        return (bool(_NOT.search(plain)) or _is_none(plain, what)) == premise.negated
    return None


def _is_none(clause: str, what: Sequence[str]) -> bool:
    none = _NONE.match(clause)
    return none is not None and any(word in what for word in stems(none[1]))


def _otherwise(premise: Premise, rows: Sequence[Told]) -> Told | None:
    """The newest sentence that gives another value to what the premise names, if there is one."""
    for claim in claims(premise.text):
        newest: tuple[Told, Claim] | None = None
        for row in rows:
            if newest is not None and newest[0].place >= row.place:
                continue
            for other in claims(row.text):
                if other.subject == claim.subject:
                    newest = (row, other)
        if newest is not None and clash(newest[1], claim):
            return newest[0]
    return None


def _people(premise: Premise, base: Known, asker: str, listener: str) -> set[str]:
    """Of whom a premise speaks, among those who are known."""
    found = base.named_in(f"{premise.subject} {premise.text}")
    words = re.findall(r"\w+", premise.subject.casefold())
    if words and words[0] in _SPEAKER and asker in base.people:
        found.add(asker)
    if words and words[0] in _SPOKEN_TO and listener in base.people:
        found.add(listener)
    return found


def _near(mine: Sequence[Told], others: Sequence[Told]) -> tuple[int, ...]:
    """Places of the nearest, those on the person's side first."""
    best = [tuple(dict.fromkeys(row.place for row in rows))[:NEAR] for rows in (mine, others)]
    return tuple(dict.fromkeys([*best[0], *best[1]]))


def _refs(rows: Sequence[Told], least: float) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.item.id for row in rows if row.cover >= least))[:REFS]


def _quote(row: Told) -> str:
    text = " ".join(row.text.split())
    if len(text) > QUOTED:
        text = text[:QUOTED].rpartition(" ")[0] + " ..."
    return f"{_name(row.item.role)}: {text}" if row.item.role else text


def _name(who: str) -> str:
    return " ".join(who.split())[:NAMED]
