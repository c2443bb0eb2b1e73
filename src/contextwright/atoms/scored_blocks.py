"""The salience of the blocks of a conversation, kept from turn to turn, and each block with it."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress

import msgspec

from contextwright.blocks.block import Block, Blocks, Message
from contextwright.retrieval.features import Features, about, features, names_in
from contextwright.retrieval.salience_table import JudgedText, SalienceTable
from contextwright.session.event import Text, ToolCall, ToolResult
from contextwright.spec.growing import Growing

SCORED = 250
"""Bytes of a block that differs by its score."""


class ScoredBlocks(Growing[Block]):
    """Blocks that come at the end, judged as `SalienceTable` does.

    Args:
        weights: shares of 1, by factor.
        recency: from an age in turns to 0..1, never more for a higher age.
        known: finds names that always count.
        texts_pass: whether texts outside the conversation stay as they are, unscored.
    """

    def __init__(
        self,
        weights: Mapping[str, float],
        recency: Callable[[int], float],
        known: re.Pattern[str] | None,
        *,
        texts_pass: bool = False,
    ) -> None:
        super().__init__()
        self._table = SalienceTable(weights, recency)
        self._known = known
        self._texts_pass = texts_pass
        self._texts: list[int] = []
        self._users: list[int] = []
        self._made: list[Block] = []
        self._other: set[int] = set()  # places whose score is not that of the block made of them

    @property
    def held_bytes(self) -> int:
        """About what it takes."""
        return SCORED * len(self._made) + self._table.held_bytes

    @property
    def scores(self) -> Sequence[int]:
        """The salience of each block, in millionths, as it was judged last."""
        return self._table.scores

    def is_same(self, old: Block, new: Block) -> bool:
        """Whether both say the same in one turn, whatever they scored before."""
        return old.messages == new.messages and old.text == new.text and old.turn == new.turn

    def append(self, item: Block) -> None:
        """One more block, at the end."""
        text = text_of(item)
        is_known = self._known is not None and self._known.search(text) is not None
        by_user = item.by_user
        if by_user:
            self._users.append(len(self._made))
        if self._texts_pass and item.turn < 0:
            self._texts.append(len(self._made))
        self._table.append(JudgedText(features(text), is_known, item.turn, by_user))
        self._made.append(item)

    def pop(self, item: Block) -> None:
        """Without the last block."""
        self._made.pop()
        self._other.discard(len(self._made))
        for places in (self._users, self._texts):
            if places and places[-1] == len(self._made):
                places.pop()
        self._table.pop(features_of(item))

    def judge(self, blocks: Blocks, turn: int, query: str) -> None:
        """Bring the scores up to date.

        Args:
            turn: the running one.
            query: what was asked; empty for what the user said last among the blocks.
        """
        self.follow(blocks)
        for place in self._beginning.swapped:
            self._made[place] = blocks[place]
            self._other.add(place)
        stems = frozenset[str]()
        if query:
            stems = about(query)
        elif self._users:
            stems = features_of(blocks[self._users[-1]]).words
        self._other |= self._table.judge(turn, stems)

    def at_least(self, score: float, blocks: Blocks, always: Iterable[int]) -> Blocks:
        """The blocks with their scores, without those that have less.

        Args:
            blocks: those that were judged.
            always: places of those that stay whatever they score.
        """
        for place in self._other.difference(self._texts):
            self._made[place] = msgspec.structs.replace(
                blocks[place], score=self._table.scores[place]
            )
        self._other = set()
        if score <= 0:
            return tuple(self._made)
        stays = bytearray(map(score.__le__, self._table.scores))
        for place in (*always, *self._texts):
            stays[place] = True
        return tuple(compress(self._made, stays))


def features_of(block: Block) -> Features:
    """The features of what a block says."""
    return features(text_of(block))


def names_of(block: Block) -> frozenset[str]:
    """The names of what a block says."""
    return names_in(text_of(block))


def text_of(block: Block) -> str:
    """What it says, and what its calls ask for."""
    return text_of_messages(block.messages) if block.messages else block.text


def text_of_messages(messages: Sequence[Message]) -> str:
    """The same, of a block's messages."""
    texts: list[str] = []
    calls: list[str] = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, (Text, ToolResult)):
                texts.append(part.text)
            elif isinstance(part, ToolCall):
                calls.append(f"{part.name} {part.arguments}")
    return "\n".join(("\n".join(texts), *calls))
