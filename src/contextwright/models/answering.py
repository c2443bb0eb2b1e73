"""Tasks answered: from the cache, by the model that is asked, or by an embedded one.

No failure of a model reaches a turn: the embedded model answers instead, and the answer says
why.
"""

import asyncio
import random
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from contextwright.argument_types import expect_types
from contextwright.blocks.block import Blocks
from contextwright.blocks.transcript import transcript
from contextwright.compute_gate import waiting
from contextwright.errors import ModelError, SpecError
from contextwright.forked_process import made_once
from contextwright.models import embedded
from contextwright.models.answer_cache import AnswerCache, RecentAnswers
from contextwright.models.answer_decoding import value_of
from contextwright.models.answer_text import text_of
from contextwright.models.call import Sleep, call
from contextwright.models.claims import POLL_S, ClaimedAnswer
from contextwright.models.failed_questions import LASTING, FailedQuestions
from contextwright.models.guarded_cache import GuardedCache
from contextwright.models.llm import (
    LLM,
    RETRIED,
    Completion,
    Embedder,
    ModelFault,
    NotAsked,
    Prompt,
)
from contextwright.models.prompts import prompt_for, repair
from contextwright.models.relevance_scores import BATCH, ITEM_TOKENS, RelevanceScores
from contextwright.models.single_flight import SingleFlight
from contextwright.models.spend import Allowance, MeteredLLM, Spending, SpendLimit, is_usage
from contextwright.models.text_similarity import TextSimilarity
from contextwright.process_bound import ProcessBound
from contextwright.spec.task import Answer, Task, answer_to, of_conversation
from contextwright.tokens.counter import Counter, named_counter
from contextwright.worker_threads import answering_off_loop

_INCREMENTAL = frozenset({"summary", "record", "facts"})
"""Tasks whose answer can be brought up to date, and so asked for in pieces."""
MANY = 200
"""Blocks of a task from which on its answer is computed where it holds up no other turn."""
USAGE = ("input_tokens", "output_tokens")


class Limits(msgspec.Struct, frozen=True):
    """What calls to models may take.

    Args:
        timeout_s: seconds for one try.
        retries: tries after the first, where another may help.
        deadline_s: seconds for one task with all its tries and pieces; then the embedded model
            answers.
        cool_down_s: seconds in which a model that failed is not asked again.
        give_up_s: seconds in which a question whose answer could not be used, or that was
            rejected, is not asked again.
        question_tokens: tokens of one question; below the window of the model that answers.
        scored_blocks: blocks that a language model scores for one query at most, those that an
            embedder and words find nearest, in calls of 60.
        turn, session: what may be spent for one turn, and for one session.
    """

    timeout_s: float = 30
    retries: int = 2
    deadline_s: float = 60
    cool_down_s: float = 20
    give_up_s: float = 3_600
    question_tokens: int = 60_000
    scored_blocks: int = 240
    turn: SpendLimit = SpendLimit()
    session: SpendLimit = SpendLimit()


class Models(ProcessBound):
    """Answers tasks.

    Args:
        llm: a language model, or the name of one, as `openai:gpt-5-mini`, which needs the extra
            `llm`; None for the embedded models.
        embedder: for `C.relevant(scorer="embedding")`; without a language model, relevance is
            what words and vectors say together.
        answers: where answers are kept; by default in memory. Where it fails, answers are asked
            for again, and `cache_faults` has its newest errors.
    """

    def __init__(
        self,
        llm: LLM | str | None = None,
        embedder: Embedder | None = None,
        *,
        limits: Limits | None = None,
        answers: AnswerCache | None = None,
        counter: Counter | None = None,
        sleep: Sleep = asyncio.sleep,
        uniform: Callable[[float, float], float] = random.uniform,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        expect_types("Models(...)", SpecError, limits=(limits or Limits(), Limits))
        if embedder is not None and not callable(getattr(embedder, "embed", None)):
            raise SpecError(
                f"expected an embedder with `embed(texts)`, got {type(embedder).__name__}",
                where="Models(embedder=...)",
                fix="such as contextwright.retrieval.static_embedder.StaticEmbedder(FOLDER)",
            )
        self.llm: LLM | None = _llm_of(llm)
        self.embedder = embedder
        self.limits = limits or Limits()
        self.cache = GuardedCache(answers or RecentAnswers(), self.limits.cool_down_s, clock)
        self.spending = Spending()
        self._count = (counter or named_counter("o200k_base")).count
        self._sleep, self._uniform, self._clock = sleep, uniform, clock
        self._flight: SingleFlight[Answer] = SingleFlight()
        self._similarity = TextSimilarity()
        self._failed_at: dict[str, tuple[float, str]] = {}
        self._failed = FailedQuestions(self.limits.give_up_s, clock)

    @property
    def by_words(self) -> frozenset[str]:
        """The scorers of relevance for which nobody is there but the rules that go by words."""
        alone = self.llm is None and self.embedder is None
        return frozenset({"llm", "lexical"} if alone else {"lexical"})

    @property
    def cache_faults(self) -> deque[str]:
        """The newest errors of the cache."""
        return self.cache.faults

    async def answer(
        self, tasks: Sequence[Task], *, session: str = "", turn: int = 0
    ) -> list[Answer]:
        """An answer for every task, in their order; fails only if it is cancelled.

        Ports are awaited in the event loop; what is computed is computed in worker threads.
        """
        if self.llm is None and self.embedder is None:
            long = any(len(task.blocks) > MANY for task in tasks)
            return await answering_off_loop(self.answer_now, tasks, long=long)
        return list(await asyncio.gather(*(self._answer(task, session, turn) for task in tasks)))

    def answer_now(
        self, tasks: Sequence[Task], *, session: str = "", turn: int = 0
    ) -> list[Answer]:
        """The same, waiting in this thread, whether an event loop runs in it or not."""
        if self.llm is None and self.embedder is None:
            return [self._embedded(task, self._fallback_reason(task)) for task in tasks]
        return _wait(self.answer(tasks, session=session, turn=turn))

    def latest(self, series: str) -> Answer | None:
        """The newest answer of a series that is in the cache."""
        return self.cache.latest(series)

    async def _answer(self, task: Task, session: str, turn: int) -> Answer:
        try:
            return await self._best_answer(task, session, turn)
        except Exception as error:  # noqa: BLE001 -- a port's name may fail as well as its call
            reason = f"unavailable: {type(error).__name__}: {error}"[:200]
            return await self._stand_in(task, reason)

    async def _best_answer(self, task: Task, session: str, turn: int) -> Answer:
        if self._maker(task) is None:
            return await self._stand_in(task, self._fallback_reason(task))
        key = f"{self._maker(task)}\n{task.model}\n{task.fingerprint}"
        known = await answering_off_loop(self.cache.get, key, task)
        if known is not None:
            return of_conversation(known, task)

        async def work() -> Answer:
            right = ClaimedAnswer(self.cache, key)
            try:
                answer = await self._claimed(right, key, task)
                if answer is None:
                    answer = await self._model_answer(task, session, turn)
                    if not answer.fallback:
                        await answering_off_loop(self.cache.put, key, answer)
                if self.cache.has_claims:
                    await answering_off_loop(right.release)
                return answer
            finally:  # of whoever is cancelled meanwhile
                right.release()

        return of_conversation(await self._flight.do(key, work), task)

    async def _claimed(self, right: ClaimedAnswer, key: str, task: Task) -> Answer | None:
        """The answer that is known by now, of another process too; None where it is to be made
        here, by the right to do so."""
        deadline_s = self._clock() + self.limits.deadline_s
        while not await answering_off_loop(right.take, self.limits.deadline_s):
            answer = await answering_off_loop(self.cache.get, key, task)
            if answer is not None or self._clock() >= deadline_s:
                return answer
            await self._sleep(POLL_S)
        return await answering_off_loop(self.cache.get, key, task)

    def _maker(self, task: Task) -> str | None:
        """Who is to answer; None for an embedded model."""
        if self._by_vectors(task):
            assert self.embedder is not None
            return self.embedder.id if task.scorer == "embedding" else f"lexical+{self.embedder.id}"
        if task.kind == "relevance" and task.scorer != "llm":
            return None
        return self.llm.id if self.llm is not None else None

    def _by_vectors(self, task: Task) -> bool:
        """Whether the embedder scores: where it is asked for, and where no model is there to."""
        if task.kind != "relevance" or self.embedder is None:
            return False
        return task.scorer == "embedding" or (task.scorer == "llm" and self.llm is None)

    def _fallback_reason(self, task: Task) -> str:
        """The reason why an embedded model answers, where another was wanted."""
        if task.kind == "relevance" and task.scorer == "embedding":
            return "no embedder is configured"
        if task.model and not (task.kind == "relevance" and task.scorer == "lexical"):
            return f"no LLM is configured; {task.model} was asked"
        return ""

    async def _stand_in(self, task: Task, reason: str) -> Answer:
        return await answering_off_loop(self._embedded, task, reason, long=len(task.blocks) > MANY)

    def _embedded(self, task: Task, reason: str) -> Answer:
        key = f"embedded\n{task.fingerprint}"
        known = self.cache.get(key, task)
        if known is None:
            known = embedded.answer(task, count=self._count)
            # what only stands in for a model must not be brought up to date by it later
            series = "" if self.llm is not None else known.series
            self.cache.put(key, msgspec.structs.replace(known, series=series))
        return msgspec.structs.replace(known, fallback=known.fallback or reason, series=task.series)

    async def _model_answer(self, task: Task, session: str, turn: int) -> Answer:
        """The model's answer, or the embedded one with the reason."""
        maker = self._maker(task) or ""
        try:
            self._refuse_while_down(maker)
            async with asyncio.timeout(self.limits.deadline_s):
                if self._by_vectors(task):
                    assert self.embedder is not None
                    similarity = await self._similarity.of(task, self.embedder)
                    return answer_to(task, similarity, maker)
                if task.kind == "relevance":
                    return await self._scored(task, session, turn)
                return await self._complete(task, session, turn)
        except TimeoutError:
            reason = f"no answer within {self.limits.deadline_s:g} s"
            self._failed_at[maker] = (self._clock(), reason)
        except ModelFault as fault:
            reason = f"{fault.fault}: {fault.what}"
            if fault.fault in RETRIED:
                self._failed_at[maker] = (self._clock(), reason)
        except Exception as error:  # noqa: BLE001 -- a broken port must not end a turn
            reason = f"unavailable: {type(error).__name__}: {error}"[:200]
        return await self._stand_in(task, reason)

    async def _scored(self, task: Task, session: str, turn: int) -> Answer:
        """The language model's scores: of what it has not scored for this query before."""
        maker = self._maker(task) or ""
        scores = await answering_off_loop(RelevanceScores, task, maker, self.cache)
        places = await self._candidates(task, scores.unknown, self.limits.scored_blocks)
        size = max(1, min(BATCH, self.limits.question_tokens // ITEM_TOKENS))
        batches = [scores.batch(places[at : at + size]) for at in range(0, len(places), size)]
        answered = await asyncio.gather(
            *(self._complete(batch, session, turn) for batch in batches), return_exceptions=True
        )
        return await answering_off_loop(scores.answer, batches, answered)

    async def _complete(self, task: Task, session: str, turn: int) -> Answer:
        """The language model's answer; what is too long for one question is asked in pieces,
        each bringing the answer before up to date."""
        maker = self._maker(task) or ""
        if why := self._failed.why_not(task, maker):
            raise NotAsked(why)
        paid: list[Completion] = []
        value: Any = None
        try:
            for blocks in await answering_off_loop(
                _pieces, task, self._count, self.limits.question_tokens
            ):
                before = task.previous if value is None else _text(value)
                piece = msgspec.structs.replace(task, blocks=blocks, previous=before)
                value = await self._value(piece, session, turn, paid)
        except ModelFault as fault:
            if fault.fault in LASTING and not isinstance(fault, NotAsked):
                self._failed.add(task, maker, f"{fault.fault}: {fault.what}")
            raise
        self._failed.answered(task, maker)
        read, written = ([getattr(each, name) for each in paid] for name in USAGE)
        return answer_to(
            task,
            value,
            paid[-1].model,
            note=_not_used(task.model, paid[-1].model),
            input_tokens=sum(filter(is_usage, read)),
            output_tokens=sum(filter(is_usage, written)),
        )

    async def _value(self, task: Task, session: str, turn: int, paid: list[Completion]) -> Any:
        """The value of one question; an answer that can not be used is asked for once more,
        unless the question before of its series failed too."""
        prompt = await answering_off_loop(prompt_for, task)
        text = await self._call(prompt, session, turn, paid)
        try:
            return await answering_off_loop(value_of, task, text, self._count)
        except ModelFault as fault:
            if self._failed.failed_before(task, self._maker(task) or ""):
                raise
            again = repair(prompt, text, fault.what)
            text = await self._call(again, session, turn, paid)
            return await answering_off_loop(value_of, task, text, self._count)

    async def _call(self, prompt: Prompt, session: str, turn: int, paid: list[Completion]) -> str:
        assert self.llm is not None
        allowances = (
            Allowance(f"{session}\n{turn}", self.limits.turn, "turn"),
            Allowance(session, self.limits.session, "session"),
        )
        completion = await call(
            MeteredLLM(self.llm, self.spending, allowances, self._count),
            prompt,
            timeout_s=self.limits.timeout_s,
            retries=self.limits.retries,
            sleep=self._sleep,
            uniform=self._uniform,
        )
        text = text_of(completion)
        paid.append(completion)
        return text

    async def _candidates(self, task: Task, places: list[int], most: int) -> list[int]:
        """The places of the blocks that are nearest to the query by words, and by the embedder
        where there is one; of equals the newer."""
        if len(places) <= most:
            return places
        blocks = tuple(task.blocks[place] for place in places)
        nearest = await answering_off_loop(embedded.relevance, task.query, blocks)
        if self.embedder is not None:
            with suppress(Exception):  # words alone, then
                part = msgspec.structs.replace(task, blocks=blocks, scorer="llm")
                nearest = await self._similarity.of(part, self.embedder)
        best = sorted(range(len(places)), key=lambda at: (-nearest[at], -at))[:most]
        return sorted(places[at] for at in best)

    def _refuse_while_down(self, maker: str) -> None:
        failed = self._failed_at.get(maker)
        if failed is not None and self._clock() - failed[0] < self.limits.cool_down_s:
            raise NotAsked(f"failed moments ago ({failed[1]})")


def _pieces(task: Task, count: Callable[[str], int], most: int) -> list[Blocks]:
    """The task's blocks in runs of `most` tokens; all of them where its answer can not be brought
    up to date. A block that is longer by itself is a piece, shortened in its prompt."""
    blocks = tuple(task.blocks)
    if task.kind not in _INCREMENTAL:
        return [blocks]
    pieces: list[Blocks] = []
    start, used = 0, 0
    for place, block in enumerate(blocks):
        cost = min(most, count(transcript(block)))
        if used and used + cost > most:
            pieces.append(blocks[start:place])
            start, used = place, 0
        used += cost
    return [*pieces, blocks[start:]]


def _not_used(wanted: str, model: str) -> str:
    """That another model answered than the one which a spec names."""
    names = [re.split(r"[:/]", name.casefold())[-1] for name in (wanted, model)]
    return "" if not wanted or names[1].startswith(names[0]) else f"{wanted} was asked, not used"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()


def _llm_of(source: LLM | str | None) -> LLM | None:
    if isinstance(source, str):
        from contextwright.models.provider_llm import ProviderLLM

        return ProviderLLM(source)
    if source is not None and not callable(getattr(source, "complete", None)):
        raise ModelError(
            f"expected a language model or its name, got {type(source).__name__}",
            where="Models(llm)",
            fix='"openai:gpt-5-mini", or an object with `id` and `async complete(prompt)`',
        )
    return source


@made_once
def _loop() -> asyncio.AbstractEventLoop:
    """An event loop in a thread of its own, for those who wait: connections outlive a call."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="contextwright-models", daemon=True).start()
    return loop


def _wait(work: Coroutine[Any, Any, list[Answer]]) -> list[Answer]:
    """The result of a coroutine, from a thread in which an event loop may run."""
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        with waiting():  # what the answer takes is computed in other threads
            return future.result()
    except BaseException:
        future.cancel()
        raise
