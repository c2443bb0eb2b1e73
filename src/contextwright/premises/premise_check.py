"""Presuppositions held against what was stated, by three rules.

`invalid`: the newest statement that is about it denies it, or gives another value. `valid`: a
statement covers enough of its words. Else `unknown`, so where it was rather stated of somebody
else: that contradicts nothing.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from contextwright.premises.coverage import (
    Corpus,
    CoveringSentence,
    corpus_of,
    covering_sentences,
)
from contextwright.premises.findings import PremiseFinding, PremiseResult, Presupposition, result_of
from contextwright.retrieval.item import Item
from contextwright.retrieval.plain_forms import plain_stems
from contextwright.text.stated_values import claims, clash

SUPPORT = 0.5
"""Coverage from which a statement supports a presupposition that names nobody."""
PERSON_SUPPORT = 0.1
"""The same where it names a speaker: words differ, but the others' lines are there to compare."""
OTHERS_LEAD = 0.04
"""How much more the others' lines cover than the person's own for support to be in doubt."""
ABOUT = 0.75
"""Coverage from which a clause is about the presupposition itself, and may deny it."""
MAX_REFS = 3
MAX_NEAR = 4
"""Messages of the person's and of the others' side that a model is shown."""
MAX_QUOTE = 240
MAX_CLAUSE = 25
"""Words of a clause that may deny something: in a longer one a `not` may belong to anything."""
_CLAUSE = re.compile(
    r"[,;:\u2014()]|\s-\s|\b(?:but|because|and|so|although|though|while|until|who|which|where)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:\w+n['\u2019]t|not|never|no longer|neither|cannot|denied|false"
    r"|there (?:is|are|was|were) no)\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:if|unless|whether|(?-i:may)|might|would|should|could|ensure|make sure|not only|not sure"
    r"|why not|can['\u2019]t (?:wait|stop)|nobody|none|nothing"
    r"|(?<!is )(?<!are )(?<!was )(?<!were )no(?! longer))\b",
    re.IGNORECASE,
)
"""What neither says a thing nor denies it, or where the `no` may belong to another word."""
_MISSING = re.compile(
    r"\b(?:(?:do|does|did)(?:n['\u2019]t| not) exist|never existed|fictional|mythical|imaginary"
    r"|made up|an? (?:legend|myth|hoax)|no such|there (?:is|are|was|were) no)\b",
    re.IGNORECASE,
)
_SOLVED = re.compile(
    r"\b(?:fixed|resolved|solved)\b|\bworks(?: again| now| fine)?[.!]*$", re.IGNORECASE
)
_NAMED = re.compile(r"\b[A-Z][\w-]+|\b\w*\d[\w.,-]*")
_ASKER = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours)\b", re.IGNORECASE)
_LISTENER = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)


def check_premises(
    premises: Sequence[Presupposition],
    items: Sequence[Item],
    *,
    asker: str = "",
    listener: str = "",
) -> PremiseResult:
    """The verdict on a question, with a finding for every presupposition.

    Args:
        items: texts, the oldest first, each with the name of who said it as its `role`.
        asker: who `I` is in the question.
        listener: who `you` is; empty: the other one of two.
    """
    corpus = corpus_of(items, {term for premise in premises for term in premise.terms})
    if not listener and asker in corpus.speakers and len(corpus.speakers) == 2:
        (listener,) = corpus.speakers - {asker}
    return result_of([_finding(premise, corpus, asker, listener) for premise in premises])


class _Probe(NamedTuple):
    """A presupposition with the terms that count in a corpus."""

    premise: Presupposition
    terms: Sequence[str]
    corpus: Corpus
    named: frozenset[str]

    def is_about(self, clause: str, least: float = ABOUT) -> bool:
        """Whether a clause has enough of the terms to support or to deny them."""
        present, weights = set(plain_stems(clause)), self.corpus.weights
        covered = sum(weights[term] for term in self.terms if term in present)
        return covered >= least * self.corpus.weight(self.terms)

    def denied_by(self, text: str) -> bool | None:
        """Whether a sentence denies it; None where it is not about it, or not sure."""
        if text.endswith("?") or _UNSURE.search(text):
            return None
        # the clauses first, the last of them counting most; then the sentence
        for clause in [text, *_CLAUSE.split(text)][::-1]:
            if len(clause.split()) <= MAX_CLAUSE and self.is_about(clause):
                return self._denied_by_clause(text if self.premise.kind == "exists" else clause)
        # what there is not, nothing happened to
        if not self.named or not self.named <= set(plain_stems(text)) or self.premise.negated:
            return None
        return True if _MISSING.search(text) and self.is_about(text, ABOUT / 2) else None

    def _denied_by_clause(self, clause: str) -> bool | None:
        if self.premise.kind == "exists":
            return bool(_MISSING.search(clause))
        if self.premise.kind == "problem":
            solved = bool(_SOLVED.search(clause)) and not _NOT.search(clause)
            return solved or bool(_MISSING.search(clause))
        denied = bool(_NOT.search(clause)) != self.premise.negated
        # of a single word nobody knows what it is denied of
        return None if denied and len(self.terms) == 1 else denied

    def supported_by(self, text: str) -> bool:
        """Whether a sentence speaks for it, neither unsure of it nor denying it."""
        denies = self.denied_by(text)
        if denies is not None:
            return not denies
        agrees = self.premise.kind != "event" or bool(_NOT.search(text)) == self.premise.negated
        return agrees and not _UNSURE.search(text)


def _finding(premise: Presupposition, corpus: Corpus, asker: str, listener: str) -> PremiseFinding:
    people = corpus.people_in(premise.text)
    people |= {asker} & corpus.speakers if _ASKER.search(premise.text) else set()
    people |= {listener} & corpus.speakers if _LISTENER.search(premise.text) else set()
    names = {term for who in people for term in plain_stems(who)}
    terms = [term for term in premise.terms if term not in names] or list(premise.terms)
    person = next(iter(people)) if len(people) == 1 else ""
    rows = covering_sentences(terms, corpus)
    own = [row for row in rows if not person or row.person in {person, ""}]
    others = [row for row in rows if person and row.person not in {person, ""}]
    named = plain_stems(" ".join(_NAMED.findall(premise.text)))
    probe = _Probe(premise, terms, corpus, frozenset(terms).intersection(named))
    denial = _denial(probe, own) or _other_value(premise, own)
    if denial is not None:
        reason = f"{_name(denial.item.role) or 'what is known'} says otherwise"
        own = [denial, *own]
        verdict = PremiseFinding(premise, "invalid", reason, (denial.item.id,), _quote(denial))
    elif others and others[0].coverage > OTHERS_LEAD + (own[0].coverage if own else 0.0):
        reason = f"that is told of {_name(others[0].person)}, not of {_name(person)}"
        refs = _refs(others, 0.8 * others[0].coverage)
        verdict = PremiseFinding(premise, "unknown", reason, refs, _quote(others[0]))
    else:
        verdict = _supported(probe, own, PERSON_SUPPORT if people else SUPPORT)
    near = [tuple(dict.fromkeys(row.place for row in side))[:MAX_NEAR] for side in (own, others)]
    return msgspec.structs.replace(verdict, near=tuple(dict.fromkeys([*near[0], *near[1]])))


def _supported(probe: _Probe, rows: Sequence[CoveringSentence], least: float) -> PremiseFinding:
    named, matches = probe.named if least == SUPPORT else frozenset[str](), probe.corpus.matches
    telling = (row for row in rows if named <= matches[row.place])
    support = [row for row in telling if probe.supported_by(row.text)]
    coverage = support[0].coverage if support else 0.0
    if coverage < least:
        return PremiseFinding(probe.premise, "unknown", "nothing that is known says so")
    return PremiseFinding(
        probe.premise, "valid", "", _refs(support, max(least, SUPPORT * coverage))
    )


def _denial(probe: _Probe, rows: Sequence[CoveringSentence]) -> CoveringSentence | None:
    """The newest statement about a presupposition, where it denies it."""
    newest: tuple[CoveringSentence, bool] | None = None
    for row in rows:
        if row.coverage < ABOUT / 2:
            break
        if newest is None or newest[0].place < row.place:
            denies = probe.denied_by(row.text)
            newest = newest if denies is None else (row, denies)
    return newest[0] if newest is not None and newest[1] else None


def _other_value(
    premise: Presupposition, rows: Sequence[CoveringSentence]
) -> CoveringSentence | None:
    """The newest statement of the value that a presupposition names, where it is another one."""
    for claim in claims(premise.text):
        stated = [
            (row, each)
            for row in rows
            for each in claims(row.text)
            if each.subject == claim.subject
        ]
        if stated:
            row, newest = max(stated, key=lambda pair: pair[0].place)
            if clash(newest, claim):
                return row
    return None


def _refs(rows: Sequence[CoveringSentence], least: float) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.item.id for row in rows if row.coverage >= least))[:MAX_REFS]


def _quote(row: CoveringSentence) -> str:
    text = " ".join(row.text.split())
    if len(text) > MAX_QUOTE:
        text = text[:MAX_QUOTE].rpartition(" ")[0] + " ..."
    return f"{_name(row.item.role)}: {text}" if row.item.role else text


def _name(who: str) -> str:
    return " ".join(who.split())[:60]
