"""Acceptance gating: a reply is held against its step's checklist; what is missing makes the
next pack a repair pack (context-packs.md#acceptance)."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from contextwright.argument_types import expect_types
from contextwright.errors import SessionError
from contextwright.session.session import Session
from contextwright.tasks.plan_step import EVIDENCE, PLAN, Criterion, Step, step_of
from contextwright.tasks.proofs import covered, proofs

_MARK = re.compile(
    r"^(?:[^\S\n]|[>*+-])*+(?:\d++[.)][^\S\n]*+)?"
    r"\[(?P<mark>[ xX\u2713\u2714\u2717\u2718-])\][^\S\n]*+(?P<said>.+)$",
    re.MULTILINE,
)
_MET = frozenset("xX\u2713\u2714")
_ENDS = r"(?![A-Za-z0-9%]|[/:@!$&'()*+,;=\-._~?#]++(?!\w++://)[A-Za-z0-9%])"
"""Behind an address: nothing that makes it another one, such as `.md` behind `.../report`."""
_AN_ID_ENDS = re.compile(r"(?![^\W_]|_\w|[-.]\d)")


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


def check_acceptance(reply: str, step: Step, evidence: Any = ()) -> Verdict:
    """Hold a reply against the checklist of its step.

    An item is met where the reply marks it `[x]` by its id or its text, never where it says
    nothing of it; one that needs evidence, where the reply also names an artifact that is
    listed for it.

    Args:
        evidence: the artifacts there are, as the state key `evidence` lists them.

    Raises:
        SessionError: a reply that is no text. StepError: no step.
    """
    expect_types("check_acceptance(reply, step)", SessionError, reply=(reply, str))
    step = step_of(step)
    marks = _marks(reply, step.acceptance)
    listed = [proof for proof in proofs(evidence) if re.search(re.escape(proof.uri) + _ENDS, reply)]
    proved = frozenset[str]().union(*(covered(proof, step) for proof in listed))
    why: dict[str, str] = {}
    for one in step.acceptance:
        if one.id not in marks:
            why[one.id] = "the reply does not say"
        elif not marks[one.id]:
            why[one.id] = "the reply says that it is not met"
        elif one.needs_evidence and one.id not in proved:
            why[one.id] = "the reply names no listed artifact that proves it"
    met = tuple(one.id for one in step.acceptance if one.id not in why)
    return Verdict(met, tuple(why), why)


def record_acceptance(session: Session, reply: str) -> Verdict:
    """Hold a reply against the step at hand; with something missing, the next pack says so.

    Raises:
        StepError: the session has no step. SessionError: no session, or a reply that is no text.
    """
    where = "record_acceptance(session, reply)"
    expect_types(where, SessionError, session=(session, Session), reply=(reply, str))
    plan: Any = session.state.get(PLAN)
    step = step_of(plan)
    verdict = check_acceptance(reply, step, session.state.get(EVIDENCE))
    if verdict.missing != step.missing:
        judged = {PLAN: {**plan, "missing": list(verdict.missing)}}
        # of a step that was assigned meanwhile nothing is known
        session.revise(lambda state: judged if state.get(PLAN) == plan else {})
    return verdict


def _marks(reply: str, criteria: tuple[Criterion, ...]) -> Mapping[str, bool]:
    """Id to whether it was marked as met; the last mark of an item counts."""
    marks: dict[str, bool] = {}
    for match in _MARK.finditer(reply):
        item_text = match["said"].strip().strip("*_`").strip()
        one = _item_of(item_text, criteria)
        if one is not None:
            marks[one.id] = match["mark"] in _MET
    return marks


def _item_of(item_text: str, criteria: tuple[Criterion, ...]) -> Criterion | None:
    """The item that a line speaks of: the id that it begins with decides, else the text that
    it has; of several the longest, so that no item passes for one that says more."""
    ids = [one for one in criteria if _begins_with(item_text, one.id)]
    if ids:
        return max(ids, key=lambda one: len(one.id))
    line = f" {_folded(item_text)} "
    texts = [one for one in criteria if (text := _folded(one.text)) and f" {text} " in line]
    return max(texts, key=lambda one: len(_folded(one.text)), default=None)


def _begins_with(item_text: str, id: str) -> bool:
    folded, wanted = item_text.casefold(), id.casefold()
    return folded.startswith(wanted) and bool(_AN_ID_ENDS.match(folded, len(wanted)))


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
