"""Experimental: is what a question takes for granted so? Before a turn, or by itself
(cooling-and-forgetting.md#mu-operator)."""

import inspect
from collections.abc import Callable, Generator, Iterable
from typing import Any, Literal, Protocol, TypedDict, Unpack, cast

from contextwright.atoms.protect.premise import noted_in, question_in
from contextwright.blocks.block import Block, Blocks, Message
from contextwright.compute_gate import holding
from contextwright.engine.door import snapshot_of
from contextwright.engine.embedded import answering_by
from contextwright.engine.engine import memo_of
from contextwright.engine.run_tasks import TaskRunner, adrive, run_tasks
from contextwright.errors import PremiseError, SessionError, SpecError
from contextwright.premises.block_items import items_of
from contextwright.premises.findings import SUGGESTION, PremiseFinding, PremiseResult, result_of
from contextwright.premises.premise_task import premise_result, premise_task
from contextwright.premises.presuppositions import extract_premises
from contextwright.retrieval.item import Item
from contextwright.session.event import Text
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.task import Answer

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


Judge = Callable[[tuple[str, list[str]]], Any] | GuardedAgent


class CheckOptions(TypedDict, total=False):
    """Who judges. `contradict` and `judge` are asked first: each a function or an agent, sync or,
    for `acheck_premise`, async.

    Args:
        models: by default the embedded model, which goes by rules.
        model: the model's name, where `models` know several.
        contradict: from a premise and the facts: what conflicts, as a text or with an
            `explanation`; or nothing.
        judge: from such a premise and `PRINCIPLES`: `accept` or `reject`, or what has such a
            `verdict`. By default a conflict is fatal.
        asker: who `I` is in the question; by default `user`.
    """

    models: TaskRunner | None
    model: str
    contradict: Judge | None
    judge: Judge | None
    asker: str


class GuardOptions(TypedDict, total=False):
    """Who judges, as for `check_premise`, and what an invalid premise does.

    Args:
        on_invalid: `return`, the caller decides; `raise`, an invalid premise ends the turn. An
            unknown one never does: what nothing supports may still be so.
    """

    models: TaskRunner | None
    model: str
    on_invalid: Literal["return", "raise"]


def check_premise(
    question: str, known: Knowledge = (), *agents: object, **options: Unpack[CheckOptions]
) -> PremiseResult:
    """Whether what a question takes for granted is so.

    Args:
        known: a session: all that was stated, noted, distilled and put under `knowledge` or
            `evidence`; or facts. Without any, only `judge` and `contradict` say what is not so.

    Returns:
        The worst verdict of the question's premises; `valid` where it has none.

    Raises:
        SessionError: no question, neither a session nor facts, or an async `judge` or
            `contradict`: these need `acheck_premise`.
    """
    _refuse_agents(agents)
    return run_tasks(*_checking(question, known, **options))


async def acheck_premise(
    question: str, known: Knowledge = (), *agents: object, **options: Unpack[CheckOptions]
) -> PremiseResult:
    """`check_premise`, letting the event loop run; `judge` and `contradict` are called in a worker
    thread, and may be async: what they return then is awaited in the loop."""
    _refuse_agents(agents)
    return await adrive(*_checking(question, known, **options))


def _refuse_agents(agents: tuple[object, ...]) -> None:
    """Judge and contradict by place, as the document writes them: by place stand the facts."""
    if agents:
        raise SpecError(
            f"expected judge and contradict by name, got {1 + len(agents)} things behind the "
            "question",
            where="check_premise(question, ...)",
            fix="await acheck_premise(question, judge=judge, contradict=contradict)",
        )


def premise_guard(session: Session | Snapshot, **options: Unpack[GuardOptions]) -> PremiseResult:
    """Before a turn: whether what the user wrote last takes for granted what is not so.

    Raises:
        PremiseError: the premise is invalid, and `on_invalid` is `raise`.
        SessionError: no session, or it has no user message. SpecError: another `on_invalid`.
    """
    return run_tasks(*_guarding(session, **options))


async def apremise_guard(
    session: Session | Snapshot, **options: Unpack[GuardOptions]
) -> PremiseResult:
    """`premise_guard`, letting the event loop run."""
    return await adrive(*_guarding(session, **options))


class _Judges:
    """Models that also wait for what an async judge replies; a sync call refuses such a judge."""

    def __init__(self, models: TaskRunner) -> None:
        self.models, self.latest = models, models.latest

    async def answer(self, tasks: Any, *, session: str = "", turn: int = 0) -> list[Answer]:
        if inspect.isawaitable(tasks):
            return await tasks
        return await self.models.answer(tasks, session=session, turn=turn)

    def answer_now(self, tasks: Any, *, session: str = "", turn: int = 0) -> list[Answer]:
        if not inspect.isawaitable(tasks):
            return self.models.answer_now(tasks, session=session, turn=turn)
        if inspect.iscoroutine(tasks):
            tasks.close()
        raise SessionError(
            "judge or contradict is async",
            where="check_premise(...)",
            fix="await acheck_premise(...) instead",
        )


_Ask = Callable[[Any], Any]
_Asking = Generator[Any, Any, PremiseResult]
"""Yields tasks, or what an async judge replied."""
_Run = tuple[_Asking, _Judges, str, Callable[[], int]]
"""What a driver takes: the work, who answers, and whose spending it is: the session, and what tells
its turn."""


def _checking(
    question: str,
    known: Knowledge,
    models: TaskRunner | None = None,
    model: str = "",
    contradict: Judge | None = None,
    judge: Judge | None = None,
    asker: str = "user",
) -> _Run:
    if not isinstance(cast(Any, question), str):
        raise _expected("the question's text", question, _HERE, "give the question's text")
    if isinstance(known, (Session, Snapshot)):
        known = snapshot_of(known, _HERE)
    session, turn = (known.session_id, known.turn) if isinstance(known, Snapshot) else ("", 0)
    agents = _asking(contradict, "contradict"), _asking(judge, "judge")

    def check() -> _Asking:
        blocks = _known_blocks(known, question)
        if any(agents):
            rejected = yield from _rejection(question, blocks, *agents)
            if rejected is not None:
                return rejected
            if not blocks and not model and getattr(models, "llm", None) is None:
                # the document's logic: what neither of the two rejects is valid
                return result_of(
                    [PremiseFinding(each, "valid") for each in extract_premises(question)]
                )
        return (yield from _judged(question, blocks, models, model, asker))

    return check(), _Judges(answering_by(models)), session, lambda: turn


def _guarding(
    session: Session | Snapshot,
    models: TaskRunner | None = None,
    model: str = "",
    on_invalid: Literal["return", "raise"] = "return",
) -> _Run:
    if on_invalid not in ("return", "raise"):
        raise SpecError(
            f"expected on_invalid 'return' or 'raise', got {on_invalid!r}",
            where="premise_guard(...)",
            fix="give 'return' or 'raise'",
        )
    snapshot = snapshot_of(session, "premise_guard(session)")
    newest = question_in(snapshot)
    if newest is None:
        raise SessionError(
            "expected a user message, got none",
            where=f"session {snapshot.session_id!r}",
            fix="append the user's message first",
        )
    position, event = newest

    def guard() -> _Asking:
        blocks = _blocks_before(snapshot, position)
        result = yield from _judged(event.text, blocks, models, model, event.speaker)
        if result.verdict == "invalid" and on_invalid == "raise":
            raise PremiseError(
                f"the question takes for granted what is not so: {result.invalid_premise} "
                f"({result.reason})",
                where=", ".join(result.evidence) or f"event {event.id}",
                fix=result.suggestion,
            )
        return result

    return guard(), _Judges(answering_by(models)), snapshot.session_id, lambda: snapshot.turn


def _judged(
    question: str, blocks: Blocks, models: TaskRunner | None, model: str, asker: str
) -> _Asking:
    """The verdict of the models, or of the rules where there are none."""
    any_language = bool(model) or getattr(models, "llm", None) is not None
    task = premise_task(question, blocks, model=model, asker=asker, any_language=any_language)
    if task is None:
        return PremiseResult()
    (answer,) = yield (task,)
    return premise_result(answer.value, tuple(task.blocks))


def _rejection(
    question: str, blocks: Blocks, contradict: _Ask | None, judge: _Ask | None
) -> Generator[Any, Any, PremiseResult | None]:
    """The first premise that conflicts with the facts and is rejected; a conflict that nobody
    judges is fatal."""
    facts = [item.text for block in blocks for item in items_of(block)]
    for premise in extract_premises(question):
        conflict: Any = premise.text
        if contradict:
            conflict = yield from _reply(contradict((premise.text, facts)))
        verdict: Any = "reject"
        if conflict and judge:
            verdict = yield from _reply(judge((premise.text, PRINCIPLES)))
        if conflict and str(getattr(verdict, "verdict", verdict)) == "reject":
            plain = conflict if isinstance(conflict, str) and conflict != premise.text else ""
            reason = str(getattr(conflict, "explanation", plain) or "it was judged to be false")
            findings = (PremiseFinding(premise, "invalid", reason),)
            return PremiseResult(False, premise.text, reason, SUGGESTION, findings=findings)
    return None


def _reply(reply: Any) -> Generator[Any, Any, Any]:
    return (yield reply) if inspect.isawaitable(reply) else reply


def _asking(agent: Any, name: str) -> _Ask | None:
    """How a judge is asked: a function, or an agent's `invoke`."""
    ask = agent if callable(agent) else getattr(agent, "invoke", None)
    if agent is not None and ask is None:
        wanted = f"{name} to be a function or an object with invoke"
        fix = f"give {name} a function, or an object with invoke"
        raise _expected(wanted, agent, "check_premise(...)", fix)
    return ask


def _known_blocks(known: Any, question: str) -> Blocks:
    """What is known; where a session ends with the question, what was before it."""
    if isinstance(known, Snapshot):
        newest = question_in(known)
        stop = newest[0] if newest is not None and newest[1].text == question else None
        return _blocks_before(known, stop)
    if isinstance(known, str) or not isinstance(known, Iterable):
        fix = 'give a session, or a list of texts: ["The server crashed at 3 am."]'
        raise _expected("a session or a list of facts", known, _HERE, fix)
    facts = cast(Iterable[Any], known)
    return tuple(_fact_block(place, fact) for place, fact in enumerate(facts))


def _fact_block(place: int, fact: Any) -> Block:
    if not isinstance(fact, (str, Item)):
        fix = "give texts, or Items of contextwright.retrieval.item"
        raise _expected("a fact", fact, f"known[{place}]", fix)
    item = fact if isinstance(fact, Item) else Item(f"fact:{place}", fact, "fact")
    if not item.role:
        return Block(id=item.id, source="facts", text=item.text)
    message = Message("user", (Text(text=item.text),), author=item.role)
    return Block(id=item.id, source="facts", messages=(message,))


def _blocks_before(snapshot: Snapshot, position: int | None) -> Blocks:
    """Notes and facts, and what was stated before a position of the log; all of it without one."""
    memo = memo_of(snapshot.log)
    stop = snapshot.exchange_count if position is None else snapshot.log.exchange_index(position)
    first = snapshot.preamble
    exchanges = snapshot.exchanges(first, stop) if stop > first else []
    with holding(memo.lock):
        return (*noted_in(snapshot.state), *memo.blocks(exchanges))


def _expected(wanted: str, value: object, where: str, fix: str) -> SessionError:
    return SessionError(f"expected {wanted}, got a {type(value).__name__}", where=where, fix=fix)
