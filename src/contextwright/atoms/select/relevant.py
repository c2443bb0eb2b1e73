"""`C.relevant(...)`: what matters for a question (document 000 §2.3)."""

from collections.abc import Iterable
from hashlib import sha256
from heapq import nlargest
from itertools import compress, count
from operator import attrgetter
from typing import ClassVar

import msgspec

from contextwright.atoms.select.from_state import plain_text
from contextwright.blocks.block import Block, Blocks
from contextwright.errors import SpecError
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.task import Scorer, Task

_PINNED, _TIER = attrgetter("pinned"), attrgetter("tier")
USER_CONTENT = "__user_content__"
"""The `query_key` that names what the user said last."""


class Relevant(Atom, frozen=True, kw_only=True):
    """The `top_k` blocks that matter most for a query, in their order, with their scores.

    After a pipe it chooses among what came; by itself, among the exchanges of all finished
    turns. Where there are not more than `top_k`, all stay and nothing is asked. Where nothing
    was scored, the newest stay. Pinned and tier 1 blocks stay in any case.

    Args:
        query_key: state key of the query; `__user_content__` for what the user said last, which
            also stands in for a key that the state does not have.
        query: the query itself, instead of a key.
        top_k: blocks that stay.
        model: who scores; empty for the engine's.
        scorer: `llm`; `embedding`, by the engine's embedder; `lexical`, by words.
    """

    word: ClassVar[str] = "relevant"
    kind: ClassVar[Kind] = Kind.REFINER
    verb: ClassVar[Verb] = Verb.SELECT

    query_key: str = ""
    query: str = ""
    top_k: int = 5
    model: str = ""
    scorer: Scorer = "llm"

    def __post_init__(self) -> None:
        if self.top_k < 1:
            raise SpecError(f"top_k is {self.top_k}", where=repr(self), fix="give at least 1")
        if self.query and self.query_key:
            raise SpecError(
                "two queries", where=repr(self), fix="give either query or query_key, not both"
            )

    def reads(self) -> tuple[str, ...]:
        """The query's state key."""
        return (self.query_key,) if self.query_key not in {"", USER_CONTENT} else ()

    def over(self, inputs: Inputs) -> Blocks:
        """The exchanges of the finished turns."""
        snapshot = inputs.snapshot
        start = max(snapshot.preamble, snapshot.turn_start(snapshot.turn))
        return inputs.blocks(snapshot.exchanges(snapshot.preamble, start), "relevant")

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks that matter most."""
        if len(blocks) <= self.top_k:
            return blocks
        query = self._query(inputs)
        source = sha256(b"".join(inputs.digests(blocks))).hexdigest()
        answer = inputs.ask(
            Task(
                kind="relevance",
                model=self.model,
                query=query,
                scorer=self.scorer,
                blocks=blocks,
                source=source,
            )
        )
        if answer is None:
            return self._chosen(blocks, range(len(blocks) - self.top_k, len(blocks)), None)
        scores: list[int] = answer.value
        table = inputs.memo.table("relevant")
        key = (tuple(scores), self.top_k)
        best = table.get(key)
        if best is None:
            newer_first = nlargest(self.top_k, zip(scores, range(len(blocks)), strict=True))
            best = [place for _, place in newer_first]
            table[key] = best
        return self._chosen(blocks, best, scores)

    def _chosen(self, blocks: Blocks, places: Iterable[int], scores: list[int] | None) -> Blocks:
        """These blocks and those that always stay, in their order, scored where that was done."""
        chosen = set(places)
        if True in map(_PINNED, blocks):
            chosen.update(compress(count(), map(_PINNED, blocks)))
        if 1 in map(_TIER, blocks):
            chosen.update(place for place, block in enumerate(blocks) if block.tier == 1)
        if scores is None:
            return tuple(blocks[place] for place in sorted(chosen))
        return tuple(_scored(blocks[place], scores[place]) for place in sorted(chosen))

    def _query(self, inputs: Inputs) -> str:
        if self.query:
            return self.query
        state = inputs.snapshot.state
        if self.query_key in state:
            return inputs.clean(plain_text(state[self.query_key]))
        return inputs.clean(asked_last(inputs))


def asked_last(inputs: Inputs) -> str:
    """What the user said last."""
    snapshot = inputs.snapshot
    for position in reversed(snapshot.positions("role", "user")):
        text = snapshot.log[position].text
        if text:
            return text
    return ""


def _scored(block: Block, score: int) -> Block:
    return msgspec.structs.replace(block, score=score)
