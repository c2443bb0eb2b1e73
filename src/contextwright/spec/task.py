"""What a spec asks of a model before a turn, and what came back.

An atom that needs a model builds a `Task` and asks for its `Answer`; assembling never waits for
one. Preparing is what answers the tasks that assembling asked for
(rules.md#prepare-assemble-record).
"""

import json
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal, TypeVar

import msgspec

from contextwright.blocks.block import Block

TaskKind = Literal[
    "summary", "relevance", "duplicates", "record", "facts", "merge", "contradictions", "premises"
]
Scorer = Literal["llm", "embedding", "lexical"]


class Task(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Work for a model. `Answer.value`, by kind:

    - `summary`: a text; with a `schema`, an object that it describes.
    - `relevance`: a score in millionths for every block, in their order.
    - `duplicates`: pairs `[earlier, later]` of places in `blocks` that say the same.
    - `record`: an object that `schema` describes.
    - `facts`: a list of sentences, those of `previous` first.
    - `merge`: a text: `previous` and the blocks in one, nothing twice.
    - `contradictions`: objects `{"first": place, "second": place, "what": sentence}`.
    - `premises`: objects `{"premise": sentence, "verdict": "valid", "unknown" or "invalid",
      "reason": sentence, "evidence": places}`, with `"known"`, what is known instead, or without.

    Args:
        kind: what is asked.
        model: the model that the spec names; empty for the one at hand.
        prompt: the user's own words on how to do it.
        query: what relevance is measured against, a summary is for, or takes for granted.
        schema: JSON Schema of the answer, as canonical JSON text.
        previous: what the answer brings up to date: the summary, facts or notes before;
            of premises, what the rules found.
        max_tokens: tokens that the answer may have; 0 where nothing limits it.
        rule_tokens: of a summary, those beside these that the rules and decisions may have which
            still hold.
        scorer: who scores relevance.
        blocks: what is read, redacted already; of a long conversation each may be made when it is
            read.
        source: names the content of `blocks`: a hash over their names, in order.
        series: names a task that is asked again as the session grows, so that its answer can
            be brought up to date instead of made anew.
        covers: how many blocks `previous` and `blocks` stand for together.
        whole: names the content of all that `covers` counts.
        without: places of exchanges between these that are none of them, such as what had to
            stay: where one of them may go later, it is told beside what is new. Of more than
            `MAX_WITHOUT` none is named, and all is asked for again then.
    """

    kind: TaskKind
    model: str = ""
    prompt: str = ""
    query: str = ""
    schema: str = ""
    previous: str = ""
    max_tokens: int = 0
    rule_tokens: int = 0
    scorer: Scorer = "llm"
    blocks: Sequence[Block] = ()
    source: str = ""
    series: str = ""
    covers: int = 0
    whole: str = ""
    without: tuple[int, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Names the task by all that its answer depends on: the same one is asked once."""
        fields = {
            name: getattr(self, name)
            for name in self.__struct_fields__
            if name not in {"blocks", "series", "covers", "whole", "without"}
        }
        if not self.rule_tokens:
            del fields["rule_tokens"]  # the names of answers that are stored stay
        text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return sha256(text.encode()).hexdigest()


AnswerKey = tuple[str, str, str]
"""The names of a task, of all that it covers, and of its series."""


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came back for a task.

    Args:
        fingerprint: the task's.
        kind: the task's.
        value: by kind, see `Task`.
        model: who made it: `openai:gpt-5-mini`, `extractive`, `lexical`.
        fallback: why the model that was asked did not make it; empty where it did.
        note: what is to be known of it, such as what was not looked at.
        input_tokens, output_tokens: what it cost; 0 for the embedded models.
        series, covers, whole, without: the task's.
    """

    fingerprint: str
    kind: TaskKind
    value: Any
    model: str
    fallback: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    series: str = ""
    covers: int = 0
    whole: str = ""
    without: tuple[int, ...] = ()
    note: str = ""

    @property
    def key(self) -> AnswerKey:
        """Tells it from others: the same words may have been read for two conversations, where an
        answer before covered what else each of them holds, and for two words of a spec."""
        return self.fingerprint, self.whole, self.series


class AskedTasks(dict[str, Task]):
    """Tasks that have no answer yet, by fingerprint.

    Attributes:
        times: how often one was asked. Who asks again for what is missing already waits for it as
            well, and adds no task.
    """

    times = 0

    def add(self, fingerprint: str, task: Task) -> None:
        """Ask a task, named by its fingerprint."""
        self[fingerprint] = task
        self.times += 1


TakenAnswers = dict[AnswerKey, Answer]
"""Answers by their keys, in the order in which they were first taken."""


def answer_to(task: Task, value: Any, model: str, **more: Any) -> Answer:
    """A task's answer; `more` are what it cost and why it is a fallback."""
    return Answer(
        fingerprint=task.fingerprint,
        kind=task.kind,
        value=value,
        model=model,
        series=task.series,
        covers=task.covers,
        whole=task.whole,
        without=task.without,
        **more,
    )


MAX_WITHOUT = 64
"""Places that an answer names: what is held is less, and a receipt has them all."""
MAX_ANSWERS = 4_096
"""Answers that a compile has at hand: those of the newest tasks."""


T = TypeVar("T")
TaskGenerator = Generator[tuple[Task, ...], list[Answer], T]
"""Work that asks models in between: it yields the tasks that it needs answered, is sent their
answers, and returns its result."""


class Answers:
    """The answers that a compile may use. Never changed: `with_` gives others.

    Args:
        by_words: scorers of relevance for which nobody is there but the rules that go by words.
    """

    def __init__(
        self, answers: Iterable[Answer] = (), by_words: frozenset[str] = frozenset()
    ) -> None:
        self._scorers = by_words
        self._answers: dict[AnswerKey, Answer] = {}
        self._series: dict[str, list[Answer]] = {}
        for answer in answers:
            self._answers.pop(answer.key, None)
            self._answers[answer.key] = answer
        for key in list(self._answers)[:-MAX_ANSWERS]:
            del self._answers[key]
        self._by_fingerprint = {one.fingerprint: one for one in self._answers.values()}
        for answer in self._answers.values():
            if answer.series:
                self._series.setdefault(answer.series, []).append(answer)

    def get(self, task: Task) -> Answer | None:
        """The answer to a task, if it was made. Where the same was read for it, of a conversation
        of which words have made something else since, it is the answer of this one."""
        known = self._by_fingerprint.get(task.fingerprint)
        if known is None or not task.series:
            return known
        return of_conversation(known, task)

    def gives(self, answer: Answer) -> bool:
        """Whether it is given to the task that it is of."""
        known = self._by_fingerprint.get(answer.fingerprint)
        if known is None or known is answer:
            return known is not None
        return of_conversation(known, answer) == answer

    def by_words(self, task: Task) -> Answer | None:
        """What stands for scores that whoever asks works out by words; None where others score."""
        if task.scorer in self._scorers:
            return answer_to(task, [], "lexical")
        return self.get(task)

    def of(self, fingerprints: Iterable[str]) -> list[Answer | None]:
        """The answers to the tasks of these names."""
        return list(map(self._by_fingerprint.get, fingerprints))

    def latest(self, series: str) -> Answer | None:
        """The newest answer of a series."""
        return next(self.newest(series), None)

    def newest(self, series: str) -> Iterator[Answer]:
        """The answers of a series, the newest first: those behind it are of a conversation that
        was longer, where it went back to what it was before."""
        return reversed(self._series.get(series, ()))

    def with_(self, answers: Iterable[Answer]) -> "Answers":
        """These and more; of a series, the last is the newest."""
        return Answers((*self._answers.values(), *answers), self._scorers)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self._answers.values())

    def __len__(self) -> int:
        return len(self._answers)

    def __contains__(self, fingerprint: object) -> bool:
        return fingerprint in self._by_fingerprint


def of_conversation(answer: Answer, one: Task | Answer) -> Answer:
    """The answer as one of the conversation and series that a task, or another answer, is of."""
    if (answer.whole, answer.series) == (one.whole, one.series):
        return answer
    return msgspec.structs.replace(
        answer, covers=one.covers, whole=one.whole, without=one.without, series=one.series
    )


NO_ANSWERS = Answers()


def canonical(value: Mapping[str, Any]) -> str:
    """JSON text with sorted keys, as hashes need it."""
    return msgspec.json.encode(value, order="sorted").decode()
