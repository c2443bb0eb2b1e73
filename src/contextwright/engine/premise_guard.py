"""Is what a question takes for granted so? Before a turn, or by itself (document 004, "The Mu
Operator")."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, Protocol

from contextwright.atoms.protect.premise import noted_in, question_in
from contextwright.blocks.block import Block, Blocks, Message
from contextwright.engine.embedded import answering_by
from contextwright.engine.engine import memo_of, snapshot_of
from contextwright.engine.run_tasks import TaskGenerator, TaskRunner, adrive, run_tasks
from contextwright.errors import PremiseError, SessionError, SpecError
from contextwright.premises.block_items import items_of
from contextwright.premises.premise_check import SUGGESTION, Finding, PremiseResult
from contextwright.premises.premise_task import premise_result, premise_task
from contextwright.premises.presuppositions import Premise, extract_premises
from contextwright.retrieval.item import Item
from contextwright.session.event import Event, Text
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot

Known = Session | Snapshot | Iterable[str | Item]
"""What questions are held against: a session, or facts, each a text or an `Item`."""


class GuardedAgent(Protocol):
    """An agent of one method, as the document writes it."""

    def invoke(self, input: Any, /) -> Any:
        """The answer, or what is awaited for it."""
        ...


Contradict = Callable[[tuple[str, Any]], Any] | GuardedAgent
"""Given a premise and the facts: what conflicts, as a text or with an `explanation`; or nothing."""
Judge = Callable[[tuple[str, list[str]]], Any] | GuardedAgent
"""Given a premise and what to judge it by: `accept` or `reject`, or what has such a `verdict`."""
PRINCIPLES = ["accuracy", "honesty"]


def check_premise(
    question: str,
    known: Known = (),
    *,
    models: TaskRunner | None = None,
    judge: Judge | None = None,
    contradict: Contradict | None = None,
    asker: str = "user",
    model: str = "",
) -> PremiseResult:
    """Whether what a question takes for granted is so.

    Of a session, all that was said, noted, distilled and put under `knowledge` or `evidence`
    counts. Without anything that is known, only `judge` and `contradict` say what is not so.

    Args:
        models: who judges; by default the embedded model, which goes by rules.
        judge, contradict: the document's two: of a premise that conflicts with the facts, whether
            the conflict is fatal. Functions, or agents with `invoke`. Either may be left out.
            They are asked first.
        asker: who `I` is in the question.
        model: the model's name, where `models` know several.

    Raises:
        SessionError: no question, neither a session nor facts, or an async `judge` or
            `contradict`: these need `acheck_premise`.
    """
    blocks, facts, whose = _known(known, question)
    says, rules = _asking(contradict, "contradict"), _asking(judge, "judge")
    for premise in extract_premises(question) if judge or contradict else ():
        conflict = _now(says((premise.text, facts))) if says else premise.text
        verdict = _now(rules((premise.text, PRINCIPLES))) if conflict and rules else None
        if _is_fatal(conflict, verdict, judge):
            return _rejected(premise, conflict)
    alone = _only_judged(blocks, judge, contradict)
    asking = _checking(question, blocks, asker, model, models, alone=alone)
    return run_tasks(asking, answering_by(models), *whose)


async def acheck_premise(
    question: str,
    known: Known = (),
    *,
    models: TaskRunner | None = None,
    judge: Judge | None = None,
    contradict: Contradict | None = None,
    asker: str = "user",
    model: str = "",
) -> PremiseResult:
    """`check_premise`, letting the event loop run while models answer; `judge` and `contradict`
    may be async."""
    blocks, facts, whose = _known(known, question)
    says, rules = _asking(contradict, "contradict"), _asking(judge, "judge")
    for premise in extract_premises(question) if judge or contradict else ():
        conflict = await _then(says((premise.text, facts))) if says else premise.text
        verdict = await _then(rules((premise.text, PRINCIPLES))) if conflict and rules else None
        if _is_fatal(conflict, verdict, judge):
            return _rejected(premise, conflict)
    alone = _only_judged(blocks, judge, contradict)
    asking = _checking(question, blocks, asker, model, models, alone=alone)
    return await adrive(asking, answering_by(models), *whose)


def premise_guard(
    session: Session | Snapshot,
    *,
    models: TaskRunner | None = None,
    on_invalid: Literal["return", "raise"] = "return",
    model: str = "",
) -> PremiseResult:
    """Before a turn: whether what the user said last takes for granted what is not so.

    Args:
        on_invalid: `return`, the caller decides; `raise`, an invalid premise ends the turn. An
            unknown one never does: what nothing tells may still be so.

    Raises:
        PremiseError: as said.
        SessionError: no session, or it has no user message. SpecError: another `on_invalid`.
    """
    _check_mode(on_invalid)
    snapshot = snapshot_of(session, "premise_guard(session)")
    _, event = _question(snapshot)
    asking = _checking(event.text, _before(snapshot), event.speaker, model, models)
    whose = snapshot.session_id, snapshot.turn
    return _guarded(event, run_tasks(asking, answering_by(models), *whose), on_invalid)


async def apremise_guard(
    session: Session | Snapshot,
    *,
    models: TaskRunner | None = None,
    on_invalid: Literal["return", "raise"] = "return",
    model: str = "",
) -> PremiseResult:
    """`premise_guard`, letting the event loop run while models answer."""
    _check_mode(on_invalid)
    snapshot = snapshot_of(session, "premise_guard(session)")
    _, event = _question(snapshot)
    asking = _checking(event.text, _before(snapshot), event.speaker, model, models)
    whose = snapshot.session_id, snapshot.turn
    return _guarded(event, await adrive(asking, answering_by(models), *whose), on_invalid)


def _checking(
    question: str,
    blocks: Blocks,
    asker: str,
    model: str,
    models: TaskRunner | None,
    *,
    alone: bool = False,
) -> TaskGenerator[PremiseResult]:
    """The work of one check.

    Args:
        alone: whether nothing is known that rules could go by.
    """
    unread = bool(model) or getattr(models, "llm", None) is not None
    task = premise_task(question, blocks, model=model, asker=asker, unread=unread)
    task = None if alone and not unread else task
    if task is None:
        findings = [Finding(premise, "valid") for premise in extract_premises(question)]
        return PremiseResult(findings=tuple(findings))
    (answer,) = yield (task,)
    return premise_result(answer.value, task.blocks)


def _check_mode(on_invalid: str) -> None:
    if on_invalid not in {"return", "raise"}:
        raise SpecError(
            f"on_invalid is {on_invalid!r}",
            where="premise_guard(...)",
            fix="give 'return' or 'raise'",
        )


def _guarded(event: Event, result: PremiseResult, on_invalid: str) -> PremiseResult:
    if result.verdict == "invalid" and on_invalid == "raise":
        raise PremiseError(
            f"the question takes for granted what is not so: {result.invalid_premise} "
            f"({result.reason})",
            where=", ".join(result.evidence) or f"event {event.id}",
            fix=result.suggestion,
        )
    return result


def _known(known: Any, question: str) -> tuple[Blocks, list[str], tuple[str, int]]:
    """The blocks of what is known, its texts, and whose spending it is. Where a session ends with
    the question, what was before it."""
    given: Any = question
    if not isinstance(given, str):
        raise SessionError(
            f"a {type(given).__name__} is no question",
            where="check_premise(question, known)",
            fix="give the question's text",
        )
    if isinstance(known, (Session, Snapshot)):
        snapshot = snapshot_of(known, "check_premise(question, known)")
        asked = question_in(snapshot)
        newest = asked is not None and asked[1].text == question
        whole = (*noted_in(snapshot.state), *_said(snapshot, snapshot.exchange_count))
        blocks = _before(snapshot) if newest else whole
        whose = snapshot.session_id, snapshot.turn
    elif isinstance(known, str) or not isinstance(known, Iterable):
        raise SessionError(
            f"a {type(known).__name__} is neither a session nor facts",
            where="check_premise(question, known)",
            fix='give a session, or a list of texts: ["The server crashed at 3 am."]',
        )
    else:
        blocks = tuple(_facts(known))
        whose = "", 0
    return blocks, [item.text for block in blocks for item in items_of(block)], whose


def _facts(known: Iterable[Any]) -> Iterator[Block]:
    for place, fact in enumerate(known):
        if not isinstance(fact, (str, Item)):
            raise SessionError(
                f"a {type(fact).__name__} is no fact",
                where=f"known[{place}]",
                fix="give texts, or Items of contextwright.retrieval.item",
            )
        item = fact if isinstance(fact, Item) else Item(f"fact:{place}", fact, "fact")
        if item.role:
            said = Message("user", (Text(text=item.text),), author=item.role)
            yield Block(id=item.id, source="facts", messages=(said,))
        else:
            yield Block(id=item.id, source="facts", text=item.text)


def _question(snapshot: Snapshot) -> tuple[int, Event]:
    asked = question_in(snapshot)
    if asked is None:
        raise SessionError(
            "the user said nothing yet",
            where=f"session {snapshot.session_id!r}",
            fix="append the user's message first",
        )
    return asked


def _before(snapshot: Snapshot) -> Blocks:
    """What is known before the question."""
    stop = snapshot.log.exchange_index(_question(snapshot)[0])
    return (*noted_in(snapshot.state), *_said(snapshot, stop))


def _said(snapshot: Snapshot, stop: int) -> Blocks:
    if stop <= snapshot.preamble:
        return ()
    return memo_of(snapshot.log).blocks(snapshot.exchanges(snapshot.preamble, stop))


def _only_judged(blocks: Blocks, judge: Judge | None, contradict: Contradict | None) -> bool:
    return not blocks and (judge is not None or contradict is not None)


def _is_fatal(conflict: Any, verdict: Any, judge: Judge | None) -> bool:
    """Whether a premise is rejected; a conflict that nobody judges is fatal."""
    if not conflict:
        return False
    return judge is None or str(getattr(verdict, "verdict", verdict)) == "reject"


def _rejected(premise: Premise, conflict: Any) -> PremiseResult:
    plain = conflict if isinstance(conflict, str) and conflict != premise.text else ""
    reason = str(getattr(conflict, "explanation", plain) or "it was judged to be false")
    finding = Finding(premise, "invalid", reason)
    return PremiseResult(
        valid=False,
        invalid_premise=premise.text,
        reason=reason,
        suggestion=SUGGESTION,
        findings=(finding,),
    )


def _asking(agent: Any, name: str) -> Callable[[Any], Any] | None:
    """How a judge is asked: a function, or an agent's `invoke`."""
    ask = agent if callable(agent) else getattr(agent, "invoke", None)
    if agent is not None and ask is None:
        raise SessionError(
            f"{name} is a {type(agent).__name__}",
            where="check_premise(...)",
            fix=f"give {name} a function, or an object with invoke",
        )
    return ask


async def _then(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def _now(value: Any) -> Any:
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise SessionError(
            "judge or contradict is async",
            where="check_premise(...)",
            fix="await acheck_premise(...) instead",
        )
    return value
