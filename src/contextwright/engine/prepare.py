"""Before a turn: what assembling asks of models is answered, and it is assembled again.

Assembling says what it misses; so a spec is prepared for whatever it turns out to need: scores
whose best blocks are summarized, a summary only where a budget is passed. Where nothing is
missing, preparing is one assembling and calls nothing.
"""

from collections.abc import Callable, Sequence
from functools import cache
from time import time_ns
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from contextwright.compiler.pack import Pack
from contextwright.compiler.plan import plan
from contextwright.compiler.spec_compiler import PendingTasks, SpecCompiler
from contextwright.engine.run_tasks import TaskGenerator
from contextwright.errors import ContextwrightError
from contextwright.render.target import Target
from contextwright.session.log import Log
from contextwright.session.snapshot import Snapshot
from contextwright.spec.memo import Memo
from contextwright.spec.task import Answer, Answers, Task

ROUNDS = 8
"""Assemblings that may ask: a stage of a cascade asks only when those before it were not enough,
and a word that asks about what it looks at does so as often as a compile looks further back."""

Write = Callable[[dict[str, Any]], bool]
"""Sets state keys; whether that changed anything."""
Answered = Callable[[Sequence[Task], Sequence[Answer], int], None]
Latest = Callable[[str], Answer | None]
_ByModels = WeakKeyDictionary[Any, Answers]


def memo_of(log: Log) -> Memo:
    """The memo of a log."""
    memo = log.memo
    # of two threads that come first, both get the same
    return vars(log).setdefault("memo", Memo()) if memo is None else memo


class Turn(msgspec.Struct, eq=False):
    """What is compiled.

    Args:
        answered: told of what was asked, the answers, and the nanoseconds since 1970 when it began.
    """

    compiler: SpecCompiler
    target: Target
    take: Callable[[], Snapshot]
    write: Write | None = None
    previous: Pack | None = None
    answered: Answered | None = None

    def assemble(self, answers: Answers) -> Pack:
        """The pack, with these answers and no others."""
        compiler = self.compiler.answered_by(answers)
        return compiler.compile(self.take(), self.target, previous=self.previous)

    def cleaned(self, answers: Sequence[Answer]) -> list[Answer]:
        """Answers without what the spec redacts: a manifest keeps them, and a model may say more
        than it was shown."""
        planned = plan(self.compiler.spec, ports=self.compiler.ports)
        if not planned.redactions:
            return list(answers)
        from contextwright.redaction.redactor import with_strings

        return [
            msgspec.structs.replace(answer, value=with_strings(answer.value, planned.clean))
            for answer in answers
        ]

    def try_assemble(self, answers: Answers, wants: PendingTasks) -> Pack | None:
        """The pack, or None where an answer is missing."""
        compiler = self.compiler.answered_by(answers)
        return compiler.try_compile(self.take(), self.target, wants, previous=self.previous)


def preparing(turn: Turn, known: Answers, latest: Latest) -> TaskGenerator[tuple[Pack, Answers]]:
    """The pack with all that it needs from models, and the answers there are then.

    Args:
        latest: the newest answer of a series that was kept elsewhere: what another process
            made is brought up to date, not made anew.

    Raises:
        ContextwrightError: as assembling does, once nothing is missing any more.
    """
    answers = known
    for _ in range(ROUNDS):
        wants = PendingTasks()
        try:
            pack, error = turn.try_assemble(answers, wants), None
        except ContextwrightError as raised:
            pack, error = None, raised
        written = turn.write(wants.wrote) if turn.write is not None and wants.wrote else False
        if wants.asked:
            earlier = _kept_before(wants, answers, latest)
            answers = answers.with_(earlier or turn.cleaned((yield from _ask(turn, wants))))
        elif error is not None and not written:
            raise error
        elif pack is not None and not written:
            return pack, answers
    return turn.assemble(answers), answers


def _ask(turn: Turn, wants: PendingTasks) -> TaskGenerator[list[Answer]]:
    """The answers to what is missing; who wants to know is told."""
    tasks = tuple(wants.asked.values())
    began_ns = time_ns()
    answers = yield tasks
    if turn.answered is not None:
        turn.answered(tasks, answers, began_ns)
    return answers


def _kept_before(wants: PendingTasks, answers: Answers, latest: Latest) -> list[Answer]:
    earlier: list[Answer] = []
    for task in wants.asked.values():
        if task.series and answers.latest(task.series) is None:
            try:
                answer: object = latest(task.series)
            except Exception:  # noqa: BLE001 -- a runner of the user's may raise anything
                answer = None  # it is made anew
            if isinstance(answer, Answer) and answer.covers:
                earlier.append(answer)
    return earlier


def known_answers(log: Log, models: object) -> Answers:
    """What these models answered for this log before, or for one that begins as it does."""
    by_models: _ByModels | None = log.family.answers
    known = None if by_models is None else by_models.get(models)
    return _none_by(_by_words(models)) if known is None else known


@cache
def _none_by(words: frozenset[str]) -> Answers:
    return Answers(by_words=words)


def remember(log: Log, models: object, answers: Answers) -> None:
    """Keep answers for the log's next compiles; a fallback only where there is nobody else."""
    if not answers:
        return
    alone = getattr(models, "llm", None) is None
    # of two threads that come first, both get the same
    by_models: _ByModels = vars(log.family).setdefault("answers", WeakKeyDictionary())
    if by_models.get(models) is answers:  # nothing was asked
        return
    lasting = (answer for answer in answers if alone or not answer.fallback)
    by_models[models] = Answers(lasting, _by_words(models))


def _by_words(models: object) -> frozenset[str]:
    """The scorers for which these models have rules alone; a runner of the user's is asked."""
    return frozenset(getattr(models, "by_words", ()))
