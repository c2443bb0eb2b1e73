"""`C.relevant(...)`: what matters for a question (context-algebra.md#relevance)."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from heapq import nlargest
from itertools import compress, islice
from typing import ClassVar, Literal

import msgspec

from contextwright.atoms.followed_log import followed, looks_back
from contextwright.atoms.logged_words import LoggedWords
from contextwright.atoms.select.from_state import plain_text
from contextwright.atoms.select.salient import SALIENT
from contextwright.blocks.block import Block, Blocks
from contextwright.errors import SpecError
from contextwright.session.event_index import SPOKEN
from contextwright.session.harness_text import user_words
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.ranges import Ranges, ValueRange
from contextwright.spec.task import Answer, Scorer, Task
from contextwright.spec.traits import Traits
from contextwright.spec.word_roles import LogSelector

USER_CONTENT = "__user_content__"
"""The `query_key` that names what the user said last."""

EARLIER = 3
"""Questions before the one that is asked, whose words count a little."""
MISSES = 100
"""Blocks in a row that do not fit before the packing ends."""
AT_ONCE = 256
"""Blocks that are ranked first, where those that fit are looked for."""


class Relevant(LogSelector, frozen=True, kw_only=True):
    """The blocks that matter most for a query, in their order, with their scores: `top_k` of
    them, or as many as have `max_tokens` together.

    After a pipe it chooses among what came; by itself, among the exchanges that have
    settled. Where there are not more than `top_k`, all stay and nothing is asked. Where nothing
    was scored, the newest stay. What is protected stays in any case.

    Args:
        query_key: state key of the query; `__user_content__` for what the user said last, which
            also stands in for a key that the state does not have.
        query: the query itself, instead of a key.
        top_k: blocks that stay.
        model: who scores; empty for the engine's.
        max_tokens: room for them, instead of `top_k`. Then the embedded scorer also counts what
            is said around a hit, who said it and how long it is (`retrieval.context_rerank`).
        scorer: `llm`; `embedding`, by the engine's embedder; `lexical`, by words; `salience`, by
            words, what recurs, structure and age (`C.salient`), which asks nobody.
        steps: whether, over `max_tokens`, it chooses for each question of the user's, then into
            half of the room, and again once that is full of what came since
            (rules.md#steps-down); False: at every request. `top_k` is chosen at every request.
    """

    word: ClassVar[str] = "relevant"
    kind: ClassVar[Kind] = Kind.REFINER
    verb: ClassVar[Verb] = Verb.SELECT
    ranges: ClassVar[Ranges] = {"top_k": ValueRange(1, 30)}

    query_key: str = ""
    query: str = ""
    top_k: int = 5
    max_tokens: int = 0
    model: str = ""
    scorer: Scorer | Literal["salience"] = "llm"
    steps: bool = True

    def __post_init__(self) -> None:
        if self.top_k < 1 or self.max_tokens < 0:
            raise SpecError(
                f"top_k is {self.top_k}, max_tokens {self.max_tokens}",
                where=repr(self),
                fix="give a top_k of at least 1, or a positive number of tokens",
            )
        if self.query and self.query_key:
            raise SpecError(
                "two queries", where=repr(self), fix="give either query or query_key, not both"
            )

    @property
    def traits(self) -> Traits:
        """`top_k` blocks, or so many tokens."""
        stepped = "max_tokens" if self.max_tokens and self.steps else ""
        return Traits(bounded=True, stepped=stepped, answers=True)

    def reads(self) -> tuple[str, ...]:
        """The query's state key."""
        return (self.query_key,) if self.query_key not in {"", USER_CONTENT} else ()

    def over(self, inputs: Inputs) -> Blocks | None:
        """The whole conversation; nothing where what matters of it is told from the log."""
        if self._answer_by_words(inputs) is not None:
            return None
        snapshot = inputs.snapshot
        return inputs.blocks(snapshot.exchanges(snapshot.preamble), "relevant")

    def bring(self, inputs: Inputs) -> Blocks:
        """As `apply` leaves of the whole conversation, by the words that the log says."""
        return self._by_words(inputs, self.word)

    def chosen(self, inputs: Inputs, source: str) -> Blocks | None:
        """As `bring`, where what matters is told from the log."""
        return None if self._answer_by_words(inputs) is None else self._by_words(inputs, source)

    def _by_words(self, inputs: Inputs, source: str) -> Blocks:
        snapshot = inputs.snapshot
        first, stop = snapshot.preamble, inputs.settled
        held = set(inputs.held_within(first, stop))
        best: dict[int, int | None] = {}
        if stop - first - len(held) > self.top_k:
            best.update(self._best_by_words(held, inputs))
        else:
            best.update(dict.fromkeys(at for at in range(first, stop) if at not in held))
        some = sorted(held | best.keys())
        exchanges = snapshot.exchanges_at(some)
        blocks = inputs.blocks([*exchanges, *snapshot.exchanges(max(first, stop))], source)
        scores = map(best.get, some)
        front = [b if s is None else _scored(b, s) for b, s in zip(blocks, scores, strict=False)]
        return (*front, *blocks[len(some) :])

    def _answer_by_words(self, inputs: Inputs) -> Answer | None:
        """What stands for scores by words; None where somebody else scores, or the blocks are
        chosen to fill a room."""
        if self.max_tokens or self.model or self.scorer == "salience":
            return None
        query, scorer = self._query(inputs), self.scorer
        task = Task(kind="relevance", query=query, scorer=scorer, source="words of the log")
        return inputs.answers.by_words(task)

    def _best_by_words(self, held: set[int], inputs: Inputs) -> dict[int, int]:
        """The settled exchanges that matter most but for those that are held, with their scores:
        where fewer share a word with the query, the newest others too."""
        answer = self._answer_by_words(inputs)
        assert answer is not None
        inputs.take(answer)
        at, chosen = inputs.settled, {**self._matches(held, inputs)}
        while len(chosen) < self.top_k:
            at -= 1
            if at not in held:
                chosen.setdefault(at, 0)
        return chosen

    def _matches(self, held: set[int], inputs: Inputs) -> dict[int, int]:
        """Of these the ones that share a word with the query, worked out once a question."""
        snapshot, query = inputs.snapshot, self._query(inputs)
        exchanges = snapshot.exchanges_at(sorted(held))
        blocks = inputs.readable(exchanges)

        def best(_: object) -> dict[int, int]:
            with followed("logged words", LoggedWords, inputs) as words:
                words.follow(inputs)
                return words.best(query, self.top_k, blocks)

        key = query, inputs.settled, snapshot.log.joins, blocks
        if looks_back(inputs):
            return best(key)
        table = inputs.memo.table(("best by words", self.top_k), brief=True)
        return table.remembered(key, best)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks that matter most, and beside them what is protected or not settled yet."""
        held = inputs.held_places(self, blocks)
        fresh = sorted(inputs.held_places(self, blocks, unsettled=True) - held)
        room = self.max_tokens - inputs.markers(blocks) if self.max_tokens else 0
        room -= sum(inputs.cost(blocks[place]) for place in held)
        stays = set(held)
        for place in reversed(fresh):
            cost = inputs.cost(blocks[place])
            if self.max_tokens and room < cost:
                break
            room -= cost
            stays.add(place)
        free = bytearray(b"\1") * len(blocks)
        for place in held.union(fresh):
            free[place] = False
        places = tuple(compress(range(len(blocks)), free))
        best = self._best_of(tuple(compress(blocks, free)), room, inputs)
        made = {place: blocks[place] for place in stays}
        made.update((places[place], block) for place, block in best.items())
        return tuple(made[place] for place in sorted(made))

    def _best_of(self, blocks: Blocks, room: int, inputs: Inputs) -> dict[int, Block]:
        """The best blocks by their places, each with its score where anything was scored."""
        if self._all_fit(blocks, room, inputs):
            return dict(enumerate(blocks))
        scores = self._scores(blocks, inputs)
        if scores is None:
            places = self._best(blocks, range(len(blocks)), room, inputs)
            return {place: blocks[place] for place in places}
        return {
            place: _scored(blocks[place], scores[place])
            for place in self._best(blocks, scores, room, inputs)
        }

    def _scores(self, blocks: Blocks, inputs: Inputs) -> Sequence[int] | None:
        if self.scorer == "salience":
            return SALIENT.scores(blocks, inputs, "relevant", query=self._query(inputs))
        answer = inputs.ask(self._task(blocks, inputs, self.scorer))
        return answer.value if answer is not None else None

    def _task(self, blocks: Blocks, inputs: Inputs, scorer: Scorer) -> Task:
        return Task(
            kind="relevance",
            model=self.model,
            query=self._query(inputs),
            previous="\n".join(asked_before(inputs)) if self.max_tokens else "",
            max_tokens=self.max_tokens,
            scorer=scorer,
            blocks=blocks,
            source=sha256(b"".join(inputs.digests(blocks))).hexdigest(),
        )

    def _all_fit(self, blocks: Blocks, room: int, inputs: Inputs) -> bool:
        if not self.max_tokens:
            return len(blocks) <= self.top_k
        for block in blocks:
            room -= inputs.cost(block)
            if room < 0:
                return False
        return True

    def _best(self, blocks: Blocks, scores: Sequence[int], room: int, inputs: Inputs) -> list[int]:
        """Places of the best, of equals the newer; with `max_tokens`, of those that fit."""
        if not self.max_tokens:
            return best_places(scores, self.top_k)
        costs, misses, places = inputs.costs(blocks), 0, list[int]()
        for place in _best_first(scores):
            if costs[place] <= room:
                places.append(place)
                room -= costs[place]
                misses = 0
            elif (misses := misses + 1) > MISSES:
                break
        return places

    def _query(self, inputs: Inputs) -> str:
        if self.query:
            return self.query
        state = inputs.snapshot.state
        if self.query_key in state:
            return inputs.clean(plain_text(state[self.query_key]))
        return inputs.clean(asked_last(inputs))


def best_places(scores: Sequence[int], count: int) -> list[int]:
    """The places of so many best scores, of equals the newer, the best first."""
    if len(scores) <= count:
        least = min(scores, default=0)
    else:
        least = nlargest(count, scores)[-1]
    above = [(score, place) for place, score in enumerate(scores) if score > least]
    newest_first = range(len(scores) - 1, -1, -1)
    least_ones = (place for place in newest_first if scores[place] == least)
    best = [place for _, place in sorted(above, reverse=True)]
    return [*best, *islice(least_ones, count - len(best))]


def _best_first(scores: Sequence[int]) -> Iterator[int]:
    """All places, those of the best scores first, of equals the newer; sorted as far as asked."""
    count, done = AT_ONCE, 0
    while done < len(scores):
        yield from best_places(scores, count)[done:]
        count, done = count * 8, count


def asked_last(inputs: Inputs) -> str:
    """What the user said last."""
    snapshot = inputs.snapshot
    for position in snapshot.newest("kind", SPOKEN):
        text = user_words(snapshot.log[position].parts)
        if text:
            return text
    return ""


def asked_before(inputs: Inputs) -> list[str]:
    """What the user said before that, the newest three, oldest first."""
    snapshot = inputs.snapshot
    users = [*islice(snapshot.newest("kind", SPOKEN), 1, EARLIER + 1)]
    events = (snapshot.log[position] for position in reversed(users))
    return [inputs.clean(user_words(event.parts)) for event in events]


def _scored(block: Block, score: int) -> Block:
    return msgspec.structs.replace(block, score=score)
