"""Experimental: is what a question takes for granted so? Before a turn, or by itself (document
004, "The Mu Operator")."""

import inspect
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, Literal, NamedTuple, Protocol

from contextwright.atoms.protect.premise import noted_in, question_in
from contextwright.blocks.block import Block, Blocks, Message
from contextwright.engine.door import snapshot_of
from contextwright.engine.embedded import answering_by
from contextwright.engine.engine import memo_of
from contextwright.engine.run_tasks import TaskRunner
from contextwright.errors import PremiseError, SessionError, SpecError
from contextwright.premises.block_items import items_of
from contextwright.premises.findings import (
    SUGGESTION,
    Finding,
    PremiseResult,
    Presupposition,
    result_of,
)
from contextwright.premises.premise_task import premise_result, premise_task
from contextwright.premises.presuppositions import extract_premises
from contextwright.retrieval.item import Item
from contextwright.session.event import Event, Text
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.task import Answer, Task

Knowledge = Session | Snapshot | Iterable[str | Item]
"""What questions are held against: a session, or facts, each a text or an `Item`."""
PRINCIPLES = ["accuracy", "honesty"]
"""What the document's judge is asked to judge by."""
_HERE = "check_premise(question, known)"


class GuardedAgent(Protocol):
    """An agent of one method, as the document writes it."""

    def invoke(self, input: Any, /) -> Any:
        """The answer, or what is awaited for it."""
        ...


Contradict = Callable[[tuple[str, Any]], Any] | GuardedAgent
"""From a premise and the facts: what conflicts, as a text or with an `explanation`; or nothing."""
Judge = Callable[[tuple[str, list[str]]], Any] | GuardedAgent
"""From a premise and `PRINCIPLES`: `accept` or `reject`, or what has such a `verdict`."""


class _TaskStep(NamedTuple):
    """Work for a model, and whose spending it is."""

    task: Task
    models: TaskRunner
    session: str
    turn: int

    def wait(self) -> Answer:
        (answer,) = self.models.answer_now((self.task,), session=self.session, turn=self.turn)
        return answer

    async def awaited(self) -> Answer:
        (answer,) = await self.models.answer((self.task,), session=self.session, turn=self.turn)
        return answer


class _AgentStep(NamedTuple):
    """The reply of a judge: a value, or what is awaited for one."""

    reply: Any

    def wait(self) -> Any:
        if inspect.iscoroutine(self.reply):
            self.reply.close()
        if inspect.isawaitable(self.reply):
            raise SessionError(
                "judge or contradict is async",
                where="check_premise(...)",
                fix="await acheck_premise(...) instead",
            )
        return self.reply

    async def awaited(self) -> Any:
        return await self.reply if inspect.isawaitable(self.reply) else self.reply


_Steps = Generator[_TaskStep | _AgentStep, Any, PremiseResult]


def check_premise(
    question: str,
    known: Knowledge = (),
    *,
    models: TaskRunner | None = None,
    judge: Judge | None = None,
    contradict: Contradict | None = None,
    asker: str = "user",
    model: str = "",
) -> PremiseResult:
    """Whether what a question takes for granted is so.

    Args:
        question: the user's words.
        known: a session: all that was stated, noted, distilled and put under `knowledge` or
            `evidence`; or facts. Without any, only `judge` and `contradict` say what is not so.
        models: who judges; by default the embedded model, which goes by rules.
        judge: the document's one: of a premise that conflicts with the facts, whether that is
            fatal. A function, or an agent with `invoke`; it is asked before the models.
        contradict: the document's other one: what conflicts with a premise.
        asker: who `I` is in the question.
        model: the model's name, where `models` know several.

    Returns:
        The worst verdict of the question's premises; `valid` where it has none.

    Raises:
        SessionError: no question, neither a session nor facts, or an async `judge` or
            `contradict`: these need `acheck_premise`.
    """
    return _run(_check(question, known, models, judge, contradict, asker, model))


async def acheck_premise(
    question: str,
    known: Knowledge = (),
    *,
    models: TaskRunner | None = None,
    judge: Judge | None = None,
    contradict: Contradict | None = None,
    asker: str = "user",
    model: str = "",
) -> PremiseResult:
    """`check_premise`, letting the event loop run while models answer; `judge` and `contradict`
    may be async."""
    return await _arun(_check(question, known, models, judge, contradict, asker, model))


def premise_guard(
    session: Session | Snapshot,
    *,
    models: TaskRunner | None = None,
    on_invalid: Literal["return", "raise"] = "return",
    model: str = "",
) -> PremiseResult:
    """Before a turn: whether what the user wrote last takes for granted what is not so.

    Args:
        session: it ends with the question.
        models: who judges; by default the embedded model, which goes by rules.
        on_invalid: `return`, the caller decides; `raise`, an invalid premise ends the turn. An
            unknown one never does: what nothing supports may still be so.
        model: the model's name, where `models` know several.

    Raises:
        PremiseError: the premise is invalid, and `on_invalid` is `raise`.
        SessionError: no session, or it has no user message.
        SpecError: another `on_invalid`.
    """
    return _run(_guard(session, models, on_invalid, model))


async def apremise_guard(
    session: Session | Snapshot,
    *,
    models: TaskRunner | None = None,
    on_invalid: Literal["return", "raise"] = "return",
    model: str = "",
) -> PremiseResult:
    """`premise_guard`, letting the event loop run while models answer."""
    return await _arun(_guard(session, models, on_invalid, model))


def _run(steps: _Steps) -> PremiseResult:
    reply = None
    while True:
        try:
            step = steps.send(reply)
        except StopIteration as done:
            return done.value
        reply = step.wait()


async def _arun(steps: _Steps) -> PremiseResult:
    reply = None
    while True:
        try:
            step = steps.send(reply)
        except StopIteration as done:
            return done.value
        reply = await step.awaited()


def _check(
    question: str,
    known: Knowledge,
    models: TaskRunner | None,
    judge: Judge | None,
    contradict: Contradict | None,
    asker: str,
    model: str,
) -> _Steps:
    blocks, session, turn = _known_blocks(known, question)
    by_agents = judge is not None or contradict is not None
    if by_agents:
        rejected = yield from _rejection(question, blocks, judge, contradict)
        if rejected is not None:
            return rejected
    if by_agents and not blocks and not model and getattr(models, "llm", None) is None:
        # the document's logic: what neither of the two rejects is valid
        return result_of([Finding(each, "valid") for each in extract_premises(question)])
    return (yield from _judged(question, blocks, models, asker, model, (session, turn)))


def _guard(
    session: Session | Snapshot, models: TaskRunner | None, on_invalid: str, model: str
) -> _Steps:
    if on_invalid not in {"return", "raise"}:
        raise SpecError(
            f"expected on_invalid 'return' or 'raise', got {on_invalid!r}",
            where="premise_guard(...)",
            fix="give 'return' or 'raise'",
        )
    snapshot = snapshot_of(session, "premise_guard(session)")
    position, event = _question(snapshot)
    owner = (snapshot.session_id, snapshot.turn)
    blocks = _blocks_before(snapshot, position)
    result = yield from _judged(event.text, blocks, models, event.speaker, model, owner)
    if result.verdict == "invalid" and on_invalid == "raise":
        raise PremiseError(
            f"the question takes for granted what is not so: {result.invalid_premise} "
            f"({result.reason})",
            where=", ".join(result.evidence) or f"event {event.id}",
            fix=result.suggestion,
        )
    return result


def _judged(
    question: str,
    blocks: Blocks,
    models: TaskRunner | None,
    asker: str,
    model: str,
    owner: tuple[str, int],
) -> _Steps:
    """The verdict of the models, or of the rules where there are none."""
    runner = answering_by(models)
    any_language = bool(model) or getattr(models, "llm", None) is not None
    task = premise_task(question, blocks, model=model, asker=asker, any_language=any_language)
    if task is None:
        return PremiseResult()
    answer = yield _TaskStep(task, runner, *owner)
    return premise_result(answer.value, task.blocks)


def _rejection(
    question: str, blocks: Blocks, judge: Judge | None, contradict: Contradict | None
) -> Generator[_AgentStep, Any, PremiseResult | None]:
    """The first premise that conflicts with the facts and is rejected; a conflict that nobody
    judges is fatal."""
    facts = [item.text for block in blocks for item in items_of(block)]
    ask_contradict, ask_judge = _asking(contradict, "contradict"), _asking(judge, "judge")
    for premise in extract_premises(question):
        conflict: Any = premise.text
        if ask_contradict:
            conflict = yield _AgentStep(ask_contradict((premise.text, facts)))
        verdict: Any = "reject"
        if conflict and ask_judge:
            verdict = yield _AgentStep(ask_judge((premise.text, PRINCIPLES)))
        if conflict and str(getattr(verdict, "verdict", verdict)) == "reject":
            return _rejected(premise, conflict)
    return None


def _rejected(premise: Presupposition, conflict: Any) -> PremiseResult:
    plain = conflict if isinstance(conflict, str) and conflict != premise.text else ""
    reason = str(getattr(conflict, "explanation", plain) or "it was judged to be false")
    return PremiseResult(
        valid=False,
        invalid_premise=premise.text,
        reason=reason,
        suggestion=SUGGESTION,
        findings=(Finding(premise, "invalid", reason),),
    )


def _asking(agent: Any, name: str) -> Callable[[Any], Any] | None:
    """How a judge is asked: a function, or an agent's `invoke`."""
    ask = agent if callable(agent) else getattr(agent, "invoke", None)
    if agent is not None and ask is None:
        raise SessionError(
            f"expected {name} to be a function or an object with invoke, "
            f"got a {type(agent).__name__}",
            where="check_premise(...)",
            fix=f"give {name} a function, or an object with invoke",
        )
    return ask


def _known_blocks(known: Any, question: Any) -> tuple[Blocks, str, int]:
    """What is known, and whose spending it is: session and turn. Where a session ends with the
    question, what was before it."""
    if not isinstance(question, str):
        raise SessionError(
            f"expected the question's text, got a {type(question).__name__}",
            where=_HERE,
            fix="give the question's text",
        )
    if isinstance(known, (Session, Snapshot)):
        snapshot = snapshot_of(known, _HERE)
        newest = question_in(snapshot)
        asked = newest is not None and newest[1].text == question
        stop = newest[0] if newest is not None and asked else None
        return _blocks_before(snapshot, stop), snapshot.session_id, snapshot.turn
    if isinstance(known, str) or not isinstance(known, Iterable):
        raise SessionError(
            f"expected a session or a list of facts, got a {type(known).__name__}",
            where=_HERE,
            fix='give a session, or a list of texts: ["The server crashed at 3 am."]',
        )
    return tuple(_fact_blocks(known)), "", 0


def _fact_blocks(known: Iterable[Any]) -> Iterator[Block]:
    for place, fact in enumerate(known):
        if not isinstance(fact, (str, Item)):
            raise SessionError(
                f"expected a fact, got a {type(fact).__name__}",
                where=f"known[{place}]",
                fix="give texts, or Items of contextwright.retrieval.item",
            )
        item = fact if isinstance(fact, Item) else Item(f"fact:{place}", fact, "fact")
        if item.role:
            message = Message("user", (Text(text=item.text),), author=item.role)
            yield Block(id=item.id, source="facts", messages=(message,))
        else:
            yield Block(id=item.id, source="facts", text=item.text)


def _question(snapshot: Snapshot) -> tuple[int, Event]:
    newest = question_in(snapshot)
    if newest is None:
        raise SessionError(
            "expected a user message, got none",
            where=f"session {snapshot.session_id!r}",
            fix="append the user's message first",
        )
    return newest


def _blocks_before(snapshot: Snapshot, position: int | None) -> Blocks:
    """Notes and facts, and what was stated before a position of the log; all of it without one."""
    log, first = snapshot.log, snapshot.preamble
    stop = snapshot.exchange_count if position is None else log.exchange_index(position)
    stated = memo_of(log).blocks(snapshot.exchanges(first, stop)) if stop > first else ()
    return (*noted_in(snapshot.state), *stated)
